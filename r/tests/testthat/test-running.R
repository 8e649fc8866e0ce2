# Seeds, interrupts and memory.

test_that("set.seed() determines a fit without a seed, and a seed does not touch R's generator", {
  fit <- function(...) predict(mdn(dist ~ speed, cars, units = 3, n_components = 2, n_starts = 1, n_members = 1, ...),
                               data.frame(speed = 10))
  set.seed(5)
  first <- fit()
  second <- fit()
  set.seed(5)
  expect_identical(fit(), first)
  expect_false(identical(first, second))
  set.seed(7)
  before <- .Random.seed
  fit(seed = 1)
  expect_identical(.Random.seed, before)
  expect_error(fit(seed = -1), "seed = -1, expected a whole number from 0")
})

test_that("draws follow set.seed(), and simulate() its seed", {
  fit <- nw(dist ~ speed, cars, seed = 1)
  set.seed(3)
  first <- predict(fit, type = "sample", nsim = 2)
  set.seed(3)
  expect_identical(predict(fit, type = "sample", nsim = 2), first)
  expect_identical(simulate(fit, 2, seed = 9), simulate(fit, 2, seed = 9))
})

test_that("Ctrl-C ends a fit at once, and the session goes on", {
  skip_on_os("windows")
  script <- tempfile(fileext = ".R")
  file <- tempfile()
  writeLines(c(
    "library(condens)",
    "set.seed(1); n <- 4000; d <- data.frame(x = rnorm(n), z = rnorm(n)); d$y <- d$x + rnorm(n)",
    sprintf("cat(Sys.getpid(), file = '%s.pid')", file),
    "caught <- tryCatch({ auto(y ~ x + z, d, budget = 600, seed = 1); FALSE }, interrupt = function(c) TRUE)",
    sprintf("ended <- as.numeric(Sys.time())"),
    "again <- predict(nw(dist ~ speed, cars, seed = 1), data.frame(speed = 10))",
    sprintf("writeLines(format(c(caught, ended, again), digits = 16), '%s')", file)
  ), script)
  system2(file.path(R.home("bin"), "Rscript"), script, wait = FALSE, stdout = FALSE, stderr = FALSE,
          env = paste0("R_LIBS=", paste(.libPaths(), collapse = ":")))
  await <- function(path, seconds) {
    end <- Sys.time() + seconds
    while (!file.exists(path) && Sys.time() < end) Sys.sleep(0.05)
    file.exists(path)
  }
  expect_true(await(paste0(file, ".pid"), 60))
  Sys.sleep(1.5)  # the fit is under way
  sent <- as.numeric(Sys.time())
  tools::pskill(as.integer(readLines(paste0(file, ".pid"), warn = FALSE)), tools::SIGINT)
  expect_true(await(file, 30))
  Sys.sleep(0.1)
  told <- as.numeric(readLines(file))
  expect_equal(told[[1]], 1)
  # The goal is 0.1 s; a machine that does other things beside the tests may take longer.
  cat(sprintf("\nCtrl-C ended the fit after %.3f s\n", told[[2]] - sent))
  expect_lt(told[[2]] - sent, 2)
  expect_equal(told[[3]], predict(nw(dist ~ speed, cars, seed = 1), data.frame(speed = 10)), tolerance = 1e-12)
})

test_that("changed bytes are those of a copy, and are refused", {
  fit <- nw(dist ~ speed, cars, seed = 1)
  new <- data.frame(speed = 8)
  expected <- predict(fit, new)
  bytes <- fit$model
  bytes[[20]] <- xor(bytes[[20]], as.raw(1))
  changed <- fit
  changed$model[[20]] <- bytes[[20]]
  expect_identical(predict(fit, new), expected)
  expect_identical(predict(unserialize(serialize(fit, NULL)), new), expected)
  for (broken in list(bytes, changed$model)) {
    changed$model <- broken
    expect_error(predict(changed, new), class = "condens_format_error")
  }
})

test_that("the bindings protect what they make", {
  train <- cars[1:12, ]
  new <- data.frame(speed = c(5, 10))
  call <- function() {
    fit <- nw(dist ~ speed, train, bandwidth = 0.5, bandwidth_y = 0.5, metric = "isotropic", seed = 1, progress = FALSE)
    list(predict(fit, new), predict(fit, new, type = "hdr"), condens_results(fit)$bandwidth,
         unserialize(serialize(fit$model, NULL)), condens_score(fit)$nll$value)
  }
  calm <- call()
  gctorture2(step = 400, wait = 400)
  on.exit(gctorture(FALSE))
  stressed <- call()
  gctorture(FALSE)
  expect_identical(stressed[c(1:3, 5)], calm[c(1:3, 5)])
  expect_identical(as.raw(stressed[[4]]), as.raw(calm[[4]]))
})
