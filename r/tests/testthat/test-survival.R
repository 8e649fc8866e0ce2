# Responses known by their limits.

skip_if_not_installed("survival")

waits <- local({
  set.seed(3)
  x <- runif(200)
  time <- rexp(200, 1 + 2 * x)
  end <- runif(200, 0.2, 1.5)
  data.frame(x = x, time = pmin(time, end), status = as.integer(time <= end))
})
surv <- survival::Surv

test_that("limits are those that Surv() means", {
  right <- limits_of_surv(surv(c(1, 2), c(1, 0)))
  expect_equal(right[c("low", "high")], list(low = c(1, 2), high = c(1, Inf)))
  left <- limits_of_surv(surv(c(1, 2), c(1, 0), type = "left"))
  expect_equal(left[c("low", "high")], list(low = c(1, -Inf), high = c(1, 2)))
  between <- limits_of_surv(surv(c(1, NA, 2, 3), c(2, 4, NA, 3), type = "interval2"))
  expect_equal(between[c("low", "high")], list(low = c(1, -Inf, 2, 3), high = c(2, 4, Inf, 3)))
  late <- limits_of_surv(surv(c(0, 1), c(2, 3), c(1, 0)))
  expect_equal(late, list(low = c(2, 3), high = c(2, Inf), entry = c(0, 1)))
  expect_error(limits_of_surv(surv(c(1, 2), factor(c("a", "b")), type = "mstate")), "expected right, left, interval")
})

test_that("a censored fit is for what is not seen, too", {
  fit <- suppressWarnings(location_scale(surv(time, status) ~ x, waits, target_kind = "positive", seed = 1))
  expect_equal(unlist(fit$about$targets$names), "time")
  ignored <- suppressWarnings(location_scale(time ~ x, waits, target_kind = "positive", seed = 1))
  new <- data.frame(x = 0.5)
  expect_gt(predict(fit, new), predict(ignored, new))
  # The truth is exponential with rate 2.
  expect_equal(predict(fit, new, type = "median"), log(2) / 2, tolerance = 0.35)
})

test_that("scores of a censored fit are the likelihood of what is known", {
  fit <- nw(surv(time, status) ~ x, waits, target_kind = "positive", seed = 1)
  y <- dist_condens(fit)
  exact <- waits$status == 1
  by_hand <- c(log(unlist(Map(density, y[exact], waits$time[exact]))),
               log(1 - unlist(Map(cdf, y[!exact], waits$time[!exact]))))
  expect_equal(condens_score(fit)$nll$value, -mean(by_hand), tolerance = 1e-10)
  expect_equal(as.numeric(logLik(fit)), sum(by_hand), tolerance = 1e-10)
  expect_equal(condens_score(fit, waits)$nll$value, -mean(by_hand), tolerance = 1e-10)
  expect_output(print(condens_score(fit)), "concordance")
  expect_error(residuals(fit), "known by their limits|knows by their limits")
  expect_error(predict(fit, type = "density"), "limits only")
})
