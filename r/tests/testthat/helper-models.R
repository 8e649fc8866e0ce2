# Every model under each of its presets, on small data, with options that shorten long procedures.

library(condens)

`%||%` <- condens:::`%||%`

option_names <- function(info) vapply(info$options, `[[`, "", "name")

# By the name of an option: no promise hangs on them. Lists of candidates keep their two middle ones.
quick_options <- function(info, preset) {
  shorter <- list(cv = 2, max_centers = 60, random_starts = 2, max_steps = 10, n_starts = 2, n_trees = 20,
                  n_rounds = 40, max_iterations = 40, population = 8, generations = 2, search_iterations = 30,
                  budget = 0.02)
  out <- shorter[names(shorter) %in% option_names(info)]
  for (option in info$options) {
    candidates <- option$defaults[[preset]]
    if (option$type == "numbers" && length(candidates) > 2) {
      out[[option$name]] <- candidates[ceiling(length(candidates) / 2) + 0:1]
    }
  }
  out
}

# Two branches over the first input, the spread growing with it.
sample_data <- function(n, seed) {
  set.seed(seed)
  a <- rnorm(n)
  b <- rnorm(n)
  branch <- sample(c(-1, 1), n, replace = TRUE)
  data.frame(y = branch + 0.5 * a + 0.3 * exp(0.3 * a) * rnorm(n), a = a, b = b)
}

is_density <- function(info) "is_density" %in% info$capabilities

fit_case <- function(info, preset, data = sample_data(60, 1), ...) {
  formula <- if (is_density(info)) y ~ 1 else y ~ a + b
  suppressWarnings(condens(formula, data, info$name, preset = preset, seed = 1, options = quick_options(info, preset),
                           ...))
}

# test(info, preset, fit) for every model and preset, each a test of its own with the name of both in it. Fits are
# made once.
fits <- new.env()
for_every_model <- function(promise, test) {
  for (info in condens:::registry()) {
    for (preset in unlist(info$presets)) {
      test_that(paste0(promise, ": ", info$name, " (", preset, ")"), {
        key <- paste(info$name, preset)
        if (is.null(fits[[key]])) assign(key, fit_case(info, preset), fits)
        test(info, preset, fits[[key]])
      })
    }
  }
}

# Everything that is predicted, for comparisons to the bit.
all_predictions <- function(fit, newdata) {
  of_type <- function(...) predict(fit, newdata, ...)
  list(mean = of_type(), median = of_type("median"), mode = of_type("mode"), sd = of_type("sd"),
       quantile = of_type("quantile"), interval = of_type("interval"), density = of_type("density"),
       cdf = of_type("cdf"), hdr = of_type("hdr"), sample = of_type("sample", nsim = 3, seed = 9))
}
