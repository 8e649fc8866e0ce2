# What a fitted model says of y given new inputs.

# The columns of new data as the model reads them: list(columns =, n =, complete = which rows have no gap).
# `targets`: whether those of the targets are needed. `argument`: what the caller calls the data.
columns_of_new <- function(object, newdata, targets = FALSE, argument = "newdata") {
  inputs <- object$about$inputs$names
  if (is.null(newdata)) {
    if (is.null(object$data)) {
      refuse(argument, " is missing, and the object has no data of its own (", kept_data_text(object), ")")
    }
    columns <- object$data
    n <- object$n
  } else if (!is.null(object$terms)) {
    columns <- columns_of_formula(object, newdata, targets, argument)
    n <- if (is.data.frame(newdata)) nrow(newdata) else length_of_part(list(columns = columns))
  } else {
    columns <- columns_by_name(object, newdata, targets, argument)
    n <- if (is.null(dim(newdata))) length(newdata) else nrow(newdata)
  }
  limits <- if (is.null(newdata)) object$limits else attr(columns, "limits")
  names <- c(inputs, if (targets) object$about$targets$names)
  columns <- columns[unlist(names)]
  gaps <- if (object$about$missing == "error") has_gap(columns, n) else has_gap(columns[setdiff(names, inputs)], n)
  list(columns = columns, n = n, complete = !gaps, limits = limits)
}

kept_data_text <- function(object) {
  if (is.null(object$n)) "it was read from a file" else "it was fitted with keep_data = FALSE"
}

columns_of_formula <- function(object, newdata, targets, argument) {
  if (!is.data.frame(newdata)) {
    refuse(argument, " is of class ", class(newdata)[[1]], ", expected a data frame with the variables of the formula")
  }
  terms <- if (targets) object$terms else stats::delete.response(object$terms)
  if (targets || length(attr(terms, "term.labels"))) {
    lacking <- setdiff(all.vars(terms), names(newdata))
    # What stands in the formula's environment may be a constant of it; a column of the data may not come from there.
    used <- lacking[vapply(lacking, function(name) !exists(name, environment(terms)), NA)]
    columns <- unlist(c(object$about$inputs$names, if (targets) object$about$targets$names))
    used <- union(used, intersect(lacking, columns))
    if (length(used)) {
      refuse(argument, " has no column '", used[[1]], "', expected ", paste(all.vars(terms), collapse = ", "))
    }
  }
  if (!length(attr(terms, "term.labels")) && !targets) return(list())
  frame <- stats::model.frame(terms, newdata, na.action = stats::na.pass)
  columns <- columns_of_terms(terms, frame, object$ordered)$columns
  if (!targets || attr(terms, "response") == 0) return(columns)
  response <- frame[[1]]
  if (inherits(response, "Surv")) {
    limits <- limits_of_surv(response)
    columns[[name_of_surv(attr(terms, "variables")[[2]])]] <- representatives(limits)
    return(structure(columns, limits = limits))
  }
  if (is.matrix(response) && is.null(colnames(response))) colnames(response) <- unlist(object$about$targets$names)
  name <- deparse1(attr(terms, "variables")[[2]])
  response <- with_levels_of_fit(response, name, object$ordered)
  c(columns, columns_of_variable(response, if (is.matrix(response)) "" else name)$columns)
}

columns_by_name <- function(object, newdata, targets, argument) {
  inputs <- unlist(object$about$inputs$names)
  if (!is.null(object$blueprint) && is.data.frame(newdata)) {
    newdata <- hardhat::forge(newdata, object$blueprint)$predictors
  }
  needed <- c(inputs, if (targets) unlist(object$about$targets$names))
  if (!is.data.frame(newdata) && is.null(colnames(newdata))) {
    if (is.null(dim(newdata))) newdata <- matrix(newdata, ncol = 1)
    if (ncol(newdata) != length(inputs)) {
      refuse(argument, " has ", ncol(newdata), " columns, expected ", length(inputs), ": ",
             paste(inputs, collapse = ", "))
    }
    colnames(newdata) <- inputs
  }
  if (is.matrix(newdata)) newdata <- as.data.frame(newdata, optional = TRUE)
  lacking <- setdiff(needed, names(newdata))
  if (length(lacking)) {
    refuse(argument, " has no column '", lacking[[1]], "', expected ", paste(needed, collapse = ", "))
  }
  parts <- lapply(needed, function(name) {
    columns_of_variable(with_levels_of_fit(newdata[[name]], name, object$ordered), name)$columns
  })
  do.call(c, parts)
}

complete_columns <- function(new) if (all(new$complete)) new$columns else lapply(new$columns, `[`, new$complete)

laws_of_rows <- function(model, new, threads) {
  core(C_condens_predict, model, complete_columns(new), sum(new$complete), threads)
}

# Rows with gaps are NA: `values`, a vector, a list or an array, has an entry along its first axis for each of the
# others.
spread_rows <- function(values, complete) {
  if (all(complete)) return(values)
  if (is.null(dim(values))) {
    out <- if (is.list(values)) vector("list", length(complete)) else rep(NA_real_, length(complete))
    out[complete] <- values
    return(out)
  }
  out <- array(NA_real_, c(length(complete), dim(values)[-1]), dimnames(values))
  rest <- prod(dim(values)[-1])
  out[rep(complete, rest)] <- values
  out
}

percent_names <- function(probs) paste0(format(100 * probs, trim = TRUE, digits = 7, drop0trailing = TRUE), "%")

#' Predictions of the distribution of y
#'
#' @param object A fit of [condens()].
#' @param newdata A data frame with the variables of the formula, or columns as those of `x` in the fit. `NULL`: the
#'   data of the fit.
#' @param type What to predict: `"mean"`, `"median"`, `"mode"`, `"sd"`, `"variance"`; `"quantile"` at the levels
#'   `probs`; `"density"` and `"cdf"` at the values `at`; `"interval"`, central, and `"hdr"`, the region of highest
#'   density, of probability `level`; `"sample"`, `nsim` draws; `"distribution"`, a vector of distributions
#'   ([distributional][distributional::distributional-package]).
#' @param probs Levels of quantiles, in \[0, 1\].
#' @param at Values of y, the same for all rows; a matrix with a row for each row of `newdata`, for values of their own;
#'   `NULL`: the target in `newdata`. Of several targets: a matrix with a column for each.
#' @param level Probability of intervals and regions. Of a fit with `conformal` they hold y with at least this
#'   probability.
#' @param nsim Number of draws for each row.
#' @param seed Of the draws; `NULL`: from R's generator.
#' @param log Whether densities are logarithms.
#' @param target Which target, a name or a number, where the fit has several.
#' @param shift Whether the inputs of the new rows come from another distribution than those of the fit. Intervals and
#'   regions of a fit with `conformal` then weigh the rows left out by an estimated ratio of the two (Tibshirani et al.
#'   2019).
#' @param bands `NULL`, or the level of error bars, in (0, 1), of a fit with `bootstrap`: the result is then a list of
#'   `fit`, `lower` and `upper` (percentile method; Efron and Tibshirani 1993). Costs a prediction for each replicate.
#' @param threads Number of threads, 0 for all; `NULL`: the option `condens.threads`, else all.
#' @param ... Not used.
#'
#' @return A vector with a number for each row of `newdata`; a matrix with a column for each of several targets, for
#'   each level, value, draw or end; for `"hdr"` a list of matrices whose rows are the intervals of a region; for
#'   `"distribution"` a vector of distributions. Rows with missing inputs give `NA`, unless the fit has `missing =
#'   "model"` or `"indicator"`.
#' @examples
#' fit <- lscde(dist ~ speed, cars, seed = 1)
#' new <- data.frame(speed = c(8, 16, 24))
#' predict(fit, new)
#' predict(fit, new, type = "quantile", probs = c(0.05, 0.5, 0.95))
#' predict(fit, new, type = "interval", level = 0.8)
#' predict(fit, new, type = "density", at = c(20, 40))
#' predict(fit, new, type = "distribution")
#' @export
predict.condens <- function(object, newdata = NULL,
                            type = c("mean", "quantile", "density", "cdf", "interval", "hdr", "sample", "distribution",
                                     "median", "mode", "sd", "variance"),
                            probs = c(0.05, 0.5, 0.95), at = NULL, level = 0.9, nsim = 1, seed = NULL, log = FALSE,
                            target = NULL, shift = FALSE, bands = NULL, threads = NULL, ...) {
  type <- one_of(if (missing(type)) NULL else type, eval(formals()$type), "type")
  own <- is.null(at) && type %in% c("density", "cdf")
  if (own) refuse_censored(object, paste0("type = \"", type, "\" without `at`"))
  new <- columns_of_new(object, newdata, targets = own)
  threads <- threads_of(threads)
  if (own) {
    names <- unlist(object$about$targets$names)
    at <- do.call(cbind, complete_columns(new)[names])
    if (type == "cdf" && length(names) > 1) at <- at[, target_number(object, target), drop = FALSE]
  }
  if (type == "sample") seed <- seed_of(seed)
  if (!is.null(target)) target_number(object, target)
  one_truth(shift, "shift")
  if (shift && (object$about$n_calibration == 0 || !type %in% c("interval", "hdr"))) {
    refuse("shift = TRUE, expected type = \"interval\" or \"hdr\" of a fit with conformal = TRUE")
  }
  value <- function(model) {
    if (object$about$n_calibration > 0 && type %in% c("interval", "hdr")) {
      return(guaranteed(model, type, new, share_in(level, "level"), shift, threads))
    }
    predicted(laws_of_rows(model, new, threads), object, type, probs, at, own, level, nsim, seed, log, target, threads)
  }
  if (!any(new$complete)) {
    return(nothing_predicted(object, type, probs, if (!own) at, nsim, target, length(new$complete)))
  }
  if (type == "distribution") {
    return(new_distributions(laws_of_rows(object$model, new, threads), new$complete))
  }
  if (type == "density" && own && is.null(bands) && length(unlist(object$about$targets$names)) >= 1) {
    out <- core(C_condens_log_density, object$model, complete_columns(new), threads)
    return(spread_rows(if (one_truth(log, "log")) out else exp(out), new$complete))
  }
  out <- value(object$model)
  if (is.null(bands)) return(spread_rows(out, new$complete))
  ends <- bands_of(object, value, out, type, one_number(bands, "bands", 0, 1, open = TRUE))
  lapply(c(list(fit = out), ends), spread_rows, new$complete)
}

# Of no row that can be predicted: the same shape.
nothing_predicted <- function(object, type, probs, at, nsim, target, n) {
  if (type == "distribution") return(new_distributions(NULL, logical(n)))
  if (type == "hdr") return(vector("list", n))
  names <- unlist(object$about$targets$names)
  if (!is.null(target)) names <- names[[target_number(object, target)]]
  several <- length(names) > 1
  if (several && type == "sample") {
    return(array(NA_real_, c(n, nsim, length(names)), list(NULL, NULL, names)))
  }
  if (several && type %in% c("median", "quantile", "cdf", "interval")) target_number(object, target)
  columns <- switch(type,
    quantile = percent_names(probs), interval = c("lower", "upper"), sample = seq_len(nsim),
    density = , cdf = if (!is.null(at)) seq_len(if (is.matrix(at) && !several) ncol(at) else NROW(at)),
    mean = , mode = , sd = , variance = if (several) names
  )
  if (is.null(columns)) return(rep(NA_real_, n))
  matrix(NA_real_, n, length(columns), dimnames = if (is.character(columns)) list(NULL, columns))
}

target_number <- function(object, target) {
  names <- unlist(object$about$targets$names)
  if (is.null(target)) {
    if (length(names) == 1) return(1L)
    refuse("target is missing, expected one of ", paste(names, collapse = ", "))
  }
  number <- if (is.character(target)) match(target, names) else as.integer(target)
  if (length(number) != 1 || is.na(number) || number < 1 || number > length(names)) {
    refuse("target = ", deparse1(target), ", expected one of ", paste(names, collapse = ", "))
  }
  number
}

# Numbers of the complete rows.
predicted <- function(laws, object, type, probs, at, own, level, nsim, seed, log, target, threads) {
  names <- unlist(object$about$targets$names)
  several <- length(names) > 1
  if (type %in% c("mean", "mode", "sd", "variance")) {
    out <- core(C_condens_laws_summary, laws, if (type == "sd") "variance" else type, threads)
    if (type == "sd") out <- sqrt(out)
    if (!several) return(out[, 1])
    colnames(out) <- names
    return(if (is.null(target)) out else out[, target_number(object, target)])
  }
  if (type == "sample") return(draws_of(laws, names, nsim, seed, target, object, threads))
  if (type == "density") {
    if (own) at <- at[, seq_along(names), drop = FALSE]
    out <- core(C_condens_laws_at, laws, "log_density", at, own || (is.matrix(at) && !several), threads)
    return(shape_at(if (one_truth(log, "log")) out else exp(out), own))
  }
  if (several) laws <- core(C_condens_laws_marginal, laws, target_number(object, target))
  switch(type,
    median = core(C_condens_laws_summary, laws, "median", threads)[, 1],
    cdf = shape_at(core(C_condens_laws_at, laws, "cdf", at, own || is.matrix(at), threads), own),
    quantile = {
      if (!is.numeric(probs) || anyNA(probs) || any(probs < 0 | probs > 1)) {
        refuse("probs = ", deparse1(probs), ", expected numbers from 0 to 1")
      }
      out <- core(C_condens_laws_at, laws, "quantile", as.double(probs), FALSE, threads)
      colnames(out) <- percent_names(probs)
      out
    },
    interval = central_interval(laws, share_in(level, "level"), threads),
    hdr = lapply(core(C_condens_laws_regions, laws, share_in(level, "level"), threads), with_ends)
  )
}

shape_at <- function(values, own) if (own && ncol(values) == 1) values[, 1] else values

central_interval <- function(laws, mass, threads) {
  rest <- (1 - mass) / 2
  with_ends(cbind(core(C_condens_laws_at, laws, "quantile", rest, FALSE, threads),
                  core(C_condens_laws_at, laws, "upper_quantile", rest, FALSE, threads)))
}

with_ends <- function(ends) {
  colnames(ends) <- c("lower", "upper")
  ends
}

# Intervals and regions of a fit with `conformal`, of the complete rows.
guaranteed <- function(model, type, new, level, shift, threads) {
  routine <- if (type == "interval") C_condens_conformal_intervals else C_condens_conformal_regions
  out <- core(routine, model, complete_columns(new), level, shift, threads)
  if (is.list(out)) lapply(out, with_ends) else with_ends(out)
}

# n x nsim; of several targets n x nsim x targets.
draws_of <- function(laws, names, nsim, seed, target, object, threads) {
  nsim <- one_number(nsim, "nsim", 1, .Machine$integer.max, whole = TRUE)
  draws <- core(C_condens_laws_sample, laws, as.integer(nsim), seed, threads)
  n <- nrow(draws) / nsim
  one <- function(j) matrix(draws[, j], n, nsim, byrow = TRUE)
  if (length(names) == 1) return(one(1))
  if (!is.null(target)) return(one(target_number(object, target)))
  out <- vapply(seq_along(names), one, matrix(0, n, nsim))
  array(out, c(n, nsim, length(names)), list(NULL, NULL, names))
}

# Of what `value` says of the model and of each of its replicates.
bands_of <- function(object, value, fitted, type, level) {
  count <- object$about$n_replicates
  if (count == 0) refuse("bands = ", level, ": the fit has no replicates; fit it with bootstrap = 100")
  if (is.list(fitted) || type == "sample") refuse("bands: not of type = \"", type, "\", expected one of numbers")
  replicates <- vapply(seq_len(count), function(r) as.vector(value(core(C_condens_replicate, object$model, r))),
                       as.vector(fitted))
  ends <- core(C_condens_bands, as.vector(fitted), matrix(replicates, ncol = count), level)
  shaped <- function(values) {
    out <- fitted
    out[] <- values
    out
  }
  list(lower = shaped(ends[, 1]), upper = shaped(ends[, 2]))
}

#' How often intervals hold, slice by slice
#'
#' Of rows that the fit has not seen: the share inside the central interval (with a guarantee, where the fit has one),
#' of all rows and of slices by each input and by the width of the interval. A promise for all rows may be broken in
#' some of them.
#'
#' @param object A fit of [condens()].
#' @param newdata As in [predict.condens()], with the target.
#' @param level Probability of the interval.
#' @param weights Weights of the rows, or `NULL`.
#' @param threads As in [predict.condens()].
#' @return A data frame with a row for each slice: `input`, `part`, the number of `rows`, `coverage` with its
#'   `standard_error`, the mean `width`, and `z`, how far the coverage is below the level, in standard errors. The
#'   attribute `"coverage"` is that of all rows.
#' @examples
#' half <- seq(1, nrow(cars), 2)
#' condens_coverage(lscde(dist ~ speed, cars[half, ], seed = 1), cars[-half, ])
#' @export
condens_coverage <- function(object, newdata, level = 0.9, weights = NULL, threads = NULL) {
  check_fit(object)
  refuse_censored(object, "condens_coverage()")
  new <- columns_of_new(object, newdata, targets = TRUE)
  if (!all(new$complete)) refuse("newdata has missing values, the first in row ", which(!new$complete)[[1]])
  found <- core(C_condens_coverage_slices, object$model, new$columns, weights, share_in(level, "level"),
                threads_of(threads))
  number <- function(name) vapply(found$slices, function(slice) as.double(slice[[name]] %||% Inf), 0)
  text <- function(name) vapply(found$slices, `[[`, "", name)
  structure(data.frame(input = text("input"), part = text("part"), rows = number("rows"),
                       coverage = number("coverage"), standard_error = number("standard_error"),
                       width = number("width"), z = number("z")),
            coverage = found$coverage, level = level)
}

#' Scores of a fit on new data
#'
#' @param object A fit of [condens()].
#' @param newdata As in [predict.condens()], with the targets.
#' @param weights Weights of the rows, or `NULL`.
#' @param levels Probabilities of the intervals whose coverage is counted.
#' @param threads As in [predict.condens()].
#'
#' @return An object of class `"condens_score"`: `nll`, the mean negative log density, and `crps`, the continuous ranked
#'   probability score of each target, with their standard errors; `squared_loss`; `coverage` of central intervals and
#'   of regions of highest density; `pit`, the probability integral transform of every row, uniform when the
#'   distributions are right. Less is better for the first three. Of a response `Surv()`: `nll`, of what is known of
#'   each row, and Harrell's `concordance` of the medians. Sources: Gneiting and Raftery (2007); Sugiyama et al. (2010).
#' @examples
#' half <- seq(1, nrow(cars), 2)
#' fit <- lscde(dist ~ speed, cars[half, ], seed = 1)
#' condens_score(fit, cars[-half, ])
#' @export
condens_score <- function(object, newdata = NULL, weights = NULL, levels = c(0.5, 0.8, 0.9, 0.95), threads = NULL) {
  check_fit(object)
  new <- columns_of_new(object, newdata, targets = TRUE)
  if (!all(new$complete)) {
    refuse("newdata has ", sum(!new$complete), " row(s) with missing values, the first is ", which(!new$complete)[[1]],
           "; leave them out")
  }
  if (is.null(newdata)) weights <- weights %||% object$weights
  if (!is.null(new$limits)) {
    limits <- list(low = new$limits$low, high = new$limits$high, entry = new$limits$entry)
    out <- core(C_condens_score_censored, object$model, new$columns, limits, weights, threads_of(threads))
    return(structure(out, class = "condens_censored_score"))
  }
  out <- core(C_condens_score, object$model, new$columns, weights, list(levels = as.list(levels)), threads_of(threads))
  structure(out, class = "condens_score")
}

check_fit <- function(object) {
  if (!inherits(object, "condens")) refuse("object is of class ", class(object)[[1]], ", expected a fit of condens()")
}

#' @export
print.condens_censored_score <- function(x, digits = 4, ...) {
  cat("Scores by the likelihood of what is known, on ", x$rows, " rows\n", sep = "")
  for (name in setdiff(names(x), "rows")) {
    value <- x[[name]]
    error <- if (is.list(value)) value$standard_error
    if (is.list(value)) value <- value$value
    cat("  ", format(name, width = 14), format(value, digits = digits),
        if (!is.null(error)) paste(" +-", format(error, digits = 2)), "\n", sep = "")
  }
  invisible(x)
}

#' @export
print.condens_score <- function(x, digits = 4, ...) {
  pm <- function(score) paste(format(score$value, digits = digits), "+-", format(score$standard_error, digits = 2))
  cat("Scores on ", x$rows, " rows (less is better)\n", sep = "")
  cat("  negative log density  ", pm(x$nll), "\n", sep = "")
  targets <- x$targets
  for (target in targets) cat("  CRPS                  ", pm(target$crps), "\n", sep = "")
  if (!is.null(x$squared_loss)) cat("  squared loss          ", pm(x$squared_loss), "\n", sep = "")
  for (target in targets) {
    cat("Coverage of central intervals\n")
    for (own in target$coverage) {
      cat("  ", format(paste0(100 * own$level, " %"), width = 6), " ", pm(own$central), ", width ", pm(own$width), "\n",
          sep = "")
    }
  }
  invisible(x)
}
