# Pictures: their data are what predict() says, and both graphics systems draw every type.

fit <- lscde(waiting ~ duration, MASS::geyser, seed = 1)
several <- suppressWarnings(sacde(mpg ~ ., mtcars, seed = 1))
levels_fit <- nw(Sepal.Length ~ Species + Petal.Length, iris, seed = 1)

test_that("the figures hold what predict() says", {
  map <- figure_map(fit, NULL, list(), NULL, grid = 7, y_grid = 5)
  new <- data.frame(duration = map$sweep$grid)
  expect_equal(map$density, predict(fit, new, type = "density", at = map$y))
  expect_equal(matrix(map$cells$density, 7), map$density)
  fan <- figure_fan(fit, "duration", list(), NULL, levels = c(0.5, 0.9), grid = 7)
  ends <- predict(fit, new, type = "interval", level = 0.9)
  expect_equal(fan$bands$lower[fan$bands$level == "90 %"], unname(ends[, 1]))
  expect_equal(fan$bands$upper[fan$bands$level == "90 %"], unname(ends[, 2]))
  expect_equal(fan$median$y, predict(fit, new, type = "median"))
  curves <- figure_density(fit, data.frame(duration = c(2, 4)), NULL, y_grid = 9)$curves
  expect_equal(curves$density[curves$row == "duration = 4"],
               predict(fit, data.frame(duration = 4), type = "density", at = unique(curves$y))[1, ])
  pit <- figure_pit(fit, NULL, NULL, bins = 10)
  expect_equal(mean(pit$bars$density), 1)
  coverage <- figure_coverage(fit, NULL, NULL)$coverage
  inside <- predict(fit, type = "interval", level = 0.5)
  expect_equal(coverage$share[coverage$level == 0.5],
               mean(inside[, 1] <= MASS::geyser$waiting & MASS::geyser$waiting <= inside[, 2]))
  path <- figure_path(several)
  expect_setequal(levels(path$lines$input), subset(tidy(several), selected)$term)
  expect_equal(min(figure_tuning(fit)$score), glance(fit)$cv_score)
})

test_that("other inputs are held where the caller says, else at the typical value", {
  held <- figure_map(levels_fit, "Petal.Length", list(Species = "virginica"), NULL, grid = 4, y_grid = 3)
  new <- data.frame(Petal.Length = held$sweep$grid, Species = "virginica")
  expect_equal(held$density, predict(levels_fit, new, type = "density", at = held$y))
  expect_match(held$sweep$caption, "Species = virginica")
  expect_true(all(held$points$y %in% iris$Sepal.Length[iris$Species == "virginica"]))
  levels <- figure_fan(levels_fit, NULL, list(), NULL)
  expect_equal(levels$sweep$grid, levels(iris$Species))
  expect_match(levels$sweep$caption, "Petal.Length = 4.35")
})

test_that("base graphics draw every type", {
  file <- tempfile(fileext = ".pdf")
  grDevices::pdf(file)
  on.exit(grDevices::dev.off())
  for (type in c("map", "fan", "pit", "coverage", "tuning")) expect_invisible(plot(fit, type))
  expect_identical(plot(fit, newdata = data.frame(duration = 2:4)), fit)
  plot(several, "path")
  plot(several, "importances")
  plot(levels_fit)
  plot(levels_fit, "fan")
  plot(gmm(~ waiting, MASS::geyser, seed = 1))
  plot(condens_compare(dist ~ speed, cars, models = c("nw", "gmm"), repeats = 2, seed = 1))
})

test_that("lines of a path have the names of their inputs, after a factor, too", {
  set.seed(1)
  table <- data.frame(kind = factor(sample(c("a", "b", "c"), 150, TRUE)), x = rnorm(150))
  table$y <- 2 * table$x + rnorm(150, sd = 0.3)
  path <- figure_path(sacde(y ~ kind + x, table, bandwidth = 1, bandwidth_y = 0.3, seed = 1))
  expect_true(all(levels(path$lines$input) %in% c("kind", "x")))
  largest <- path$lines[which.max(path$lines$norm), ]
  expect_equal(as.character(largest$input), "x")
})

test_that("ggplot2 draws every type", {
  skip_if_not_installed("ggplot2")
  drawn <- function(plot) expect_gt(length(ggplot2::ggplot_build(plot)$data), 0)
  for (type in c("map", "fan", "pit", "coverage", "tuning")) drawn(ggplot2::autoplot(fit, type))
  drawn(ggplot2::autoplot(fit, newdata = data.frame(duration = 2:4)))
  drawn(ggplot2::autoplot(several, "path"))
  drawn(ggplot2::autoplot(several, "importances"))
  drawn(ggplot2::autoplot(levels_fit))
  drawn(ggplot2::autoplot(levels_fit, "fan"))
  drawn(ggplot2::autoplot(gmm(~ waiting, MASS::geyser, seed = 1)))
  drawn(ggplot2::autoplot(condens_compare(dist ~ speed, cars, models = c("nw", "gmm"), repeats = 2, seed = 1)))
})

test_that("what cannot be drawn is refused with a sentence", {
  expect_error(plot(fit, "path"), "has no path of penalties; those that do: ")
  expect_error(plot(fit, "importances"), "tells no importances of inputs; those that do: ")
  expect_error(plot(fit, "picture"), "type = \"picture\", expected one of \"map\"")
  expect_error(plot(fit, input = "wait"), "input = \"wait\", expected one of duration")
  expect_error(plot(levels_fit, at = list(Sepal.Length = 1)), "at: 'Sepal.Length' is no other input")
  expect_error(plot(fit, "density"), "needs newdata")
  expect_error(plot(fit, newdata = data.frame(duration = 1:9)), "9 rows, expected at most 7")
  expect_error(plot(lscde(dist ~ speed, cars, seed = 1, keep_data = FALSE)), "keep_data = FALSE")
  fixed <- nw(dist ~ speed, cars, bandwidth = 0.5, bandwidth_y = 0.5, seed = 1, metric = "isotropic")
  expect_error(plot(fixed, "tuning"), "chose among no candidates")
})
