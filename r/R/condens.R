#' Fit the distribution of y given x
#'
#' `condens()` fits any of the models of the package, by default `auto()`, which chooses among them by evidence. Each
#' model has a function of its own, with its options: [lscde()], [sacde()], [nw()], [gp()], [mdn()], [forest()],
#' [boost()], [gmm()] and the others that `condens_models()` lists.
#'
#' @param x,formula A formula such as `y ~ x1 + x2`, `cbind(y1, y2) ~ .` for several targets, or `y ~ 1` or `~ y1 + y2`
#'   for a density without inputs; or the inputs, a data frame, a numeric matrix or a vector, and `NULL` for none. In a
#'   formula factors, texts and logical variables are categories, ordered factors the numbers of their levels, dates
#'   are read off the calendar. Functions such as `log(x)` and interactions of numbers, or of factors, work; offsets do
#'   not, and an intercept means nothing. A response `Surv(time, status)` of the package survival is fitted to what is
#'   known of it, censored on either side, between limits, or with delayed entry.
#' @param data A data frame with the variables of the formula.
#' @param y Targets: a numeric vector, or a matrix or data frame of several, which are modelled jointly.
#' @param model Name of the model; see `condens_models()`.
#' @param ... Options of the model, such as `n_centers = 500`: its own page lists them. Further arguments of the methods
#'   where a function of a model is called.
#' @param weights Weights >= 0 of the rows, in any unit: where they add up to less than the number of rows they are
#'   shares of the rows, else weight 2 counts as two copies of the row. In a formula's method they are looked for in
#'   `data`.
#' @param subset Rows to use, looked for in `data`.
#' @param na.action What becomes of rows with missing values: `na.omit` (R's default), `na.exclude` or `na.fail`. With
#'   `missing` other than `"error"` it is for rows whose target is missing only.
#' @param options Options of the model as a list, beside those in `...`.
#' @param preset `"recommended"`, or `"paper"`: as the paper of the method does it.
#' @param seed Seed of everything random, a whole number >= 0. `NULL`: drawn from R's generator, so that [set.seed()]
#'   determines the fit.
#' @param target_kind What the target is: `"real"`, any number; `"positive"`; `"bounded:0,1"`; `"count"`; `"ordinal"`,
#'   a few values in order; `"with-atoms"`, where some values come again and again, as zero claims; `"auto"`: what it
#'   looks like.
#' @param missing What becomes of missing inputs, in the fit and in predictions: `"error"`: rows with them are left to
#'   `na.action`; `"model"`: predictions average over what may be there; `"indicator"`: marked by inputs of their own.
#' @param many_levels What a category of more than 20 levels becomes: `"statistics"` of the target, or `"indicators"`.
#' @param rare_levels Levels of fewer rows become one, "(other)". `NULL`: of fewer than 5, in inputs of more than 10
#'   levels.
#' @param unseen What becomes of a level that the fit did not see: `"automatic"`, `"error"` or `"other"`.
#' @param conformal Whether `predict()` of types `"interval"` and `"hdr"` is to hold y with its probability, whatever
#'   the model: `TRUE` leaves a quarter of the rows out of the fit, `list(share = 0.2)` another share; `list(method =
#'   "cv+", folds = 10)` leaves none out and fits as many models more, `"jackknife+"` one more for each row (Barber et
#'   al. 2021); `groups = "city"` keeps the promise within each level of an input.
#' @param calibrate Whether to calibrate the distributions themselves by rows that are left out: `TRUE` for a quarter of
#'   them, or `list(share = 0.2)` (Kuleshov, Fenner and Ermon 2018).
#' @param bootstrap Number of replicates fitted to rows drawn with replacement, say 100, for error bars: see the
#'   argument `bands` of [predict.condens()]. 0 for none. `list(replicates = 100, method = "delta")` makes them by first
#'   derivatives at the fit, where the model has them ([lscde()]), in no more time than the fit.
#' @param keep_data Whether to keep the columns of the fit, which `fitted()`, `residuals()`, plots and predictions
#'   without `newdata` need.
#' @param threads Number of threads, 0 for all cores; `NULL`: the option `condens.threads`, else all. The result is the
#'   same to the last bit.
#' @param progress Whether to show how far the fit is; by default in interactive sessions.
#' @param call The call to keep, for functions that call this one.
#'
#' @return An object of class `"condens"`. Its methods: [predict()][predict.condens], `print`, `summary`, `fitted`,
#'   `residuals`, `simulate`, `logLik`, `quantile`, `median`, `coef`, `formula`, `update`, `nobs`, `plot`,
#'   [autoplot()][autoplot.condens], `tidy`, `glance` and `augment`. It holds the model as the bytes of a model file:
#'   [saveRDS()] keeps it whole, and [condens_write()] writes it for the command line and for Python.
#'
#' @section Errors: Conditions of class `condens_error`, with the call. Ctrl-C ends a fit within a tenth of a second.
#'
#' @examples
#' fit <- condens(dist ~ speed, cars, model = "lscde", seed = 1)
#' fit
#' predict(fit, data.frame(speed = c(8, 16)), type = "quantile")
#' @export
condens <- function(x, ...) {
  # Named, the formula may come after the data, as in other functions of R.
  if (missing(x) && !is.null(match.call()[["formula"]])) {
    UseMethod("condens", eval(match.call()[["formula"]], parent.frame()))
  }
  UseMethod("condens")
}

#' @rdname condens
#' @export
condens.formula <- function(formula, data = NULL, model = "auto", ..., weights, subset,
                            na.action = getOption("na.action"), options = list(), preset = "", seed = NULL,
                            target_kind = "real",
                            missing = "error", many_levels = "statistics", rare_levels = NULL, unseen = "automatic",
                            conformal = FALSE, calibrate = FALSE, bootstrap = 0, keep_data = TRUE, threads = NULL,
                            progress = interactive(), call = NULL) {
  environment <- environment(formula)
  rows <- if (missing(subset)) NULL else chosen_rows(eval(substitute(subset), data, environment), data)
  design <- design_of_formula(formula, data, rows)
  given <- if (missing(weights)) NULL else eval(substitute(weights), data, environment)
  if (!is.null(given) && !is.null(rows)) given <- given[rows]
  fit_design(design, model, given, na.action, c(options, list(...)), shared(environment()),
             call %||% own_call(sys.call()))
}

#' @rdname condens
#' @export
condens.default <- function(x, y, model = "auto", ..., weights = NULL, na.action = getOption("na.action"),
                            options = list(), preset = "", seed = NULL, target_kind = "real",
                            missing = "error", many_levels = "statistics", rare_levels = NULL, unseen = "automatic",
                            conformal = FALSE, calibrate = FALSE, bootstrap = 0, keep_data = TRUE, threads = NULL,
                            progress = interactive(), call = NULL) {
  if (missing(y)) {
    refuse("y is missing, expected the targets of x; for a density without inputs give x = NULL and y, or a formula ",
           "such as ~ y")
  }
  fit_design(design_of_data(x, y), model, weights, na.action, c(options, list(...)), shared(environment()),
             call %||% own_call(sys.call()))
}

#' @rdname condens
#' @export
condens.recipe <- function(x, data, model = "auto", ..., weights = NULL, na.action = getOption("na.action"),
                           options = list(), preset = "", seed = NULL, target_kind = "real",
                           missing = "error", many_levels = "statistics", rare_levels = NULL, unseen = "automatic",
                           conformal = FALSE, calibrate = FALSE, bootstrap = 0, keep_data = TRUE, threads = NULL,
                           progress = interactive(), call = NULL) {
  if (!requireNamespace("hardhat", quietly = TRUE)) refuse("a recipe needs the package hardhat; install it")
  molded <- hardhat::mold(x, data)
  fit <- fit_design(design_of_data(molded$predictors, molded$outcomes), model, weights, na.action,
                    c(options, list(...)), shared(environment()), call %||% own_call(sys.call()))
  fit$blueprint <- molded$blueprint
  fit
}

own_call <- function(call) {
  call[[1]] <- quote(condens)
  call
}

chosen_rows <- function(subset, data) {
  if (is.logical(subset)) return(which(subset))
  if (!is.numeric(subset)) refuse("subset is of type ", typeof(subset), ", expected TRUE and FALSE, or row numbers")
  subset
}

# Called by the function of every model. `given` are the options that the user named.
fit_model <- function(name, call, given, x, ...) {
  given <- given[!vapply(given, is.null, NA)]
  if (missing(x)) condens(..., model = name, options = given, call = call)
  else condens(x, ..., model = name, options = given, call = call)
}

# The arguments that all fits share, of a method.
shared <- function(frame) {
  mget(c("preset", "seed", "target_kind", "missing", "many_levels", "rare_levels", "unseen", "conformal", "calibrate",
         "bootstrap", "keep_data", "threads", "progress"), envir = frame)
}

share_in <- function(value, argument) one_number(value, argument, 0, 1, open = TRUE)

# What `conformal` asks of a fit: list(share =, method =, folds =, groups =).
conformal_settings <- function(conformal) {
  out <- list(share = 0, method = "split", folds = 10L, groups = NULL)
  if (is.logical(conformal) && length(conformal) == 1 && !is.na(conformal)) {
    if (conformal) out$share <- 0.25
    return(out)
  }
  known <- c("share", "method", "folds", "groups")
  if (!is.list(conformal) || is.null(names(conformal)) || !all(names(conformal) %in% known)) {
    refuse("conformal = ", deparse1(conformal), ", expected TRUE, FALSE or a list of some of ",
           paste(known, collapse = ", "), ", such as list(share = 0.2) or ",
           "list(method = \"cv+\", folds = 10, groups = \"city\")")
  }
  out$method <- one_of(conformal$method, c("split", "cv+", "jackknife+"), "conformal: method")
  if (!is.null(conformal$folds) && out$method != "cv+") {
    refuse("conformal: folds = ", conformal$folds, " with method = \"", out$method, "\", expected method = \"cv+\"")
  }
  if (!is.null(conformal$share) && out$method != "split") {
    refuse("conformal: share = ", conformal$share, " with method = \"", out$method, "\", which leaves no rows out")
  }
  if (out$method == "split") out$share <- share_in(conformal$share %||% 0.25, "conformal: share")
  out$folds <- as.integer(one_number(conformal$folds %||% 10L, "conformal: folds", 2, 1e6, whole = TRUE))
  if (!is.null(conformal$groups)) out$groups <- one_text(conformal$groups, "conformal: groups")
  out
}

calibrate_share <- function(calibrate) {
  if (is.logical(calibrate) && length(calibrate) == 1 && !is.na(calibrate)) return(if (calibrate) 0.25 else 0)
  if (!is.list(calibrate) || !identical(names(calibrate), "share")) {
    refuse("calibrate = ", deparse1(calibrate), ", expected TRUE, FALSE or list(share = 0.25)")
  }
  share_in(calibrate$share, "calibrate: share")
}

# The one fit: `design` as design_of_formula() gives it, `request` as shared() does.
fit_design <- function(design, model, weights, na.action, options, request, call) {
  if (length(options) && (is.null(names(options)) || !all(nzchar(names(options))))) {
    refuse("an argument has no name, expected options as name = value after the data")
  }
  columns <- c(design$inputs$columns, design$targets$columns)
  needed <- if (identical(request$missing, "error")) columns else design$targets$columns
  gaps <- has_gap(needed, design$n)
  if (!is.null(weights)) {
    if (!is.numeric(weights) || length(weights) != design$n) {
      refuse("weights has ", length(weights), " values for ", design$n, " rows, expected a number >= 0 for each")
    }
    gaps <- gaps | is.na(weights)
  }
  kept <- kept_rows(gaps, needed, na.action %||% stats::na.fail)
  if (length(kept$rows) < design$n) {
    columns <- lapply(columns, `[`, kept$rows)
    weights <- weights[kept$rows]
  }
  limits <- limits_at(design$limits, kept$rows)
  guarantee <- conformal_settings(request$conformal)
  replicates <- replicate_settings(request$bootstrap)
  seed <- seed_of(request$seed)
  fitted <- core(C_condens_fit, list(
    model = one_text(model, "model"), preset = one_text(request$preset, "preset"),
    options = c(options, seed = seed), columns = columns, inputs = names(design$inputs$columns) %||% character(),
    targets = names(design$targets$columns), categorical = as.character(design$inputs$categorical),
    missing = one_text(request$missing, "missing"), many_levels = one_text(request$many_levels, "many_levels"),
    rare_levels = if (!is.null(request$rare_levels)) as.integer(one_number(request$rare_levels, "rare_levels", 0)),
    unseen = one_text(request$unseen, "unseen"), weights = weights, seed = seed,
    target_kind = one_text(request$target_kind, "target_kind"), conformal_share = guarantee$share,
    conformal_method = guarantee$method, conformal_folds = guarantee$folds, conformal_groups = guarantee$groups,
    calibrate_share = calibrate_share(request$calibrate),
    low = limits$low, high = limits$high, entry = limits$entry,
    bootstrap = replicates$count, bootstrap_method = replicates$method,
    threads = threads_of(request$threads),
    progress = one_truth(request$progress, "progress")
  ))
  out <- new_condens(fitted, call)
  out$terms <- design$terms
  out$ordered <- c(design$inputs$ordered, design$targets$ordered)
  out$na.action <- kept$action
  out$n <- length(kept$rows)
  out$weights <- weights
  if (length(limits)) out$limits <- limits
  if (one_truth(request$keep_data, "keep_data")) out$data <- columns
  for (text in c(out$about$warnings, if (out$about$report$status != "ok") out$about$report$status)) {
    warning(text, call. = FALSE)
  }
  out
}

replicate_settings <- function(bootstrap) {
  own <- if (is.list(bootstrap)) bootstrap else list(replicates = bootstrap)
  if (is.null(names(own)) || !all(names(own) %in% c("replicates", "method"))) {
    refuse("bootstrap = ", deparse1(bootstrap), ", expected a number or a list of `replicates` and `method`")
  }
  list(count = as.integer(one_number(own$replicates %||% 100, "bootstrap", 0, 1e6, whole = TRUE)),
       method = one_text(own$method %||% "refit", "bootstrap: method"))
}

one_text <- function(value, argument) {
  if (!is.character(value) || length(value) != 1 || is.na(value)) {
    refuse(argument, " = ", deparse1(value), ", expected a text")
  }
  value
}

# `model`: the raw vector of the core. `about`: what the core says of it.
new_condens <- function(model, call) {
  about <- core(C_condens_describe, model)
  structure(list(model = model, about = about, call = call),
            class = c(paste0("condens_", about$model), "condens"))
}

#' Models of the package
#'
#' @return `condens_models()`: a data frame with a row for each model: the name of its function, what it is, and its
#'   source. `condens_options()`: a data frame of a model's options, with types, bounds, defaults and meanings.
#' @examples
#' condens_models()[, c("model", "title")]
#' condens_options("nw")[, c("option", "default")]
#' @export
condens_models <- function() {
  models <- registry()
  data.frame(model = names(models), title = vapply(models, `[[`, "", "title"),
             source = vapply(models, `[[`, "", "source"), row.names = NULL)
}

#' @rdname condens_models
#' @param model Name of a model.
#' @param preset Of which the defaults are: `"recommended"` or `"paper"`.
#' @export
condens_options <- function(model, preset = "recommended") {
  info <- registry()[[one_of(model, names(registry()), "model")]]
  preset <- one_of(preset, unlist(info$presets), "preset")
  data.frame(option = vapply(info$options, `[[`, "", "name"), type = vapply(info$options, `[[`, "", "type"),
             range = vapply(info$options, range_text, ""),
             default = vapply(info$options, function(option) value_text(option$defaults[[preset]]), ""),
             text = vapply(info$options, `[[`, "", "text"), row.names = NULL)
}

# "(0, Inf)", "a or b".
range_text <- function(option) {
  if (length(option$choices)) return(paste(unlist(option$choices), collapse = " or "))
  bounds <- option$bounds
  low <- bounds$low %||% -Inf
  high <- bounds$high %||% Inf
  if (!is.finite(low) && !is.finite(high)) return("")
  paste0(if (isTRUE(bounds$low_open) || !is.finite(low)) "(" else "[", low, ", ", high,
         if (isTRUE(bounds$high_open) || !is.finite(high)) ")" else "]")
}

value_text <- function(value) {
  if (is.null(value) || !length(value)) return("none")
  if (is.list(value) && identical(sort(names(value)), c("shape", "values"))) return("none")
  if (is.list(value)) return("those of the model inside")
  if (is.logical(value)) return(paste(value, collapse = ", "))
  text <- if (is.numeric(value)) format(value, digits = 4, trim = TRUE) else paste0("\"", value, "\"")
  if (is.numeric(value)) text <- vapply(value, format, "", digits = 4)
  paste(text, collapse = ", ")
}
