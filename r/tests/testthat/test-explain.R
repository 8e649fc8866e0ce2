# What moved the answer: the numbers are the command's, and keep what their definitions promise.

fit <- nw(mpg ~ wt + hp + factor(cyl), mtcars, seed = 1)
one <- mtcars["Fiat 128", ]
other <- mtcars["Merc 230", ]
two <- suppressWarnings(lscde(cbind(dist, speed) ~ z, transform(cars, z = seq_len(50) %% 7), seed = 1, bandwidth = 0.5,
                              bandwidth_y = 0.3, regularization = 0.1))

expect_bits <- function(ours, theirs, label) {
  expect_true(identical(as.double(ours), as.double(theirs), num.eq = FALSE), label = label)
}

# What the command says of a file, as a data frame.
explained <- function(command, model, ...) {
  printed <- run_command(command, "explain", model, test_path("doors", "new.csv"), ..., "--json")
  jsonlite::fromJSON(paste(printed, collapse = "\n"))
}

expect_same_shares <- function(ours, theirs) {
  inputs <- theirs[!theirs$input %in% c("(base)", "(prediction)"), ]
  expect_identical(ours$of, inputs$of)
  expect_identical(ours$input, inputs$input)
  expect_bits(ours$value, inputs$value, "value")
  expect_bits(ours$standard_error, inputs$standard_error, "standard_error")
  expect_bits(attr(ours, "base"), theirs$value[theirs$input == "(base)"], "base")
  expect_bits(attr(ours, "prediction"), theirs$value[theirs$input == "(prediction)"], "prediction")
}

expect_same_effect <- function(ours, theirs) {
  expect_identical(names(ours), names(theirs))
  expect_identical(as.character(ours[[1]]), as.character(theirs[[1]]))
  expect_identical(ours$of, theirs$of)
  for (column in names(ours)[-(1:2)]) expect_bits(ours[[column]], theirs[[column]], column)
}

named_cases <- c("categories", "missing inputs, marked", "a count", "several targets", "dates")

if (nzchar(Sys.getenv("CONDENS_COMMAND")) && requireNamespace("jsonlite", quietly = TRUE)) {
  for (case in Filter(function(case) case$name %in% named_cases, door_cases())) {
    test_that(paste("the command explains alike:", case$name), {
      command <- skip_without_command()
      file <- tempfile(fileext = ".cbor")
      on.exit(unlink(file))
      fit <- fit_by_r(case)
      condens_write(fit, file)
      new <- door_table("new.csv", case)
      target <- utils::tail(case$targets, 1)
      say <- function(...) explained(command, file, ..., "--target", target, "--seed", "5")

      ours <- condens_importance(fit, new, seed = 5)
      theirs <- say("--importance")
      for (measure in c("nll", "crps")) {
        own <- theirs[theirs$measure == measure, ]
        expect_identical(ours$input, own$input)
        expect_bits(ours[[measure]], own$loss, measure)
        expect_bits(ours[[paste0(measure, "_se")]], own$standard_error, measure)
        expect_bits(ours[[paste0(measure, "_shuffle")]], own$shuffle_error, measure)
      }
      # A date is several numbers, along which there is no effect.
      for (input in setdiff(case$inputs, "day")) {
        expect_same_effect(condens_effect(fit, input, new, target = target, seed = 5), say("--effect", input))
        ours <- condens_effect(fit, input, new, of = c("mean", "width:0.5"), kind = "dependence", points = 4,
                               target = target, max_rows = 7, seed = 5)
        expect_same_effect(ours, say("--effect", input, "--partial", "--of", "mean,width:0.5", "--points", "4",
                                     "--max-rows", "7"))
      }
      ours <- condens_shapley(fit, new[3, ], new, of = c("std", "quantile:0.9", "log-score"), target = target,
                              max_background = 5, seed = 5)
      expect_same_shares(ours, say("--row", "3", "--of", "std,quantile:0.9,log-score", "--background", "5"))
      ours <- condens_compare_rows(fit, new[3, ], new[1, ], of = c("mean", "std"), target = target, seed = 5)
      expect_same_shares(ours, say("--compare", "3,1"))
      if (!case$model %in% c("nw", "forest")) return()
      theirs <- say("--training-rows", "2", "--training", test_path("doors", "train.csv"), "--most", "4")
      for (data in list(NULL, door_table("train.csv", case))) {
        ours <- condens_training_rows(fit, new[2, ], data, most = 4)[[1]]
        expect_identical(as.character(ours$row), theirs$row[-5])
        expect_bits(c(ours$weight, attr(ours, "others")), theirs$weight, "weight")
      }
    })
  }
} else {
  test_that("the command explains alike", {
    skip_without_command()
  })
}

test_that("an input that the model does not use has no importance", {
  data <- sample_data(60, 1)
  data$b <- 1 + 0 * data$b
  constant <- suppressWarnings(nw(y ~ a + b, data, seed = 1))
  found <- condens_importance(constant, data, n_repeats = 2, seed = 1)
  expect_identical(found$input, c("a", "b"))
  expect_identical(unlist(found[2, -1], use.names = FALSE), numeric(6))
  expect_gt(found$nll[[1]], 0)
  expect_identical(condens_importance(constant, n_repeats = 2, seed = 1), found)
  some <- suppressWarnings(sacde(mpg ~ wt + hp + qsec + gear + carb, mtcars, seed = 1))
  found <- condens_importance(some, seed = 1)
  expect_identical(found$input[found$nll == 0], subset(tidy(some), !selected)$term)
  expect_gt(sum(found$nll == 0), 0)
})

test_that("seeds, threads and rows", {
  expect_identical(condens_importance(fit, seed = 2, threads = 1), condens_importance(fit, seed = 2, threads = 2))
  set.seed(4)
  first <- condens_importance(fit)
  set.seed(4)
  expect_identical(condens_importance(fit), first)
  expect_identical(attr(condens_importance(fit, max_rows = 9, seed = 1), "n_rows"), 9L)
  for (all in list(0, Inf, 32)) {
    expect_identical(condens_importance(fit, max_rows = all, seed = 1), condens_importance(fit, seed = 1))
  }
  gaps <- mtcars
  gaps$wt[3] <- NA
  expect_identical(condens_effect(fit, "hp", gaps, seed = 1), condens_effect(fit, "hp", mtcars[-3, ], seed = 1))
  expect_identical(condens_importance(fit, gaps, seed = 1), condens_importance(fit, mtcars[-3, ], seed = 1))
  expect_identical(condens_shapley(fit, one, gaps), condens_shapley(fit, one, mtcars[-3, ]))
})

test_that("weights are copies", {
  copies <- rep(1:3, length.out = 32)
  repeated <- mtcars[rep(seq_len(32), copies), ]
  ask <- function(...) condens_effect(fit, "wt", ..., kind = "dependence", points = 3)
  # Values of the input are quantiles of the rows, so that of the ends alone.
  own <- subset(ask(mtcars, weights = copies), wt %in% range(wt))
  expect_equal(own$value, subset(ask(repeated), wt %in% range(wt))$value, tolerance = 1e-12)
  weighted <- nw(mpg ~ wt, mtcars, weights = copies, seed = 1)
  expect_identical(condens_effect(weighted, "wt", seed = 1),
                   condens_effect(weighted, "wt", mtcars, weights = copies, seed = 1))
})

test_that("effects are what predictions say", {
  found <- condens_effect(fit, "wt", of = c("mean", "sd"), kind = "dependence", points = 5)
  grid <- unique(found$wt)
  expect_identical(range(grid), range(mtcars$wt))
  by_hand <- vapply(grid, function(value) mean(predict(fit, transform(mtcars, wt = value))), 0)
  expect_equal(found$value[found$of == "mean"], by_hand, tolerance = 1e-12)
  expect_equal(attr(found, "base"), c(mean = mean(predict(fit)), sd = mean(predict(fit, type = "sd"))),
               tolerance = 1e-12)
  expect_equal(found$value - found$effect, rep(unname(attr(found, "base")), length(grid)), tolerance = 1e-12)
  levels <- condens_effect(fit, "factor(cyl)", of = "median")
  expect_identical(levels[[1]], c("4", "6", "8"))
  expect_identical(attr(levels, "kind"), "dependence")
  expect_identical(condens_effect(fit, 2, seed = 1), condens_effect(fit, "hp", seed = 1))
  local <- condens_effect(fit, "wt")
  expect_identical(names(local), c("wt", "of", "effect", "standard_error"))
  expect_identical(unique(local$of), c("quantile:0.1", "quantile:0.5", "quantile:0.9"))
})

test_that("Shapley values sum to the difference", {
  found <- condens_shapley(fit, one, of = c("mean", "quantile:0.9"))
  expect_true(attr(found, "exact"))
  expect_equal(tapply(found$value, found$of, sum), attr(found, "prediction") - attr(found, "base"), tolerance = 1e-10,
               ignore_attr = TRUE)
  expect_equal(attr(found, "prediction")[["mean"]], predict(fit, one), tolerance = 1e-12)
  expect_equal(attr(found, "base")[["mean"]], mean(predict(fit)), tolerance = 1e-12)
  several <- condens_shapley(two, data.frame(z = 3), of = "mean", target = "speed", max_background = 0)
  expect_equal(several$value, predict(two, data.frame(z = 3))[[1, "speed"]] - mean(predict(two)[, "speed"]),
               tolerance = 1e-10)
  expect_identical(condens_shapley(two, data.frame(z = 3), seed = 1),
                   condens_shapley(two, data.frame(z = 3), target = "dist", seed = 1))
})

test_that("two rows: functionals and distances", {
  found <- condens_compare_rows(fit, one, other)
  expect_identical(unique(found$of), c("mean", "sd", "crps", "kolmogorov"))
  sums <- tapply(found$value, factor(found$of, unique(found$of)), sum)
  expect_equal(as.vector(sums), unname(attr(found, "prediction") - attr(found, "base")), tolerance = 1e-10)
  expect_equal(attr(found, "base")[["mean"]], predict(fit, other), tolerance = 1e-12)
  difference <- function(at) predict(fit, one, "cdf", at = at)[1, ] - predict(fit, other, "cdf", at = at)[1, ]
  expect_equal(attr(found, "prediction")[["crps"]], integrate(function(at) difference(at)^2, 0, 60)$value,
               tolerance = 1e-3)
  expect_equal(attr(found, "prediction")[["kolmogorov"]], max(abs(difference(seq(5, 50, 0.01)))), tolerance = 1e-3)
  expect_identical(unique(condens_compare_rows(fit, one, one)$value), 0)
})

test_that("weights of training rows sum to one and make the mean", {
  found <- condens_training_rows(fit, mtcars[1:3, ], most = 100)
  expect_length(found, 3)
  for (own in found) {
    expect_equal(sum(own$weight) + attr(own, "others"), 1, tolerance = 1e-12)
    expect_false(is.unsorted(rev(own$weight)))
  }
  trees <- forest(mpg ~ wt + hp, mtcars, seed = 1, n_trees = 20)
  own <- condens_training_rows(trees, mtcars[1, ], most = 3)[[1]]
  expect_identical(dim(own), c(3L, 2L))
  expect_equal(sum(own$weight) + attr(own, "others"), 1, tolerance = 1e-12)
})

test_that("training rows are those of the user's data", {
  gaps <- mtcars
  gaps$wt[c(2, 20)] <- NA
  gaps$mpg[5] <- NA
  some <- nw(mpg ~ wt + hp, gaps, seed = 1)
  plain <- nw(mpg ~ wt + hp, mtcars[-c(2, 5, 20), ], seed = 1)
  found <- condens_training_rows(some, gaps[c(1, 2, 3), ])
  expect_null(found[[2]])
  expect_identical(found, condens_training_rows(some, gaps[c(1, 2, 3), ], gaps))
  numbers <- seq_len(32)[-c(2, 5, 20)]
  expect_identical(found[[1]]$row, numbers[condens_training_rows(plain, mtcars[1, ])[[1]]$row])
  expect_error(condens_training_rows(some, mtcars[1, ], mtcars), "data has 32 rows without missing values, expected")
  expect_error(condens_training_rows(some, mtcars[1, ], transform(gaps, hp = rev(hp))), "expected the data of the fit")
  expect_error(condens_training_rows(gp(dist ~ speed, cars, seed = 1), cars[1, ]), "is not made of training rows")

  file <- tempfile(fileext = ".cbor")
  weighted <- nw(mpg ~ wt, mtcars, weights = mtcars$cyl, seed = 1)
  condens_write(weighted, file)
  expect_identical(condens_training_rows(condens_read(file), one, mtcars, weights = mtcars$cyl),
                   condens_training_rows(weighted, one))
  expect_identical(condens_training_rows(weighted, one, mtcars), condens_training_rows(weighted, one))
  expect_error(condens_training_rows(condens_read(file), one), "data is missing, and the object has no data of its own")
})

test_that("training rows where levels are statistics, and with rows left out", {
  set.seed(5)
  data <- data.frame(town = sample(outer(letters, 1:2, paste0), 300, TRUE), x = rnorm(300))
  data$y <- nchar(data$town) + match(substr(data$town, 1, 1), letters) / 10 + data$x + rnorm(300)
  for (guarantee in c(FALSE, TRUE)) {
    towns <- suppressWarnings(nw(y ~ town + x, data, seed = 1, conformal = guarantee))
    own <- condens_training_rows(towns, data[1, ], most = 5)[[1]]
    expect_equal(sum(own$weight) + attr(own, "others"), 1, tolerance = 1e-12)
  }
})

test_that("what cannot be explained is refused with a sentence", {
  refused <- function(expression, text) expect_error(expression, text, class = "condens_error", fixed = TRUE)
  marginal <- nw(mpg ~ 1, mtcars, seed = 1)
  refused(condens_importance(marginal), "the fit has no inputs, and condens_importance() tells what inputs do")
  refused(condens_effect(marginal, "wt"), "the fit has no inputs")
  refused(condens_importance(lm(dist ~ speed, cars)), "object is of class lm")
  refused(condens_effect(fit, "weight"), "input = \"weight\", expected one of wt, hp, factor(cyl)")
  refused(condens_effect(fit, "wt", kind = "partial"), "kind = \"partial\", expected one of \"local\", \"dependence\"")
  refused(condens_effect(fit, "wt", of = "modus"), "of = 'modus', expected one of mean, std")
  refused(condens_effect(fit, "wt", of = 0.9), "of = 0.9, expected texts")
  refused(condens_effect(fit, "wt", points = 1), "points = 1, expected a whole number from 2")
  refused(condens_effect(fit, "wt", data.frame(hp = 1)), "newdata has no column 'wt'")
  refused(condens_effect(fit, "wt", mtcars[1, ]), "input 'wt' is always 2.62")
  refused(condens_importance(fit, n_repeats = 0), "n_repeats = 0, expected a whole number from 1")
  refused(condens_importance(fit, mtcars["wt"]), "newdata has no column")
  refused(condens_importance(fit, transform(mtcars, wt = NA_real_)), "newdata has no row without missing values")
  refused(condens_importance(fit, weights = 1:3), "weights has 3 values for 32 rows")
  refused(condens_shapley(fit, mtcars), "newdata has 32 rows, expected one")
  refused(condens_shapley(fit, transform(one, wt = NA_real_)), "newdata has missing values")
  refused(condens_shapley(fit, one, data.frame(hp = 1)), "background has no column 'wt'")
  refused(condens_shapley(fit, one["wt"]), "newdata has no column")
  refused(condens_shapley(nw(dist ~ speed, cars, seed = 1, keep_data = FALSE), cars[1, ]), "background is missing")
  refused(condens_compare_rows(fit, one, mtcars), "other has 32 rows, expected one")
  refused(condens_compare_rows(fit, one, other, of = "log-score"), "needs the target of one row")
  refused(condens_training_rows(fit, one, most = 0), "most = 0, expected a whole number from 1")
  refused(condens_effect(two, "z", target = "z"), "target = \"z\", expected one of dist, speed")
  counts <- nw(carb ~ wt, mtcars, seed = 1, target_kind = "count")
  refused(condens_importance(counts, transform(mtcars, carb = replace(carb, 4, 0.5))), "row 4")
})

test_that("fits of censored responses are refused", {
  skip_if_not_installed("survival")
  waits <- data.frame(x = (1:40) / 40, time = 1 + (1:40) %% 7, status = rep(0:1, 20))
  censored <- suppressWarnings(nw(survival::Surv(time, status) ~ x, waits, target_kind = "positive", seed = 1))
  refused <- function(expression) expect_error(expression, "is not for fits that know the target by its limits")
  refused(condens_importance(censored))
  refused(condens_effect(censored, "x"))
  refused(condens_shapley(censored, waits[1, ]))
  refused(condens_compare_rows(censored, waits[1, ], waits[2, ]))
  refused(condens_training_rows(censored, waits[1, ]))
})

test_that("they are printed and drawn", {
  importance <- condens_importance(fit, seed = 1)
  local <- condens_effect(fit, "wt", seed = 1)
  levels <- condens_effect(fit, "factor(cyl)", seed = 1)
  single <- condens_effect(fit, "hp", of = "mean", kind = "dependence", seed = 1)
  shares <- condens_shapley(fit, one, seed = 1)
  between <- condens_compare_rows(fit, one, other, seed = 1)
  expect_output(print(importance), "shuffled among 32 rows, mean of 5 shuffles")
  expect_output(print(local), "Local effects of wt: mpg, over 32 rows")
  expect_output(print(levels), "Partial dependence on factor(cyl)", fixed = TRUE)
  expect_output(print(shares), "against the mean of 32 rows, exact\n\nmean: 20.08 to 28.97", fixed = TRUE)
  expect_output(print(between), "against the other row, exact")
  expect_output(print(shares[c("of", "value")]), "mean 2.01", fixed = TRUE)
  all <- list(importance, local, levels, single, shares, between)
  expect_identical(as.character(figure_shapley(shares)$name[1:3]),
                   shares$input[1:3][order(-abs(shares$value[1:3]))])
  expect_identical(figure_effect(single)$lines$y, single$value)
  expect_identical(figure_effect(single)$label, "mean of mpg")
  named <- condens_effect(nw(dist ~ of, stats::setNames(cars, c("of", "dist")), seed = 1), "of")
  expect_identical(levels(figure_effect(named)$lines$of), c("quantile:0.1", "quantile:0.5", "quantile:0.9"))
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  for (x in all) expect_identical(expect_invisible(plot(x)), x)
  skip_if_not_installed("ggplot2")
  for (x in all) expect_gt(length(ggplot2::ggplot_build(ggplot2::autoplot(x))$data), 0)
})
