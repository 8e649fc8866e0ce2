# Every sentence of refusal is an error of class condens_error, with the call that the user typed.

fit <- lscde(dist ~ speed, cars, seed = 1)

refused <- function(expression, text, call = NULL) {
  found <- tryCatch({
    force(expression)
    NULL
  }, error = identity)
  expect_s3_class(found, "condens_error")
  expect_match(conditionMessage(found), text, fixed = TRUE)
  if (!is.null(call)) expect_equal(as.character(conditionCall(found)[[1]]), call)
}

test_that("fits", {
  refused(lscde(dist ~ speed, cars, n_centres = 3), "unknown option 'n_centres'", "lscde")
  refused(lscde(dist ~ speed, cars, bandwidth = -1), "bandwidth = -1, expected", "lscde")
  refused(condens(dist ~ speed, cars, model = "lsdce"), "lsdce", "condens")
  refused(condens(dist ~ speed, cars, model = 3), "model = 3, expected a text")
  refused(lscde(dist ~ speed, as.matrix(cars)), "data is of class matrix, expected a data frame")
  refused(lscde(dist ~ speed, cars, preset = "papers"), "papers")
  refused(lscde(dist ~ speed, cars, threads = -1), "threads = -1, expected a whole number from 0 to 4096")
  refused(lscde(dist ~ speed, cars, progress = NA), "progress = NA, expected TRUE or FALSE")
  refused(lscde(dist ~ speed, cars, conformal = "yes"), "conformal = \"yes\", expected TRUE, FALSE or a list")
  refused(lscde(dist ~ speed, cars, conformal = list(share = 2)), "share = 2, expected a number between 0 and 1")
  refused(lscde(dist ~ speed, cars, conformal = list(method = "loo")), "conformal: method = \"loo\", expected one of")
  refused(lscde(dist ~ speed, cars, conformal = list(folds = 4)), "folds = 4 with method = \"split\"")
  refused(lscde(dist ~ speed, cars, conformal = list(method = "cv+", share = 0.2)), "which leaves no rows out")
  refused(lscde(dist ~ speed, cars, conformal = list(groups = "town")), "town")
  refused(lscde(dist ~ speed, cars, calibrate = 0.2), "calibrate = 0.2, expected TRUE, FALSE or list(share = 0.25)")
  refused(lscde(dist ~ speed, cars, bootstrap = 1.5), "bootstrap = 1.5, expected a whole number")
  refused(lscde(dist ~ speed, cars, target_kind = "bounded:0,10"), "expected")
  refused(lscde(cars["speed"]), "y is missing, expected the targets of x")
  refused(lscde(cars["speed"], cars$dist[1:3]), "x has 50 rows and y has 3")
  refused(lscde(cars, cars["dist"]), "'dist' is in x and in y")
  refused(lscde(dist ~ speed, cars, weights = 1:3), "weights has 3 values for 50 rows")
  refused(lscde(list(1, "a"), 1:2), "expected a data frame, a numeric matrix or a vector")
  refused(lscde(dist ~ speed, cars, 5), "an argument has no name")
})

test_that("predictions", {
  new <- data.frame(speed = 8)
  refused(predict(fit, data.frame(sped = 8)), "newdata has no column 'speed', expected speed", "predict.condens")
  refused(predict(fit, new, type = "means"), "type = \"means\", expected one of \"mean\"")
  refused(predict(fit, new, type = "quantile", probs = 2), "probs = 2, expected numbers from 0 to 1")
  refused(predict(fit, new, type = "interval", level = 90), "level = 90, expected a number between 0 and 1")
  refused(predict(fit, new, target = "speed", type = "median"), "dist")
  refused(predict(fit, new, bands = 0.9), "the fit has no replicates; fit it with bootstrap = 100")
  refused(predict(fit, new, type = "interval", shift = TRUE), "of a fit with conformal = TRUE")
  refused(predict(fit, new, type = "sample", nsim = 0), "nsim = 0, expected a whole number from 1")
  refused(condens_score(lm(dist ~ speed, cars)), "object is of class lm, expected a fit of condens()")
  refused(condens_score(fit, data.frame(speed = NA, dist = 1)), "missing values, the first is 1")
  refused(coef(fit), "has no coefficients of inputs")
  refused(predict(lscde(dist ~ speed, cars, seed = 1, keep_data = FALSE)), "keep_data = FALSE")
})

test_that("files", {
  file <- tempfile(fileext = ".cbor")
  refused(condens_read(file), file, "condens_read")
  condens_write(fit, file)
  bytes <- readBin(file, "raw", 1e6)
  broken <- function(bytes) {
    writeBin(bytes, file)
    found <- tryCatch(condens_read(file), error = identity)
    expect_s3_class(found, "condens_format_error")
  }
  broken(bytes[1:100])
  bytes[length(bytes) %/% 2] <- xor(bytes[length(bytes) %/% 2], as.raw(1))
  broken(bytes)
  refused(condens_write(1, file), "object is of class numeric")
  refused(formula(condens_read(local({
    condens_write(fit, file)
    file
  }))), "the fit has no formula")
  altered <- fit
  altered$model <- as.raw(1:20)
  refused(predict(altered, data.frame(speed = 1)), "model")
})

test_that("distributions", {
  y <- dist_condens(fit, data.frame(speed = c(8, 16)))
  refused(dist_crps(y, 1), "y has 1 values for 2 distributions")
  altered <- y
  altered[[1]]$prediction$laws <- as.raw(1:20)
  refused(median(altered), "distributions")
})
