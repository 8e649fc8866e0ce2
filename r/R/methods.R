# The methods that users of R expect of a fit.

brief <- function(x, digits = 4) format(x, digits = digits, trim = TRUE)

#' @export
print.condens <- function(x, ...) {
  info <- registry()[[x$about$model]]
  cat(info$title, "\n", sep = "")
  if (!is.null(x$call)) {
    cat("\nCall: ", paste(deparse(x$call, width.cutoff = 80), collapse = "\n      "), "\n", sep = "")
  }
  inputs <- unlist(x$about$inputs$names)
  targets <- paste(unlist(x$about$targets$names), collapse = ", ")
  cat("\n", targets, if (length(inputs)) paste0(" given ", shortened(inputs)) else ", without inputs", sep = "")
  if (!is.null(x$n)) cat(", ", x$n, " rows", sep = "")
  if (length(x$na.action)) cat(" (", length(x$na.action), " left out, with missing values)", sep = "")
  cat("\n")
  if (x$about$kind != "real") cat("Kind of target: ", x$about$kind, "\n", sep = "")
  score <- score_text(x$about$report)
  if (nzchar(score)) cat(score, "\n", sep = "")
  invisible(x)
}

shortened <- function(names, most = 8) {
  if (length(names) <= most) return(paste(names, collapse = ", "))
  paste0(paste(names[seq_len(most)], collapse = ", "), " and ", length(names) - most, " others")
}

score_text <- function(report) {
  score <- report$details[["score"]]
  if (is.null(score)) return("")
  paste0("Cross-validated score: ", brief(score), " +- ", brief(report$details[["score_standard_error"]], 2),
         " (standardised scale, less is better)")
}

# The options that the fit chose, as single values.
chosen_options <- function(object) {
  names <- vapply(registry()[[object$about$model]]$options, `[[`, "", "name")
  found <- object$about$report$details
  found <- found[intersect(names(found), names)]
  found[vapply(found, function(value) is.atomic(value) && length(value) == 1, NA)]
}

gain_text <- function(report) {
  gain <- report$details$gain_of_inputs$held_out
  if (is.null(gain)) return("")
  paste0("The inputs are worth ", brief(gain$mean), " +- ", brief(gain$standard_error, 2), " nats a row, on ",
         gain$n_rows, " rows left out")
}

#' @export
summary.condens <- function(object, ...) {
  out <- list(fit = object, chosen = chosen_options(object), gain = gain_text(object$about$report),
              relevance = tidy.condens(object))
  structure(out, class = "summary.condens")
}

#' @export
print.summary.condens <- function(x, ...) {
  print(x$fit)
  if (nzchar(x$gain)) cat(x$gain, "\n", sep = "")
  if (length(x$chosen)) {
    cat("\nChosen: ", paste(names(x$chosen), vapply(x$chosen, brief, ""), collapse = ", "), "\n", sep = "")
  }
  about <- x$fit$about
  if (about$n_calibration > 0) {
    cat("Intervals with a guarantee, by ", about$n_calibration, " rows",
        if (about$n_left_out > 0) " left out of the fit" else ", each scored by a model without it", "\n", sep = "")
  }
  if (about$n_replicates > 0) cat("Bootstrap replicates: ", about$n_replicates, "\n", sep = "")
  for (note in about$notes) cat("Note: ", note, "\n", sep = "")
  if (nrow(x$relevance) && ncol(x$relevance) > 1) {
    cat("\nInputs:\n")
    print(as.data.frame(x$relevance), row.names = FALSE, digits = 3)
  }
  for (text in about$warnings) cat("Warning: ", text, "\n", sep = "")
  invisible(x)
}

#' @importFrom stats fitted
#' @export
fitted.condens <- function(object, ...) with_omitted(object, predict.condens(object, ...))

# Rows left out by na.exclude come back as NA.
with_omitted <- function(object, values) {
  if (inherits(object$na.action, "exclude")) stats::naresid(object$na.action, values) else values
}

#' @importFrom stats residuals
#' @export
residuals.condens <- function(object, type = c("quantile", "pit", "response"), ...) {
  type <- one_of(if (missing(type)) NULL else type, c("quantile", "pit", "response"), "type")
  refuse_censored(object, "residuals()")
  if (type == "response") {
    targets <- unlist(object$about$targets$names)
    new <- columns_of_new(object, NULL, targets = TRUE)
    mean <- predict.condens(object)
    y <- do.call(cbind, new$columns[targets])
    return(with_omitted(object, if (is.matrix(mean)) y - mean else y[, 1] - mean))
  }
  pit <- condens_score(object)$pit
  pit <- if (length(pit) == 1) pit[[1]] else do.call(cbind, stats::setNames(pit, unlist(object$about$targets$names)))
  with_omitted(object, if (type == "pit") pit else stats::qnorm(pit))
}

#' Log-likelihood of the rows of the fit
#'
#' @param object A fit of [condens()].
#' @param ... Not used.
#' @return An object of class `logLik`. Its degrees of freedom are `NA`: most of these models have no number of them, so
#'   that `AIC()` has no value. Compare models by [condens_compare()].
#' @importFrom stats logLik
#' @export
logLik.condens <- function(object, ...) {
  if (!is.null(object$limits)) {
    value <- -condens_score(object)$nll$value * sum(object$weights %||% object$n)
    return(structure(value, df = NA_real_, nobs = object$n, class = "logLik"))
  }
  rows <- predict.condens(object, type = "density", log = TRUE)
  weights <- object$weights %||% rep(1, length(rows))
  structure(sum(weights * rows), df = NA_real_, nobs = object$n, class = "logLik")
}

#' @importFrom stats nobs
#' @export
nobs.condens <- function(object, ...) object$n %||% NA_integer_

#' @importFrom stats formula
#' @export
formula.condens <- function(x, ...) {
  if (is.null(x$terms)) refuse("the fit has no formula: it was given x and y, or read from a file")
  stats::formula(x$terms)
}

#' @importFrom stats terms
#' @export
terms.condens <- function(x, ...) x$terms

#' @importFrom stats simulate
#' @export
simulate.condens <- function(object, nsim = 1, seed = NULL, newdata = NULL, ...) {
  if (!exists(".Random.seed", envir = globalenv(), inherits = FALSE)) stats::runif(1)
  if (is.null(seed)) {
    state <- get(".Random.seed", envir = globalenv())
  } else {
    before <- get(".Random.seed", envir = globalenv())
    set.seed(seed)
    state <- structure(seed, kind = as.list(RNGkind()))
    on.exit(assign(".Random.seed", before, envir = globalenv()))
  }
  draws <- predict.condens(object, newdata, type = "sample", nsim = nsim)
  if (length(dim(draws)) == 3) {
    out <- lapply(seq_len(nsim), function(k) draws[, k, ])
    out <- stats::setNames(out, paste0("sim_", seq_len(nsim)))
    return(structure(out, seed = state))
  }
  colnames(draws) <- paste0("sim_", seq_len(nsim))
  structure(as.data.frame(draws), seed = state)
}

#' @export
quantile.condens <- function(x, probs = seq(0, 1, 0.25), newdata = NULL, ...) {
  predict.condens(x, newdata, type = "quantile", probs = probs, ...)
}

#' @export
median.condens <- function(x, na.rm = FALSE, newdata = NULL, ...) {
  predict.condens(x, newdata, type = "median", ...)
}

#' @importFrom stats update
#' @export
update.condens <- function(object, formula., ..., evaluate = TRUE) {
  call <- object$call
  if (is.null(call)) refuse("the fit has no call: it was read from a file")
  if (!missing(formula.)) {
    place <- match(c("formula", "x"), names(call))
    place <- c(place[!is.na(place)], 2)[[1]]
    call[[place]] <- stats::update.formula(formula.condens(object), formula.)
  }
  extras <- match.call(expand.dots = FALSE)$...
  for (name in names(extras)) call[[name]] <- extras[[name]]
  if (evaluate) eval(call, parent.frame()) else call
}

#' Numbers that a fit found
#'
#' @param object A fit of [condens()].
#' @return `condens_results()`: a named list of what the model found, as its page lists it under Value. `coef()`: the
#'   coefficients of models that have some, such as a linear [press()].
#' @examples
#' fit <- lscde(dist ~ speed, cars, seed = 1)
#' names(condens_results(fit))
#' @export
condens_results <- function(object) {
  check_fit(object)
  core(C_condens_results, object$model)
}

#' @importFrom stats coef
#' @export
coef.condens <- function(object, ...) {
  results <- condens_results(object)
  out <- results[["coefficients"]]
  if (is.null(out) || !length(out)) {
    refuse("a fit of ", object$about$model, " has no coefficients of inputs; condens_results() lists what it found")
  }
  out
}

# --- broom -----------------------------------------------------------------------------------------

as_tibble_if_any <- function(frame) {
  if (requireNamespace("tibble", quietly = TRUE)) tibble::as_tibble(frame) else frame
}

# Numbers of the core's inputs as numbers of the columns: those of a category's levels together.
by_input <- function(object, values, combine = sum) {
  columns <- factor(object$about$inputs_of_rows, seq_along(unlist(object$about$inputs$names)))
  as.vector(tapply(values, columns, combine))
}

#' Fits as data frames
#'
#' @param x A fit of [condens()].
#' @param data A data frame, by default the data of the fit.
#' @param level Probability of the interval.
#' @param ... Not used.
#' @return `tidy()`: a row for each input, with what the model knows of it: `selected`, `importance`. `glance()`: one
#'   row with the model, the number of rows and the score of its choice. `augment()`: the data with `.fitted`, the mean,
#'   `.lower` and `.upper`, the ends of an interval, `.log_density`, and `.pit`.
#' @importFrom generics tidy
#' @name tidiers
#' @examples
#' glance(lscde(dist ~ speed, cars, seed = 1))
#' @export
tidy.condens <- function(x, ...) {
  inputs <- unlist(x$about$inputs$names)
  out <- data.frame(term = as.character(inputs))
  results <- condens_results(x)
  n <- length(x$about$inputs_of_rows)
  if (n > 0 && length(results[["support"]]) == n) out$selected <- by_input(x, results[["support"]], max) > 0
  if (n > 0 && length(results[["feature_importances"]]) == n) {
    out$importance <- by_input(x, results[["feature_importances"]])
  }
  if (n > 0 && length(results[["stability"]]) == n) out$stability <- by_input(x, results[["stability"]], max)
  as_tibble_if_any(out)
}

#' @rdname tidiers
#' @importFrom generics glance
#' @export
glance.condens <- function(x, ...) {
  report <- x$about$report
  number <- function(value) if (is.null(value)) NA_real_ else as.double(value)
  found <- report$details
  as_tibble_if_any(data.frame(
    model = x$about$model, target_kind = x$about$kind, nobs = x$n %||% NA_integer_,
    n_inputs = length(unlist(x$about$inputs$names)), cv_score = number(found[["score"]]),
    cv_standard_error = number(found[["score_standard_error"]]), status = report$status
  ))
}

#' @rdname tidiers
#' @importFrom generics augment
#' @export
augment.condens <- function(x, data = NULL, level = 0.9, ...) {
  if (length(unlist(x$about$targets$names)) > 1) refuse("augment() is for fits of one target")
  frame <- data
  if (is.null(frame)) frame <- data.frame(x$data, check.names = FALSE)
  frame$.fitted <- predict.condens(x, data)
  interval <- predict.condens(x, data, type = "interval", level = level)
  frame$.lower <- interval[, 1]
  frame$.upper <- interval[, 2]
  known <- is.null(data) || all(unlist(x$about$targets$names) %in% names(data)) ||
    (!is.null(x$terms) && all(all.vars(x$terms) %in% names(data)))
  if (known) {
    frame$.log_density <- predict.condens(x, data, type = "density", log = TRUE)
    frame$.pit <- predict.condens(x, data, type = "cdf")
  }
  as_tibble_if_any(frame)
}

#' @export
generics::tidy
#' @export
generics::glance
#' @export
generics::augment
