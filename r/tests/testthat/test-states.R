# What models of states and of directions say of rows.

rows <- data.frame(x = rep(c(-1, 1), 20) + seq(-0.1, 0.1, length.out = 40))
rows$y <- 5 * sign(rows$x) + sin(1:40) / 10

test_that("states have weights that add up, and follow each other", {
  fit <- suppressWarnings(press(y ~ x, rows, n_states = 2, regularization = 1e-4, seed = 1))
  weights <- condens_states(fit)
  expect_identical(dim(weights), c(40L, 2L))
  expect_identical(colnames(weights), c("state 1", "state 2"))
  expect_equal(rowSums(weights), rep(1, 40))
  expect_identical(condens_states(fit, rows[3:5, ]), weights[3:5, ])
  for (steps in c(1, 3)) {
    now <- weights[seq_len(40 - steps), ]
    later <- weights[-seq_len(steps), ]
    expect_equal(condens_transitions(fit, steps = steps), crossprod(now, later) / colSums(now), tolerance = 1e-12)
  }
  expect_gt(condens_transitions(fit)["state 1", "state 2"], 0.9)  # one after the other
  gap <- rows[1:3, ]
  gap$x[2] <- NA
  expect_identical(is.na(condens_states(fit, gap)[, 1]), c(FALSE, TRUE, FALSE))
})

test_that("components are the inputs along the directions", {
  fit <- sliced(mpg ~ wt + hp + qsec, mtcars, seed = 1)
  found <- condens_components(fit, mtcars[1:4, ])
  expect_identical(nrow(found), 4L)
  expect_identical(colnames(found)[[1]], "component 1")
  expect_equal(found, condens_components(fit)[1:4, , drop = FALSE], ignore_attr = TRUE)
  # of a linear map, differences of differences vanish
  at <- data.frame(wt = 2:4, hp = c(100, 150, 200), qsec = 17)
  expect_equal(as.vector(diff(condens_components(fit, at), differences = 2)), rep(0, ncol(found)), tolerance = 1e-10)
})

test_that("what cannot be answered is said", {
  fit <- suppressWarnings(press(y ~ x, rows, n_states = 2, seed = 1))
  other <- suppressWarnings(lscde(dist ~ speed, cars, seed = 1))
  expect_error(condens_states(other), "only a model of states has weights of them")
  expect_error(condens_components(fit), "only a model that reduces its inputs transforms them")
  expect_error(condens_transitions(fit, steps = 0), "steps = 0, expected a whole number >= 1")
  expect_error(condens_transitions(fit, steps = 40), "expected a whole number from 1 to 39 for 40 rows")
  expect_error(condens_transitions(fit, data.frame(x = c(1, NA, -1))), "rows with missing inputs")
  expect_error(condens_states(1), "object is of class numeric, expected a fit of condens()", fixed = TRUE)
})
