# R, the command and Python give the same numbers to the bit: R against the command here, Python against it in
# python/tests/test_doors.py, both from the table tests/doors/cases.json.

levels <- c(0.05, 0.5, 0.95)

# The columns of the command's table of predictions, from R.
predictions_of <- function(fit, new, targets) {
  out <- list()
  for (target in targets) {
    of_type <- function(...) predict(fit, new, ..., target = target)
    interval <- of_type("interval", level = 0.9)
    quantiles <- of_type("quantile", probs = levels)
    draws <- of_type("sample", nsim = 2, seed = 8)
    own <- list(mean = of_type("mean"), std = of_type("sd"), mode = of_type("mode"), q0.05 = quantiles[, 1],
                q0.5 = quantiles[, 2], q0.95 = quantiles[, 3], lower = interval[, 1], upper = interval[, 2],
                cdf = of_type("cdf"), sample1 = draws[, 1], sample2 = draws[, 2])
    if (length(targets) > 1) {
      # Of several targets the command prints the mode of each, R has that of all together.
      own$mode <- NULL
      names(own) <- paste0(target, "_", names(own))
    }
    out <- c(out, own)
  }
  # The command asks the distributions; predict(type = "density") asks the model, which rounds in another order.
  laws <- predict(fit, new, "distribution")
  y <- lapply(seq_along(laws), function(i) as.matrix(new[i, targets, drop = FALSE]))
  c(out, list(log_density = unlist(density(laws, y, log = TRUE))))
}

same_bits <- function(a, b) identical(as.double(a), as.double(b), num.eq = FALSE, single.NA = FALSE)

# What may differ: the name of the column of weights, which R is not told, and the check sum over it.
without_name_of_weights <- function(lines) {
  sub('"(weight|checksum)": ".*"', '"\\1": ""', lines)
}

test_that("the reader of the command's numbers gives back every bit", {
  skip_if_not_installed("jsonlite")
  set.seed(3)
  values <- c(rnorm(500) * 10^sample(-300:300, 500, TRUE), -0, 5e-324, .Machine$double.xmax)
  text <- paste0("[", paste(sprintf("%.17e", values), collapse = ","), "]")
  expect_true(same_bits(jsonlite::fromJSON(text), values))
})

if (nzchar(Sys.getenv("CONDENS_COMMAND")) && requireNamespace("jsonlite", quietly = TRUE)) {
  for (case in door_cases()) {
    test_that(paste("R and the command agree to the bit:", case$name), {
      command <- skip_without_command()
      folder <- tempfile("doors")
      dir.create(folder)
      on.exit(unlink(folder, recursive = TRUE))
      ours <- fit_by_r(case)
      theirs <- fit_by_command(command, case, file.path(folder, "command.json"))
      expect_identical(unlist(ours$about$targets$names), case$targets)

      condens_write(ours, file.path(folder, "r.json"))
      bytes <- readLines(file.path(folder, "r.json"))
      expected <- readLines(theirs)
      if (!is.null(case$weight)) {
        bytes <- without_name_of_weights(bytes)
        expected <- without_name_of_weights(expected)
      }
      expect_identical(bytes, expected)

      new <- door_table("new.csv", case)
      printed <- run_command(command, "predict", theirs, test_path("doors", "new.csv"), "--mean", "--std", "--mode",
                             "--quantiles", paste(levels, collapse = ","), "--interval", "0.9", "--log-density",
                             "--cdf", "--sample", "2", "--seed", "8", "--json")
      theirs <- jsonlite::fromJSON(paste(printed, collapse = "\n"), simplifyDataFrame = TRUE)
      ours <- predictions_of(ours, new, case$targets)
      expect_setequal(names(ours), grep("_mode$", names(theirs), value = TRUE, invert = TRUE))
      for (name in names(ours)) expect_true(same_bits(ours[[name]], theirs[[name]]), label = name)

      # What the command has written predicts the same in R, too.
      read <- predictions_of(condens_read(file.path(folder, "command.json")), new, case$targets)
      expect_identical(read, ours)
    })
  }
} else {
  test_that("R and the command agree to the bit", {
    skip_without_command()
  })
}

test_that("models are compared on targets of a kind and in the order of time", {
  set.seed(1)
  data <- data.frame(x = runif(80))
  data$y <- rpois(80, 3 * data$x)
  board <- condens_compare(y ~ x, data, models = c("boost", "gmm"), target_kind = "count", cv = "time", repeats = 2,
                           test_fraction = 0.3, seed = 1)
  expect_true(all(board$nll > 0))
  expect_true(all(is.na(board$squared_loss)))
  expect_output(print(board), "2 blocks of time")
  expect_error(condens_compare(y ~ x, data, models = "gmm", target_kind = "counts"), "expected one of")
  expect_error(condens_compare(y ~ x, data, models = "gmm", cv = "weeks"), "should be one of")
})

test_that("replicates by derivatives have the errors of refits", {
  plain <- list(dist ~ speed, cars, bandwidth = 1, bandwidth_y = 0.5, regularization = 0.1, seed = 1)
  width <- function(bootstrap) {
    bands <- predict(do.call(lscde, c(plain, list(bootstrap = bootstrap))), cars[1:9, ], bands = 0.8)
    bands$upper - bands$lower
  }
  ratio <- width(list(replicates = 400, method = "delta")) / width(400)
  expect_lt(max(abs(ratio - 1)), 0.5)
  expect_error(lscde(dist ~ speed, cars, bootstrap = list(count = 5)), "`replicates` and `method`")
  expect_error(nw(dist ~ speed, cars, bootstrap = list(replicates = 5, method = "delta")), "expected 'refit'")
})
