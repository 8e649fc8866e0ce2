# What moved the answer: the explanations of the command (docs/explain.md), of the numbers of the core.

check_explained <- function(object, what) {
  check_fit(object)
  if (!length(unlist(object$about$inputs$names))) {
    refuse("the fit has no inputs, and ", what, " tells what inputs do")
  }
  if (!is.null(object$limits)) {
    refuse(what, " is not for fits that know the target by its limits, as those of a response Surv() do")
  }
}

# The rows of `given`, or of the fit, as the core takes them: list(columns =, rows = their numbers, weights =,
# targets = whether they have them). Rows with gaps are left out.
rows_for <- function(object, given, argument, targets, weights = NULL) {
  if (is.null(given) && is.null(object$data)) {
    refuse(argument, " is missing, and the object has no data of its own (", kept_data_text(object), ")")
  }
  new <- columns_of_new(object, given, targets, argument)
  if (!any(new$complete)) refuse(argument, " has no row without missing values, expected at least one")
  if (!is.null(weights) && (!is.numeric(weights) || length(weights) != new$n)) {
    refuse("weights has ", length(weights), " values for ", new$n, " rows, expected a number >= 0 for each")
  }
  if (is.null(given)) weights <- weights %||% object$weights
  list(columns = complete_columns(new), rows = which(new$complete), weights = weights[new$complete], targets = targets)
}

row_for <- function(object, given, argument, targets) {
  new <- columns_of_new(object, given, targets, argument)
  if (new$n != 1) refuse(argument, " has ", new$n, " rows, expected one")
  if (!new$complete) refuse(argument, " has missing values, expected none")
  list(columns = new$columns, rows = 1L, weights = NULL, targets = targets)
}

functionals <- function(of) {
  if (!is.character(of) || !length(of) || anyNA(of)) {
    refuse("of = ", deparse1(of), ", expected texts such as \"mean\" and \"quantile:0.9\"")
  }
  of
}

needs_target <- function(of) "log-score" %in% of

# Of more rows so many: 0 and Inf are all.
most_rows <- function(value, argument) {
  value <- one_number(value, argument, 0, whole = TRUE)
  if (is.finite(value)) value else 0
}

plain_frame <- function(x) {
  class(x) <- "data.frame"
  x
}

#' Which inputs matter
#'
#' What the scores of rows lose when an input is shuffled among them (Breiman 2001), the indicators of a category
#' together. An input that the model does not use has importance 0 exactly; inputs that go together share theirs.
#'
#' @param object A fit of [condens()]; of `autoplot()`, the result.
#' @param newdata As in [predict.condens()], with the targets: best rows that the fit has not seen. Rows with missing
#'   values that the fit cannot use are left out.
#' @param n_repeats Shuffles of every input.
#' @param max_rows Of more rows so many take part, drawn at random; 0 or `Inf`: all.
#' @param weights Weights of the rows; `NULL`: those of the fit for its own data, else none.
#' @param seed,threads As in [predict.condens()].
#' @param x The result.
#' @param digits Of the numbers printed.
#' @param ... Not used.
#' @return A data frame of class `"condens_importance"` with a row for each input, by falling `nll`: what the mean
#'   negative log density loses, with its standard error over rows, as if they were independent (`nll_se`), and over
#'   shuffles of these rows (`nll_shuffle`); the same of the CRPS, of several targets the energy score. `plot()` and
#'   `autoplot()` draw it.
#' @examples
#' half <- seq(1, nrow(mtcars), 2)
#' fit <- nw(mpg ~ wt + hp, mtcars[half, ], seed = 1)
#' condens_importance(fit, mtcars[-half, ], seed = 1)
#' @export
condens_importance <- function(object, newdata = NULL, n_repeats = 5, max_rows = 1000, weights = NULL, seed = NULL,
                               threads = NULL) {
  check_explained(object, "condens_importance()")
  found <- core(C_condens_importance, object$model, list(
    data = rows_for(object, newdata, "newdata", TRUE, weights),
    n_repeats = one_number(n_repeats, "n_repeats", 1, .Machine$integer.max, whole = TRUE),
    max_rows = most_rows(max_rows, "max_rows"), seed = seed_of(seed), threads = threads_of(threads)
  ))
  out <- data.frame(input = found$inputs,
                    nll = found$nll$value, nll_se = found$nll$standard_error, nll_shuffle = found$nll$shuffle_error,
                    crps = found$crps$value, crps_se = found$crps$standard_error,
                    crps_shuffle = found$crps$shuffle_error)
  out <- out[order(-out$nll), ]
  row.names(out) <- NULL
  structure(out, class = c("condens_importance", "data.frame"), n_rows = found$n_rows, n_repeats = n_repeats)
}

#' @rdname condens_importance
#' @export
print.condens_importance <- function(x, digits = 3, ...) {
  if (!is.null(attr(x, "n_rows"))) {
    cat("What the scores lose when an input is shuffled among ", attr(x, "n_rows"), " rows, mean of ",
        attr(x, "n_repeats"), " shuffles\n", sep = "")
  }
  print(plain_frame(x), digits = digits, row.names = FALSE)
  invisible(x)
}

#' How the distribution goes with one input
#'
#' Accumulated local effects (Apley and Zhu 2020) move rows to the ends of their bin of the input only, so that they
#' stay where data are; partial dependence (Friedman 2001) sets the input of all rows to each value.
#'
#' @param object A fit of [condens()]; of `autoplot()`, the result.
#' @param input The input, a name or a number.
#' @param newdata As in [predict.condens()]. Rows with missing values that the fit cannot use are left out.
#' @param of What of the distributions: `"mean"`, `"sd"` (or `"std"`), `"median"`, `"quantile:p"`, `"width:p"`, the
#'   length of the central interval of probability p, `"asymmetry"`, (q.9 + q.1 - 2 q.5) / (q.9 - q.1), `"above:v"`, the
#'   probability of more than v, and `"log-score"`, the log density at the target of the row.
#' @param kind `"local"` effects, or `"dependence"`, which a category always gets.
#' @param points Values along the input, at most.
#' @param max_rows Of more rows so many take part, drawn at random; 0 or `Inf`: all.
#' @param target Which target, a name or a number, where the fit has several; `NULL`: the first.
#' @param weights Weights of the rows; `NULL`: those of the fit for its own data, else none.
#' @param seed,threads As in [predict.condens()].
#' @param x The result.
#' @param digits Of the numbers printed.
#' @param ... Not used.
#' @return A data frame of class `"condens_effect"` with a row for each value of the input and each of `of`: the value,
#'   in a column named as the input, `of`, `effect`, less the mean over the rows, its `standard_error` and, of
#'   dependence, `value`, the mean and the effect together. The attribute `"base"` is the mean over the rows as they
#'   are, `"kind"` what the effect is. `plot()` and `autoplot()` draw it. Local effects of several quantiles are of each
#'   on its own: added to their means they may cross.
#' @examples
#' fit <- nw(mpg ~ wt + hp, mtcars, seed = 1)
#' condens_effect(fit, "wt", points = 5, seed = 1)
#' plot(condens_effect(fit, "wt", kind = "dependence", seed = 1))
#' @export
condens_effect <- function(object, input, newdata = NULL, of = c("quantile:0.1", "quantile:0.5", "quantile:0.9"),
                           kind = c("local", "dependence"), points = 20, max_rows = 1000, target = NULL,
                           weights = NULL, seed = NULL, threads = NULL) {
  check_explained(object, "condens_effect()")
  of <- functionals(of)
  kind <- one_of(if (missing(kind)) NULL else kind, eval(formals()$kind), "kind")
  input <- input_name(object, input)
  found <- core(C_condens_effect, object$model, list(
    data = rows_for(object, newdata, "newdata", needs_target(of), weights), of = of,
    input = match(input, unlist(object$about$inputs$names)), kind = kind,
    points = one_number(points, "points", 2, .Machine$integer.max, whole = TRUE),
    max_rows = most_rows(max_rows, "max_rows"), target = target_number(object, target %||% 1), seed = seed_of(seed),
    threads = threads_of(threads)
  ))
  out <- data.frame(rep(found$grid, each = length(of)), of = rep(of, length(found$grid)), effect = found$values,
                    standard_error = found$standard_errors)
  names(out)[[1]] <- input
  if (found$kind == "dependence") out$value <- rep(found$base, length(found$grid)) + found$values
  structure(out, class = c("condens_effect", "data.frame"), kind = found$kind, base = stats::setNames(found$base, of),
            n_rows = found$n_rows, target = target_name(object, target))
}

#' @rdname condens_effect
#' @export
print.condens_effect <- function(x, digits = 4, ...) {
  if (!is.null(attr(x, "kind"))) cat(effect_title(x), ", over ", attr(x, "n_rows"), " rows\n", sep = "")
  print(plain_frame(x), digits = digits, row.names = FALSE)
  invisible(x)
}

effect_title <- function(x) {
  paste0(if (attr(x, "kind") == "local") "Local effects of " else "Partial dependence on ", names(x)[[1]], ": ",
         attr(x, "target"))
}

#' What every input adds
#'
#' `condens_shapley()`: Shapley values of one row (Shapley 1953; Strumbelj and Kononenko 2014), which share what its
#' distribution has beyond the mean of the rows of a background among the inputs. `condens_compare_rows()`: the same
#' with another row as the background: which inputs make two distributions differ.
#'
#' @param object A fit of [condens()]; of `autoplot()`, the result.
#' @param newdata One row, as in [predict.condens()].
#' @param background Rows to compare with; `NULL`: the data of the fit. Rows with missing values that the fit cannot use
#'   are left out.
#' @param other One row to compare with.
#' @param of As in [condens_effect()]; `"log-score"` needs the target in `newdata`.
#' @param max_background Of more rows so many are compared with, drawn at random; 0 or `Inf`: all.
#' @param target Which target, a name or a number, where the fit has several; `NULL`: the first.
#' @param seed,threads As in [predict.condens()].
#' @param x The result.
#' @param digits Of the numbers printed.
#' @param ... Not used.
#' @return A data frame of class `"condens_shapley"` with a row for each of `of` and each input: `of`, `input`, the
#'   `value` that the input adds, and its `standard_error` over random orders of the inputs, 0 where the attribute
#'   `"exact"` is `TRUE`. The attributes `"base"` and `"prediction"`, named by `of`, are what the values lead from and
#'   to: they sum to the difference. `condens_compare_rows()` adds two distances of the distribution functions to `of`:
#'   `"crps"`, the integral of their squared difference, and `"kolmogorov"`, the largest difference. `plot()` and
#'   `autoplot()` draw it.
#' @examples
#' fit <- nw(mpg ~ wt + hp + qsec, mtcars, seed = 1)
#' condens_shapley(fit, mtcars["Fiat 128", ], seed = 1)
#' condens_compare_rows(fit, mtcars["Fiat 128", ], mtcars["Merc 230", ], of = "quantile:0.9", seed = 1)
#' @export
condens_shapley <- function(object, newdata, background = NULL, of = c("mean", "sd"), max_background = 100,
                            target = NULL, seed = NULL, threads = NULL) {
  check_explained(object, "condens_shapley()")
  of <- functionals(of)
  found <- core(C_condens_shapley, object$model, list(
    row = row_for(object, newdata, "newdata", needs_target(of)),
    background = rows_for(object, background, "background", FALSE), of = of,
    max_background = most_rows(max_background, "max_background"), target = target_number(object, target %||% 1),
    seed = seed_of(seed), threads = threads_of(threads)
  ))
  added_frame(found, of, paste("the mean of", found$n_background, "rows"), target_name(object, target))
}

#' @rdname condens_shapley
#' @export
condens_compare_rows <- function(object, newdata, other, of = c("mean", "sd"), target = NULL, seed = NULL,
                                 threads = NULL) {
  check_explained(object, "condens_compare_rows()")
  of <- functionals(of)
  found <- core(C_condens_compare_rows, object$model, list(
    row = row_for(object, newdata, "newdata", FALSE), other = row_for(object, other, "other", FALSE), of = of,
    target = target_number(object, target %||% 1), seed = seed_of(seed), threads = threads_of(threads)
  ))
  added_frame(found, c(of, found$of[-seq_along(of)]), "the other row", target_name(object, target))
}

added_frame <- function(found, of, against, target) {
  out <- data.frame(of = rep(of, each = length(found$inputs)), input = rep(found$inputs, length(of)),
                    value = found$values, standard_error = found$standard_errors)
  structure(out, class = c("condens_shapley", "data.frame"), base = stats::setNames(found$base, of),
            prediction = stats::setNames(found$prediction, of), exact = found$exact, against = against, target = target)
}

#' @rdname condens_shapley
#' @export
print.condens_shapley <- function(x, digits = 4, ...) {
  if (is.null(attr(x, "base"))) {
    print(plain_frame(x), digits = digits, row.names = FALSE)
    return(invisible(x))
  }
  cat("What every input adds to the distribution of ", attr(x, "target"), ", against ", attr(x, "against"),
      if (attr(x, "exact")) ", exact" else ", by random orders of the inputs", "\n", sep = "")
  for (of in unique(x$of)) {
    cat("\n", added_title(x, of, digits), "\n", sep = "")
    own <- plain_frame(x)[x$of == of, c("input", "value", if (!attr(x, "exact")) "standard_error")]
    print(own[order(-abs(own$value)), ], digits = digits, row.names = FALSE)
  }
  invisible(x)
}

# "mean: 20.1 to 23.4"; of a distance, which begins at 0, "crps: 1.2".
added_title <- function(x, of, digits = 4) {
  base <- attr(x, "base")
  if (is.null(base)) return(of)
  from <- if (!of %in% c("crps", "kolmogorov")) paste(brief(base[[of]], digits), "to ")
  paste0(of, ": ", from, brief(attr(x, "prediction")[[of]], digits))
}

#' Which rows of the fit made a distribution
#'
#' Of fits whose distributions are weighted kernels at the rows of the fit: [nw()], [ekde()], [rkde()], [parzen()] and
#' [forest()] (Meinshausen 2006).
#'
#' @param object A fit of [condens()].
#' @param newdata As in [predict.condens()].
#' @param data The data of the fit, unchanged; `NULL`: those that the fit has kept.
#' @param most How many rows of the fit.
#' @param weights The weights of the fit, where it was read from a file; else they are known.
#' @param threads As in [predict.condens()].
#' @return A list with a data frame for each row of `newdata`, `NULL` where that has missing values: `row`, the number
#'   of a row in the data of the fit, and its `weight`, by falling weight. The attribute `"others"` of each is what all
#'   other rows weigh: all sum to one. Copies of a row share their kernel; of a target with atoms the weights are those
#'   of the part beside the atoms.
#' @examples
#' fit <- nw(mpg ~ wt + hp, mtcars, seed = 1)
#' found <- condens_training_rows(fit, mtcars["Fiat 128", ], most = 3)
#' found
#' mtcars[found[[1]]$row, c("mpg", "wt", "hp")]
#' @export
condens_training_rows <- function(object, newdata, data = NULL, most = 10, weights = NULL, threads = NULL) {
  check_explained(object, "condens_training_rows()")
  new <- columns_of_new(object, newdata)
  rows <- rows_for(object, data, "data", TRUE, weights)
  if (!is.null(object$n) && length(rows$rows) != object$n) {
    refuse("data has ", length(rows$rows), " rows without missing values, expected the ", object$n, " of the fit")
  }
  if (is.null(rows$weights)) rows["weights"] <- list(object$weights)
  most <- one_number(most, "most", 1, .Machine$integer.max, whole = TRUE)
  numbers <- if (is.null(data)) rows_of_fit(object) else rows$rows
  if (!any(new$complete)) return(vector("list", new$n))
  found <- core(C_condens_training_rows, object$model, list(
    columns = complete_columns(new), data = rows, most = most, threads = threads_of(threads)
  ))
  frames <- lapply(found, function(own) {
    structure(data.frame(row = numbers[as.integer(own$rows)], weight = as.double(own$weights)), others = own$others)
  })
  spread_rows(frames, new$complete)
}

# The numbers of the rows of a fit in its data, of which na.action has left some out.
rows_of_fit <- function(object) {
  all <- seq_len(object$n + length(object$na.action))
  if (length(object$na.action)) all[-object$na.action] else all
}
