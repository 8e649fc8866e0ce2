# What a formula, x and y, and new data can be.

# That the inputs of random numbers tell nothing is not the matter here.
quick <- function(...) suppressWarnings(lscde(..., seed = 1, bandwidth = 0.5, bandwidth_y = 0.3, regularization = 0.1))
same_model <- function(a, b) expect_identical(as.vector(a$model), as.vector(b$model))
inputs_of <- function(fit) unlist(fit$about$inputs$names)

table <- local({
  set.seed(5)
  data.frame(y = rnorm(40), x = rnorm(40), z = rnorm(40), k = gl(2, 1, 40, c("a", "b")), m = gl(4, 10),
             o = factor(rep(c("low", "middle", "high", "middle"), 10), c("low", "middle", "high"), ordered = TRUE),
             l = rep(c(TRUE, TRUE, FALSE, FALSE), 10), day = as.Date("2024-01-01") + 7 * 0:39)
})

test_that("a dot is every other column", {
  same_model(quick(y ~ ., table), quick(y ~ x + z + k + m + o + l + day, table))
  expect_identical(inputs_of(quick(cbind(y, z) ~ ., table[c("y", "x", "z")])), "x")
})

test_that("an intercept means nothing", {
  for (formula in list(y ~ x - 1, y ~ 0 + x, y ~ x + 1)) same_model(quick(formula, table), quick(y ~ x, table))
  for (formula in list(y ~ 0, y ~ -1)) same_model(quick(formula, table), quick(y ~ 1, table))
})

test_that("an interaction of numbers is their product", {
  fit <- quick(y ~ x * z, table)
  expect_identical(inputs_of(fit), c("x", "z", "x:z"))
  by_hand <- quick(cbind(table[c("x", "z")], "x:z" = table$x * table$z), table$y)
  expect_identical(predict(fit, table), predict(by_hand))
  by_rank <- transform(table, w = as.numeric(o) * x)
  expect_identical(predict(quick(y ~ o:x, table), table), predict(quick(y ~ w, by_rank), by_rank))
})

test_that("an interaction of factors is a factor", {
  fit <- quick(y ~ k:l, table)
  joined <- transform(table, kl = paste(k, l, sep = ":"))
  expect_identical(predict(fit, table), predict(quick(y ~ kl, joined), joined))
  expect_length(fit$about$levels[["k:l"]], 4)
})

test_that("an interaction of numbers and categories is refused", {
  for (formula in list(y ~ k:x, y ~ x * k, y ~ x:z:k, y ~ l:x)) {
    expect_error(quick(formula, table), "is of numbers and categories", class = "condens_error")
  }
  expect_error(quick(y ~ poly(x, 2):z, table), "a variable of several columns", class = "condens_error")
})

test_that("functions of the data are those of the fit in predictions, too", {
  fit <- quick(y ~ poly(x, 2) + log(abs(z)), table)
  expect_identical(inputs_of(fit), c("poly(x, 2)1", "poly(x, 2)2", "log(abs(z))"))
  # The basis of poly() is that of the fit: a part of the rows is predicted like all of them.
  expect_identical(predict(fit, table[3:5, ]), predict(fit, table)[3:5])
  fit <- quick(log(y^2) ~ scale(x), table)
  expect_identical(predict(fit, table[3:5, ]), predict(fit, table)[3:5])
  # One asks the model, the other the distributions, which round in another order.
  expect_equal(predict(fit, table, "density"), predict(fit, table, "density", at = matrix(log(table$y^2)))[, 1],
               tolerance = 1e-10)
})

test_that("several targets have the names of cbind()", {
  fit <- quick(cbind(y, z) ~ x, table)
  expect_identical(colnames(predict(fit, table)), c("y", "z"))
  expect_identical(colnames(predict(quick(cbind(a = y, b = log(z^2)) ~ x, table), table)), c("a", "b"))
  both <- transform(table)
  both$u <- unname(as.matrix(table[c("y", "z")]))
  expect_identical(predict(quick(u ~ x, both), both, "density"), predict(fit, table, "density"))
  expect_identical(unname(predict(fit, table, target = "z")), unname(predict(fit, table)[, "z"]))
  expect_error(predict(fit, table, "quantile"), "target is missing, expected one of y, z", class = "condens_error")
  expect_identical(dim(predict(fit, table, "sample", nsim = 3, seed = 1)), c(40L, 3L, 2L))
})

test_that("the formula may come after the data", {
  expected <- quick(y ~ x, table)
  same_model(quick(data = table, formula = y ~ x), expected)
  formula <- y ~ x
  w <- rep(2, 40)
  same_model(quick(weights = w, data = table, formula = formula), quick(formula, table, weights = w))
  direct <- suppressWarnings(condens(data = table, formula = y ~ x, model = "nw", seed = 1))
  suppressWarnings(same_model(direct, nw(y ~ x, table, seed = 1)))
  expect_identical(inputs_of(suppressWarnings(update(direct, . ~ . + z))), c("x", "z"))
})

test_that("one-sided formulas are densities", {
  same_model(quick(~y, table), quick(y ~ 1, table))
  same_model(quick(~ y + z, table), quick(cbind(y, z) ~ 1, table))
  expect_identical(predict(quick(~y, table), table[1:3, ]), rep(predict(quick(~y, table), table[1, ]), 3))
  expect_error(quick(~1, table), "names no variable", class = "condens_error")
})

test_that("offsets and factors as responses are refused", {
  expect_error(quick(y ~ x + offset(z), table), "has an offset", class = "condens_error")
  expect_error(quick(k ~ x, table), "the response 'k' is a category", class = "condens_error")
  expect_error(quick(l ~ x, table), "the response 'l' is a category", class = "condens_error")
  expect_error(quick(~ y + k, table), "the target 'k' is a category", class = "condens_error")
  expect_identical(predict(quick(o ~ x, table), table), predict(quick(as.integer(o) ~ x, table), table))
})

test_that("weights and subset are looked for in the data, then where the formula was made", {
  w <- rep(c(1, 3), 20)
  expected <- quick(table["x"], table$y, weights = w)
  inside <- cbind(table, v = w)
  same_model(quick(y ~ x, inside, weights = v), expected)
  same_model(quick(y ~ x, table, weights = w), expected)
  in_function <- function(data, own) quick(y ~ x, data, weights = own)
  same_model(in_function(table, w), expected)
  half <- quick(y ~ x, table[table$z > 0, ])
  same_model(quick(y ~ x, table, subset = z > 0), half)
  limit <- 0
  same_model(quick(y ~ x, table, subset = z > limit), half)
  same_model(quick(y ~ x, table, subset = which(z > limit)), half)
  same_model(quick(y ~ x, inside, weights = v, subset = z > 0), quick(y ~ x, inside[inside$z > 0, ], weights = v))
  suppressWarnings(same_model(condens(y ~ x, table, "nw", weights = w, seed = 1),
                              nw(y ~ x, inside, weights = v, seed = 1)))
})

test_that("na.action has the rows with missing values", {
  gaps <- table
  gaps$x[[3]] <- NA
  gaps$y[[7]] <- NA
  whole <- quick(y ~ x, table[-c(3, 7), ])
  for (action in list(na.omit, na.exclude, "na.omit")) {
    fit <- quick(y ~ x, gaps, na.action = action)
    same_model(fit, whole)
    expect_identical(nobs(fit), 38L)
    expect_output(print(fit), "2 left out, with missing values", fixed = TRUE)
  }
  expect_length(fitted(quick(y ~ x, gaps)), 38)
  excluded <- quick(y ~ x, gaps, na.action = na.exclude)
  expect_identical(which(is.na(fitted(excluded))), c(3L, 7L))
  expect_identical(which(is.na(residuals(excluded))), c(3L, 7L))
  expect_error(quick(y ~ x, gaps, na.action = na.fail), "'x' has 1 missing value, the first in row 3",
               class = "condens_error")
  expect_error(quick(y ~ x, gaps, na.action = na.pass), class = "condens_error")
  # Missing inputs are the model's where it is asked to; a missing target is not.
  expect_identical(nobs(quick(y ~ x, gaps, missing = "model")), 39L)
})

types <- eval(formals(condens:::predict.condens)$type)

test_that("no rows are no predictions, of the same shape", {
  for (formula in list(y ~ x + k, cbind(y, z) ~ x)) {
    fit <- quick(formula, table)
    target <- if (length(unlist(fit$about$targets$names)) > 1) "y"
    for (type in types) {
      some <- predict(fit, table[1:2, ], type, target = target, nsim = 3, seed = 1)
      none <- predict(fit, table[0, ], type, target = target, nsim = 3, seed = 1)
      expect_identical(NROW(none), 0L, label = type)
      expect_identical(length(dim(none)), length(dim(some)), label = type)
      expect_identical(dim(none)[-1], dim(some)[-1], label = type)
      expect_identical(colnames(none), colnames(some), label = type)
      expect_identical(class(none), class(some), label = type)
    }
  }
})

test_that("one row, rows with gaps and columns in another order", {
  fit <- quick(y ~ x + k + day, table)
  gap <- table
  gap$x[[2]] <- NA
  gap$k[[4]] <- NA
  for (type in setdiff(types, "distribution")) {
    all <- predict(fit, table[1:5, ], type, seed = 1, at = if (type %in% c("density", "cdf")) c(-1, 1))
    row <- function(values, i) if (is.matrix(values)) values[i, ] else values[[i]]
    if (type != "sample") {
      one <- predict(fit, table[3, ], type, at = if (type %in% c("density", "cdf")) c(-1, 1))
      expect_identical(row(one, 1), row(all, 3), label = type)
    }
    mixed <- predict(fit, gap[1:5, rev(names(gap))], type, seed = 1, at = if (type %in% c("density", "cdf")) c(-1, 1))
    expect_true(all(is.na(unlist(lapply(c(2, 4), row, values = mixed)))), label = type)
    if (type != "sample") expect_identical(row(mixed, 5), row(all, 5), label = type)
  }
  two <- quick(cbind(y, z) ~ x, table)
  draws <- predict(two, gap[1:3, ], "sample", nsim = 2, seed = 1)
  expect_identical(is.na(draws[, 1, "z"]), c(FALSE, TRUE, FALSE))
  expect_identical(draws[1, , ], predict(two, table[1, ], "sample", nsim = 2, seed = 1)[1, , ])
  laws <- predict(fit, gap[1:5, ], "distribution")
  expect_identical(is.na(laws), c(FALSE, TRUE, FALSE, TRUE, FALSE))
  expect_error(predict(fit, table[c("x", "k")]), "newdata has no column 'day', expected x, k, day",
               class = "condens_error")
  expect_error(predict(fit, as.matrix(table["x"])), "newdata is of class matrix", class = "condens_error")
})

test_that("levels that the fit did not see", {
  fit <- quick(y ~ x + k, table)
  new <- transform(table[1:2, ], k = c("a", "c"))
  expect_error(predict(fit, new), "'c'", class = "condens_error")
  other <- quick(y ~ x + k, table, unseen = "other")
  expect_true(all(is.finite(predict(other, new))))
  # The numbers of another order of levels do not matter, its texts do.
  turned <- transform(table, k = factor(k, c("b", "a")))
  expect_identical(predict(fit, turned), predict(fit, table))
  expect_identical(predict(fit, transform(table, k = as.character(k))), predict(fit, table))
})

test_that("ordered factors have the ranks of the fit", {
  fit <- quick(y ~ o, table)
  new <- data.frame(o = factor(c("high", "low"), c("high", "low"), ordered = TRUE))
  expect_identical(predict(fit, new), predict(fit, table[c(3, 1), ]))
  expect_identical(predict(fit, data.frame(o = c("high", "low"))), predict(fit, new))
  expect_error(predict(fit, data.frame(o = "huge")), "'o' = \"huge\", which is no level of the fit",
               class = "condens_error")
})

test_that("logical columns, dates and times", {
  fit <- quick(y ~ l, table)
  expect_identical(predict(fit, table), predict(quick(y ~ l, transform(table, l = as.character(l))), table))
  fit <- quick(y ~ day, table)
  texts <- transform(table, day = format(day))
  expect_identical(predict(fit, texts), predict(fit, table))
  time <- transform(table, day = as.POSIXct(format(day), tz = "UTC"))
  expect_identical(predict(quick(y ~ day, time), transform(table, day = format(day, "%Y-%m-%dT%H:%M:%S"))),
                   predict(quick(y ~ day, time), time))
  expect_error(quick(y ~ w, transform(table, w = day - day[[1]])), "is a time difference", class = "condens_error")
})

test_that("a tibble, a matrix, a vector and a list of columns are read", {
  expected <- quick(table[c("x", "z")], table$y)
  skip_if_not_installed("tibble")
  tibble <- tibble::as_tibble(table)
  same_model(quick(y ~ x + z, tibble), quick(y ~ x + z, table))
  same_model(quick(tibble[c("x", "z")], tibble$y), expected)
  same_model(quick(as.matrix(table[c("x", "z")]), table$y), expected)
  bare <- unname(as.matrix(table[c("x", "z")]))
  fit <- quick(bare, table$y)
  expect_identical(inputs_of(fit), c("x1", "x2"))
  expect_identical(predict(fit, bare), predict(expected))
  expect_error(predict(fit, bare[, 1]), "newdata has 1 columns, expected 2: x1, x2", class = "condens_error")
  one <- quick(table$x, table$y)
  expect_identical(inputs_of(one), "x")
  expect_identical(predict(one, table$x[1:3]), predict(one)[1:3])
  expect_identical(predict(one, numeric()), numeric())
  density <- quick(NULL, table$y)
  expect_null(inputs_of(density))
  expect_identical(predict(density, table[1:3, ]), rep(predict(density)[[1]], 3))
})

test_that("a recipe is prepared, and its blueprint is used in predictions", {
  skip_if_not(nzchar(system.file(package = "recipes")), "recipes is not installed")
  skip_if_not_installed("hardhat")
  suppressWarnings({  # of the time zone, where the system has none
    recipe <- recipes::step_normalize(recipes::recipe(y ~ x + z, table), recipes::all_numeric_predictors())
    fit <- condens(recipe, table, "nw", seed = 1)
  })
  expect_identical(predict(fit, table[3:5, ]), predict(fit)[3:5])
})

test_that("update() changes the formula and the arguments", {
  fit <- suppressWarnings(lscde(y ~ x, table, seed = 1, bandwidth = 0.5, n_centers = 20))
  again <- suppressWarnings(update(fit, . ~ . + z, seed = 2))
  suppressWarnings(same_model(again, lscde(y ~ x + z, table, seed = 2, bandwidth = 0.5, n_centers = 20)))
  expect_equal(formula(again), y ~ x + z, ignore_formula_env = TRUE)
  expect_identical(update(fit, seed = 3, evaluate = FALSE)$seed, 3)
})
