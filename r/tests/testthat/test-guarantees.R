# Intervals with a guarantee, calibrated distributions and coverage by slices.

sample_of <- function(n, seed) {
  set.seed(seed)
  x <- runif(n)
  data.frame(x = x, group = sample(c("narrow", "wide"), n, TRUE))
}
train <- sample_of(200, 1)
train$y <- train$x + ifelse(train$group == "wide", 1, 0.1) * rnorm(200)
test <- sample_of(2000, 2)
test$y <- test$x + ifelse(test$group == "wide", 1, 0.1) * rnorm(2000)
fixed <- function(...) {
  suppressWarnings(nw(y ~ x, train, bandwidth = 0.3, bandwidth_y = 0.5, metric = "isotropic", seed = 1, ...))
}
inside <- function(fit, ...) {
  ends <- predict(fit, test, type = "interval", level = 0.8, ...)
  ends[, "lower"] <= test$y & test$y <= ends[, "upper"]
}
# Three standard errors of a share of 0.8 at 2,000 rows, and what 200 rows of the fit leave open.
near <- function(share) expect_lt(abs(share - 0.8), 0.03 + 0.09)

test_that("rows left out, folds and shift keep the promise", {
  split <- fixed(conformal = TRUE)
  near(mean(inside(split)))
  near(mean(inside(fixed(conformal = list(method = "cv+", folds = 5)))))
  near(mean(inside(split, shift = TRUE)))
  expect_match(paste(capture.output(summary(split)), collapse = " "), "by 50 rows left out of the fit")
  regions <- predict(split, test[1:3, ], type = "hdr", level = 0.8)
  expect_equal(lengths(lapply(regions, colnames)), c(2, 2, 2))
})

test_that("groups keep it within each", {
  fit <- nw(y ~ x + group, train, bandwidth = 2, bandwidth_y = 0.5, metric = "isotropic", seed = 1,
            conformal = list(share = 0.5, groups = "group"))
  for (group in c("narrow", "wide")) near(mean(inside(fit)[test$group == group]))
})

test_that("calibrated distributions have flatter PIT values", {
  far_from_uniform <- function(fit) {
    pit <- sort(condens_score(fit, test)$pit[[1]])
    max(abs(pit - seq_along(pit) / length(pit)))
  }
  plain <- nw(y ~ x, train, bandwidth = 3, bandwidth_y = 3, metric = "isotropic", seed = 1)
  calibrated <- update(plain, calibrate = list(share = 0.4))
  expect_lt(far_from_uniform(calibrated), 0.6 * far_from_uniform(plain))
})

test_that("coverage by slices is that of the intervals", {
  fit <- fixed(conformal = TRUE)
  slices <- condens_coverage(fit, test, level = 0.8)
  expect_equal(attr(slices, "coverage"), mean(inside(fit)))
  by_x <- slices[slices$input == "x", ]
  expect_equal(sum(by_x$rows), nrow(test))
  expect_equal(sum(by_x$rows * by_x$coverage) / nrow(test), mean(inside(fit)))
})
