# Vectors of distributions, as the package distributional has them.

fit <- lscde(dist ~ speed, cars, seed = 1, bandwidth = 0.5, bandwidth_y = 0.3, regularization = 0.1)
new <- data.frame(speed = c(8, NA, 16, 21))
here <- c(1, 3, 4)
y <- dist_condens(fit, new)

test_that("they say what predict() says", {
  expect_identical(mean(y), predict(fit, new))
  expect_identical(median(y), predict(fit, new, "median"))
  expect_identical(variance(y), predict(fit, new, "variance"))
  expect_identical(density(y, 40), predict(fit, new, "density", at = 40)[, 1])
  expect_identical(density(y, 40, log = TRUE), predict(fit, new, "density", at = 40, log = TRUE)[, 1])
  expect_identical(cdf(y, 40), predict(fit, new, "cdf", at = 40)[, 1])
  expect_identical(quantile(y, 0.9), unname(predict(fit, new, "quantile", probs = 0.9)[, 1]))
  expect_identical(do.call(rbind, cdf(y, c(20, 40))), predict(fit, new, "cdf", at = c(20, 40)))
  expect_identical(do.call(rbind, quantile(y, c(0.1, 0.9))),
                   unname(predict(fit, new, "quantile", probs = c(0.1, 0.9))))
  expect_equal(cdf(y, 40, log = TRUE), log(cdf(y, 40)))
  expect_equal(quantile(y, log(0.9), log = TRUE), quantile(y, 0.9))

  regions <- hdr(y, 90)
  expected <- predict(fit, new, "hdr", level = 0.9)
  expect_identical(lapply(vctrs::field(regions, "lower")[here], as.double),
                   unname(lapply(expected[here], function(ends) unname(ends[, "lower"]))))
  expect_identical(is.na(unlist(vctrs::field(regions, "lower")[2])), TRUE)
  intervals <- hilo(y, 90)
  expect_equal(intervals$lower, unname(predict(fit, new, "interval", level = 0.9)[, "lower"]))
})

test_that("a list of values has an entry for each distribution", {
  at <- list(20, 30, c(40, 50), 60)
  found <- density(y, at)
  expect_identical(found[[1]], density(y, 20)[[1]])
  expect_identical(found[[2]], NA_real_)
  expect_identical(found[[3]], density(y, c(40, 50))[[3]])
  expect_identical(cdf(y, list(40)), as.list(cdf(y, 40)))
  expect_error(cdf(y, list(1, 2)), "values for 2 distributions, of 4", class = "condens_error")
})

test_that("draws come from R's generator, and have the right mean", {
  set.seed(2)
  draws <- generate(y, 5000)
  set.seed(2)
  expect_identical(generate(y, 5000), draws)
  expect_true(all(is.na(draws[[2]])))
  # Four standard errors for three means: by chance once in 5000 seeds; the seed is fixed.
  for (i in here) expect_lt(abs(mean(draws[[i]]) - mean(y)[[i]]), 4 * sqrt(variance(y)[[i]] / 5000))
})

test_that("gaps, no element and one element", {
  expect_identical(is.na(y), c(FALSE, TRUE, FALSE, FALSE))
  expect_identical(format(y)[[2]], "NA")
  expect_match(format(y)[here], "^condens\\([0-9.]+, [0-9.]+\\)$")
  expect_identical(format(support(y))[[1]], "R")
  expect_length(support(y), 4)
  none <- y[0]
  expect_length(none, 0)
  for (f in list(mean, median, variance, function(x) quantile(x, 0.5), function(x) density(x, 1), function(x) cdf(x, 1),
                 function(x) dist_crps(x, numeric()))) {
    expect_identical(f(none), numeric())
    expect_identical(f(dist_condens(fit, new[0, , drop = FALSE])), numeric())
  }
  expect_length(hdr(none, 90), 0)
  expect_identical(mean(y[2]), NA_real_)
  expect_identical(mean(y[3]), mean(y)[[3]])
  expect_identical(mean(y[[3]]), mean(y)[[3]])
  expect_identical(quantile(y[4], c(0.2, 0.8))[[1]], quantile(y, c(0.2, 0.8))[[4]])
})

test_that("they are cut, turned, repeated, joined and changed", {
  expect_identical(mean(rev(y)), rev(mean(y)))
  expect_identical(mean(rep(y, 2)), rep(mean(y), 2))
  marginal <- lscde(dist ~ 1, cars, seed = 1, bandwidth_y = 0.3, regularization = 0.1)
  other <- dist_condens(marginal, new[1:2, , drop = FALSE])
  both <- c(y, other, y[4:3])
  expect_identical(mean(both), c(mean(y), mean(other), mean(y)[4:3]))
  expect_identical(density(both, 30), c(density(y, 30), density(other, 30), density(y, 30)[4:3]))
  levels <- c(0.1, 0.9)
  expect_identical(quantile(both, levels), c(quantile(y, levels), quantile(other, levels), quantile(y[4:3], levels)))
  expect_identical(vctrs::field(hdr(both, 80), "lower")[7:8], vctrs::field(hdr(y[4:3], 80), "lower"))
  expect_identical(dist_pit(both, rep(30, 8)), cdf(both, 30))
  changed <- y
  changed[2] <- y[1]
  expect_identical(mean(changed), mean(y)[c(1, 1, 3, 4)])
})

test_that("they are a column of a tibble", {
  skip_if_not_installed("tibble")
  table <- tibble::tibble(row = 1:4, y = y)
  expect_output(print(table), "<dist>", fixed = TRUE)
  expect_identical(mean(table[3:4, ]$y), mean(y)[3:4])
  expect_identical(mean(rbind(table, table)$y), rep(mean(y), 2))
  expect_identical(nrow(data.frame(row = 1:4, y = y)), 4L)
})

test_that("scores at what was observed", {
  observed <- c(10, 20, NA, 70)
  expect_identical(dist_pit(y, observed)[c(1, 4)], c(cdf(y, 10)[[1]], cdf(y, 70)[[4]]))
  expect_identical(is.na(dist_crps(y, observed)), c(FALSE, TRUE, TRUE, FALSE))
  # The CRPS is the integral of (F(t) - 1{t >= y})^2.
  square <- function(t) (cdf(y[1], t)[[1]] - (t >= 10))^2
  by_hand <- integrate(square, -100, 10, rel.tol = 1e-9)$value + integrate(square, 10, 200, rel.tol = 1e-9)$value
  expect_equal(dist_crps(y, observed)[[1]], by_hand, tolerance = 1e-7)
  expect_error(dist_crps(y, 1:2), "y has 2 values for 4 distributions", class = "condens_error")
})

test_that("several targets", {
  two <- lscde(cbind(dist, speed) ~ 1, cars, seed = 1, bandwidth_y = 0.3, regularization = 0.1)
  laws <- dist_condens(two, cars[1:3, ])
  expect_identical(dim(mean(laws)), c(3L, 2L))
  expect_match(format(laws)[[1]], "^condens\\[2\\]\\(")
  points <- rbind(c(30, 12), c(50, 18))
  expect_identical(do.call(rbind, density(laws, points)), predict(two, cars[1:3, ], "density", at = points))
  expect_error(quantile(laws, 0.5), "of distributions of one target, these have 2", class = "condens_error")
  expect_error(mean(c(laws, y)), "different numbers of targets", class = "condens_error")
})

test_that("counts have masses", {
  set.seed(3)
  data <- data.frame(x = rnorm(80))
  data$n <- rpois(80, exp(1 + 0.5 * data$x))
  count <- nw(n ~ x, data, seed = 1, target_kind = "count")
  laws <- dist_condens(count, data[1:3, "x", drop = FALSE])
  masses <- vapply(0:60, function(n) dist_mass_at(laws, rep(n, 3)), numeric(3))
  expect_equal(rowSums(masses), rep(1, 3), tolerance = 1e-6)
  expect_equal(masses[, 1] + masses[, 2], cdf(laws, 1), tolerance = 1e-10)
  expect_true(all(quantile(laws, 0.9) %in% 0:60))
  expect_error(dist_mass_at(y[here], c(1, 2, 3)), "mass_at: not known of distributions of any real number",
               class = "condens_error")
})

# What is left of them in another session.
kept <- function(x) {
  file <- tempfile()
  on.exit(unlink(file))
  saveRDS(x, file)
  readRDS(file)
}

test_that("a file keeps them to the last bit", {
  kinds <- list(
    shared = y,
    own_components = dist_condens(suppressWarnings(gp(dist ~ speed, cars, seed = 1)), cars),
    equal_components = dist_condens(suppressWarnings(gp(dist ~ speed, cars, seed = 1)), cars[c(3, 3), ]),
    one = dist_condens(suppressWarnings(gp(dist ~ speed, cars, seed = 1)), cars[3, ]),
    trees = dist_condens(forest(dist ~ speed, cars, seed = 1, n_trees = 10), cars),
    count = dist_condens(nw(dist ~ speed, cars, seed = 1, target_kind = "count"), cars),
    positive = dist_condens(nw(dist ~ speed, cars, seed = 1, target_kind = "positive"), cars),
    atoms = dist_condens(suppressWarnings(nw(pmax(dist - 30, 0) ~ speed, cars, seed = 1, target_kind = "with-atoms")),
                         cars),
    calibrated = dist_condens(nw(waiting ~ duration, MASS::geyser, seed = 1, calibrate = TRUE), MASS::geyser[1:9, ])
  )
  at <- c(-5, 0, 2, 30, 30.5, 500)
  for (name in names(kinds)) {
    before <- kinds[[name]]
    after <- kept(before)
    expect_identical(density(after, at, log = TRUE), density(before, at, log = TRUE), label = name)
    expect_identical(cdf(after, at), cdf(before, at), label = name)
    expect_identical(quantile(after, c(0.01, 0.5, 0.99)), quantile(before, c(0.01, 0.5, 0.99)), label = name)
    expect_identical(hdr(after, 80), hdr(before, 80), label = name)
    expect_identical(dist_crps(after, rep(30, length(after))), dist_crps(before, rep(30, length(before))), label = name)
    expect_identical(mean(kept(after)), mean(before), label = name)
    expect_identical(format(after), format(before), label = name)
  }
})

test_that("a file keeps distributions of several targets", {
  several <- list(lscde(cbind(dist, speed) ~ 1, cars, seed = 1, bandwidth_y = 0.3, regularization = 0.1),
                  lscde(cbind(mpg, qsec) ~ wt, mtcars, seed = 1, bandwidth = 0.5, bandwidth_y = 0.3,
                        regularization = 0.1),
                  suppressWarnings(gmm(cbind(mpg, qsec) ~ 1, mtcars, seed = 1)))
  for (fit in several) {
    before <- dist_condens(fit, mtcars[1:3, ])
    after <- kept(before)
    points <- rbind(c(20, 17), c(30, 12))
    expect_identical(density(after, points, log = TRUE), density(before, points, log = TRUE))
    expect_identical(mean(after), mean(before))
    expect_identical(variance(after), variance(before))
    set.seed(2)
    draws <- generate(after[1], 5)
    set.seed(2)
    expect_identical(draws, generate(before[1], 5))
  }
})

test_that("a file holds the distributions of a prediction once", {
  many <- dist_condens(fit, data.frame(speed = rep(1:20, 50)))
  size <- length(serialize(many, NULL))
  # Beside them an element takes half a thousand bytes.
  expect_lt(size, length(serialize(many[[1]]$prediction$laws, NULL)) + 1000 * 1000)
  table <- kept(data.frame(row = 1:1000, y = many))
  joined <- c(table$y[1:3], many[1:3], kept(y))
  expect_identical(mean(joined), c(mean(many[1:3]), mean(many[1:3]), mean(y)))
  # As an earlier R writes them, without ALTREP.
  old <- unserialize(serialize(many, NULL, version = 2))
  expect_identical(quantile(old, 0.9), quantile(many, 0.9))
})
