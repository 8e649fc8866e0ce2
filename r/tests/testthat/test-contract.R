# What every model of the registry promises under each preset. A new model passes by being registered.

one_row <- data.frame(a = 0.7, b = -0.2)

for_every_model("densities integrate to one and quantiles invert the cdf", function(info, preset, fit) {
  ends <- predict(fit, one_row, "quantile", probs = c(1e-9, 1 - 1e-9)) + c(-1, 1)
  y <- seq(ends[[1]], ends[[2]], length.out = 20001)
  density <- predict(fit, one_row, "density", at = y)
  # The trapezoidal rule is exact here but for rounding: the step is far below every width. 2e-9 lies outside.
  expect_equal(sum(density) * (y[[2]] - y[[1]]), 1, tolerance = 1e-8)
  p <- c(1e-12, 0.01, 0.3, 0.5, 0.9, 0.9999)
  again <- predict(fit, one_row, "cdf", at = predict(fit, one_row, "quantile", probs = p)[1, ])[1, ]
  expect_true(all(abs(again - p) <= 1e-11 * p + 1e-15))
})

for_every_model("samples agree with the moments", function(info, preset, fit) {
  n <- 20000
  draws <- predict(fit, one_row, "sample", nsim = n, seed = 3)
  mean <- predict(fit, one_row)
  variance <- predict(fit, one_row, "variance")
  # Five standard errors, which by chance are passed once in 1.7 million draws; the seed is fixed.
  expect_lt(abs(mean(draws) - mean), 5 * sqrt(variance / n))
  fourth <- mean((draws - mean)^4)
  expect_lt(abs(mean((draws - mean)^2) - variance), 5 * sqrt((fourth - variance^2) / n))
})

for_every_model("a file, saveRDS() and serialize() keep every bit", function(info, preset, fit) {
  new <- sample_data(5, 2)
  expected <- all_predictions(fit, new)
  for (ending in c(".json", ".cbor")) {
    file <- tempfile(fileext = ending)
    condens_write(fit, file)
    again <- condens_read(file)
    expect_identical(all_predictions(again, new), expected)
    expect_identical(as.vector(again$model), as.vector(fit$model))
    unlink(file)
  }
  file <- tempfile(fileext = ".rds")
  saveRDS(fit, file)
  expect_identical(all_predictions(readRDS(file), new), expected)
  unlink(file)
  expect_identical(all_predictions(unserialize(serialize(fit, NULL)), new), expected)
})

for_every_model("threads do not change one bit", function(info, preset, fit) {
  new <- sample_data(300, 2)
  reference <- fit_case(info, preset, threads = 1)
  expected <- predict(reference, new, "density", log = TRUE, threads = 1)
  for (threads in c(2, 7)) {
    expect_identical(as.vector(fit_case(info, preset, threads = threads)$model), as.vector(reference$model))
    expect_identical(predict(reference, new, "density", log = TRUE, threads = threads), expected)
  }
})

for_every_model("far away all is finite", function(info, preset, fit) {
  far <- data.frame(a = c(1e3, -1e6, 1e100), b = c(-1e100, 1e3, 0))
  expect_true(all(is.finite(predict(fit, far))))
  expect_true(all(is.finite(predict(fit, far, "quantile"))))
  expect_true(all(is.finite(predict(fit, far, "density", at = 0.3, log = TRUE))))
})

for_every_model("shift and scale of the data move the distribution along", function(info, preset, fit) {
  data <- sample_data(60, 1)
  new <- sample_data(20, 2)
  move <- function(frame) data.frame(y = frame$y * 4096 + 512, a = frame$a * 1024 + 64, b = frame$b / 256 - 2)
  moved <- fit_case(info, preset, move(data))
  # Powers of two keep the standardised data but for rounding of the shifted mean.
  expect_lt(max(abs(predict(moved, move(new), "density", log = TRUE) + log(4096) -
                      predict(fit, new, "density", log = TRUE))), 1e-7)
  expect_lt(max(abs((predict(moved, move(new), "quantile") - 512) / 4096 - predict(fit, new, "quantile"))), 1e-7)
})

for_every_model("the results are those that the registry lists, of its shapes", function(info, preset, fit) {
  results <- condens_results(fit)
  expect_identical(names(results) %||% character(), vapply(info$results, `[[`, "", "name"))
  expect_gt(length(info$results), 0)
  sizes <- c(n_inputs = fit$about$n_inputs, n_targets = fit$about$n_targets)
  for (result in info$results) {
    value <- results[[result$name]]
    axes <- trimws(strsplit(gsub("[()]", "", result$shape %||% ""), ",")[[1]])
    axes <- axes[nzchar(axes)]
    if (length(axes) == 0 || length(value) == 0) next
    own <- dim(value) %||% length(value)
    expect_length(own, length(axes))
    for (k in seq_along(axes)) {
      # An axis of one name has one length in all results of a fit.
      if (is.na(sizes[axes[[k]]]) && grepl("^n_[a-z_]+$", axes[[k]])) sizes[[axes[[k]]]] <- own[[k]]
      if (!is.na(sizes[axes[[k]]])) expect_identical(as.numeric(own[[k]]), as.numeric(sizes[[axes[[k]]]]))
    }
  }
})

for_every_model("every method works", function(info, preset, fit) {
  n <- 60L
  data <- sample_data(n, 1)
  inputs <- if (is_density(info)) character() else c("a", "b")
  expect_s3_class(fit, c(paste0("condens_", info$name), "condens"), exact = TRUE)
  expect_output(print(fit), if (is_density(info)) "y, without inputs, 60 rows" else "y given a, b, 60 rows",
                fixed = TRUE)
  expect_output(print(summary(fit)), info$title, fixed = TRUE)
  expect_identical(nobs(fit), n)
  expect_equal(formula(fit), if (is_density(info)) y ~ 1 else y ~ a + b, ignore_formula_env = TRUE)

  expect_identical(fitted(fit), predict(fit, data))
  expect_identical(predict(fit), predict(fit, data))
  expect_equal(residuals(fit, "response"), data$y - fitted(fit))
  pit <- residuals(fit, "pit")
  # predict() has the cdf of the distributions; the score takes it from the model, which rounds in another order.
  expect_equal(pit, predict(fit, data, "cdf"), tolerance = 1e-10)
  expect_equal(residuals(fit), qnorm(pit))
  likelihood <- logLik(fit)
  expect_equal(as.numeric(likelihood), sum(predict(fit, type = "density", log = TRUE)))
  expect_identical(attr(likelihood, "nobs"), n)

  expect_equal(predict(fit, type = "sd")^2, predict(fit, type = "variance"))
  expect_identical(median(fit), predict(fit, type = "median"))
  expect_equal(median(fit), unname(quantile(fit, 0.5)[, 1]))
  expect_identical(colnames(quantile(fit, c(0.025, 0.5))), c("2.5%", "50%"))
  interval <- predict(fit, type = "interval", level = 0.8)
  expect_equal(unname(interval), unname(quantile(fit, c(0.1, 0.9))))
  region <- predict(fit, type = "hdr", level = 0.8)
  expect_length(region, n)
  for (i in c(1, n)) {
    laws <- predict(fit, data[i, ], "distribution")
    mass <- sum(cdf(laws, region[[i]][, "upper"])[[1]] - cdf(laws, region[[i]][, "lower"])[[1]])
    expect_equal(mass, 0.8, tolerance = 1e-6)
  }
  mode <- predict(fit, type = "mode")
  at_mode <- diag(predict(fit, type = "density", at = mode))
  expect_true(all(at_mode >= predict(fit, type = "density") * (1 - 1e-6)))
  expect_s3_class(predict(fit, type = "distribution"), "distribution")

  draws <- simulate(fit, nsim = 2, seed = 4)
  expect_identical(dim(draws), c(60L, 2L))
  expect_identical(draws, simulate(fit, nsim = 2, seed = 4))
  expect_true(is.finite(condens_score(fit)$nll$value))
  expect_output(print(condens_score(fit)), "negative log density")

  own <- suppressWarnings(condens(formula(fit), data, info$name, preset = preset, seed = 1,
                                  options = quick_options(info, preset)))
  expect_identical(as.vector(suppressWarnings(update(own, threads = 1))$model), as.vector(fit$model))

  expect_identical(as.character(tidy(fit)$term), inputs)
  line <- glance(fit)
  expect_identical(nrow(line), 1L)
  expect_identical(line$model, info$name)
  expect_identical(line$nobs, n)
  full <- augment(fit)
  expect_identical(full$.fitted, fitted(fit))
  expect_true(all(full$.lower < full$.upper))
  expect_identical(full$.log_density, predict(fit, type = "density", log = TRUE))
  expect_identical(names(augment(fit, data[1:3, ])), c("y", "a", "b", ".fitted", ".lower", ".upper",
                                                   ".log_density", ".pit"))

  if (length(condens_results(fit)$coefficients)) {
    expect_identical(coef(fit), condens_results(fit)$coefficients)
  } else {
    expect_error(coef(fit), "has no coefficients of inputs", class = "condens_error")
  }
})

test_that("each model has a function of its own, with its options and no others", {
  for (info in condens:::registry()) {
    own <- get(info$name, asNamespace("condens"))
    expect_identical(setdiff(names(formals(own)), c("x", "...")), setdiff(option_names(info), "seed"))
  }
})

test_that("the function of a model is condens() of that model", {
  data <- sample_data(40, 1)
  for (info in condens:::registry()) {
    own <- get(info$name, asNamespace("condens"))
    formula <- if (is_density(info)) ~ y else y ~ a
    quick <- quick_options(info, "recommended")
    direct <- suppressWarnings(do.call(own, c(list(formula, data, seed = 2), quick)))
    expect_identical(as.vector(direct$model),
                     as.vector(suppressWarnings(condens(formula, data, info$name, seed = 2, options = quick))$model))
  }
})
