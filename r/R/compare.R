#' Compare models on rows that they have not seen
#'
#' Each model is fitted to the same parts of the data and scored on the rows left out.
#'
#' @param x,data,y,weights,na.action As in [condens()].
#' @param models Names of models, or a named list whose entries are lists of a `model` and its options.
#' @param target_kind What the targets are, for all models, as in [condens()]. Of kinds whose values have probabilities
#'   `nll` is that of the probability, and there is no squared loss.
#' @param cv `"random"` splits, or `"time"`: rows are in the order of time, the last of them are cut into a block for
#'   each split, and the fits see all rows before it.
#' @param repeats Number of splits.
#' @param test_fraction Share of the rows that are left out in each.
#' @param seed,threads,progress As in [condens()].
#' @param ... For methods.
#'
#' @return A data frame of class `"condens_comparison"`, from the best to the last: the means over the splits of the
#'   negative log density (`nll`), of the squared loss and of the CRPS, with standard errors; `best` marks the model
#'   with the least `nll` and those that a paired t-test at 5 % does not tell from it (Sugiyama et al. 2010, Table 1).
#' @examples
#' condens_compare(dist ~ speed, cars, models = c("lscde", "gp"), repeats = 3, seed = 1)
#' @export
condens_compare <- function(x, ...) UseMethod("condens_compare")

#' @rdname condens_compare
#' @export
condens_compare.formula <- function(x, data = NULL, models, target_kind = "real", cv = c("random", "time"),
                                    repeats = 10, test_fraction = 0.2, seed = NULL, weights = NULL,
                                    na.action = getOption("na.action"), threads = NULL, progress = interactive(),
                                    ...) {
  compare_design(design_of_formula(x, data), models, one_text(target_kind, "target_kind"), match.arg(cv), repeats,
                 test_fraction, seed, weights, na.action, threads, progress)
}

#' @rdname condens_compare
#' @export
condens_compare.default <- function(x, y, models, target_kind = "real", cv = c("random", "time"), repeats = 10,
                                    test_fraction = 0.2, seed = NULL, weights = NULL,
                                    na.action = getOption("na.action"), threads = NULL,
                                    progress = interactive(), ...) {
  compare_design(design_of_data(x, y), models, one_text(target_kind, "target_kind"), match.arg(cv), repeats,
                 test_fraction, seed, weights, na.action, threads, progress)
}

compare_design <- function(design, models, target_kind, cv, repeats, test_fraction, seed, weights, na.action, threads,
                           progress) {
  columns <- c(design$inputs$columns, design$targets$columns)
  kept <- kept_rows(has_gap(columns, design$n), columns, na.action %||% stats::na.fail)
  if (length(kept$rows) < design$n) {
    columns <- lapply(columns, `[`, kept$rows)
    weights <- weights[kept$rows]
  }
  entries <- if (is.list(models)) Map(entry_of, models, names(models) %||% rep("", length(models))) else
    lapply(models, function(name) entry_of(list(model = name), name))
  found <- core(C_condens_compare, list(
    models = unname(entries), columns = columns, inputs = names(design$inputs$columns) %||% character(),
    targets = names(design$targets$columns), categorical = as.character(design$inputs$categorical), weights = weights,
    target_kind = target_kind,
    options = list(cv = cv, repeats = repeats,
                   test_fraction = one_number(test_fraction, "test_fraction", 0, 1, open = TRUE), seed = seed_of(seed)),
    threads = threads_of(threads), progress = one_truth(progress, "progress")
  ))
  measure <- function(name, part) {
    vapply(found, function(own) {
      value <- own[[name]][[part]]
      if (is.null(value)) NA_real_ else as.double(value)
    }, 0)
  }
  measures <- intersect(c("nll", "squared_loss", "crps", "energy_score", "seconds"), names(found[[1]]))
  out <- data.frame(model = vapply(found, `[[`, "", "model"))
  for (name in measures) {
    out[[name]] <- measure(name, "mean")
    if (name != "seconds") out[[paste0(name, "_se")]] <- measure(name, "standard_error")
  }
  out$best <- vapply(found, `[[`, NA, "best")
  out$failed <- vapply(found, function(own) as.integer(own$failed), 0L)
  structure(out, class = c("condens_comparison", "data.frame"), repeats = repeats, cv = cv)
}

entry_of <- function(entry, label) {
  if (is.character(entry)) entry <- list(model = entry)
  if (is.null(entry$model)) refuse("models: '", label, "' names no model, expected list(model = \"lscde\", ...)")
  options <- entry[!names(entry) %in% c("model", "preset")]
  list(label = if (nzchar(label)) label else entry$model, model = entry$model, preset = entry$preset %||% "",
       options = if (length(options)) options else structure(list(), names = character()))
}

#' @export
print.condens_comparison <- function(x, digits = 4, ...) {
  shown <- x
  class(shown) <- "data.frame"
  shown$best <- ifelse(x$best, "*", "")
  cat("Means over ", attr(x, "repeats"), if (attr(x, "cv") == "time") " blocks of time" else " random splits",
      " (less is better); * the best, and those not told from it\n", sep = "")
  print(shown[setdiff(names(shown), if (all(x$failed == 0)) "failed")], digits = digits, row.names = FALSE)
  invisible(x)
}
