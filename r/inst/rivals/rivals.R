# Conditional densities by other packages of R, on the same splits: held-out scores and times in one table. Read by
# the vignette "Beside other packages" and by benchmarks/r_packages.R.
#
# A contestant is function(train, test) of data frames with columns x (or x1, x2, ...) and y. It returns what it
# predicts for each row of `test`: list(quantiles =, a matrix of the levels below, density =, at the y of the row, or
# NULL).
#
#   nll      mean of -log density, of those that estimate one
#   pinball  mean over the levels of the pinball loss, times two: the CRPS seen at 19 quantiles

levels_of_pinball <- seq(0.05, 0.95, 0.05)

inputs_of <- function(data) as.matrix(data[setdiff(names(data), "y")])

pinball <- function(quantiles, y) {
  excess <- y - quantiles
  loss <- ifelse(excess > 0, rep(levels_of_pinball, each = length(y)) * excess,
                 (rep(levels_of_pinball, each = length(y)) - 1) * excess)
  2 * mean(loss)
}

# Quantiles of densities on a grid of y, a row for each x.
quantiles_on_grid <- function(density, grid) {
  t(apply(density, 1, function(p) {
    share <- cumsum(p) / sum(p)
    stats::approx(c(0, share), c(grid[[1]], grid), levels_of_pinball, ties = "ordered", rule = 2)$y
  }))
}

at_own_y <- function(density, grid, y) {
  vapply(seq_along(y), function(i) stats::approx(grid, density[i, ], y[[i]], yleft = 0, yright = 0)$y, 0)
}

grid_of <- function(y, points = 400) {
  margin <- 0.25 * diff(range(y))
  seq(min(y) - margin, max(y) + margin, length.out = points)
}

ours <- function(model, ...) {
  function(train, test) {
    fit <- condens::condens(y ~ ., train, model = model, seed = 1, progress = FALSE, ...)
    list(quantiles = predict(fit, test, type = "quantile", probs = levels_of_pinball),
         density = predict(fit, test, type = "density"))
  }
}

# Our kernel quantile regression with the width and the three penalties of kernlab_kqr below: C = 1 / (2 lambda).
kqr_as_kernlab <- function(train, test) {
  width <- 1 / sqrt(2 * kernlab::sigest(inputs_of(train))[[2]])
  ours("kqr", loss = "sum", bandwidth = width, regularization = 1 / (2 * c(0.1, 1, 10)), refine = FALSE,
       scoring = "pinball")(train, test)
}

# Koenker, Ng and Portnoy (1994): a total variation smoother for each level, its penalty by the Schwarz criterion.
quantreg_rqss <- function(train, test) {
  names <- setdiff(names(train), "y")
  inside <- test
  for (name in names) inside[[name]] <- pmin(pmax(test[[name]], min(train[[name]])), max(train[[name]]))
  lambdas <- 10^seq(-1, 1.5, length.out = 6) * mean(vapply(train[names], stats::sd, 0))
  quantiles <- vapply(levels_of_pinball, function(tau) {
    fits <- lapply(lambdas, function(lambda) {
      terms <- paste0("qss(", names, ", lambda = ", format(lambda, digits = 15), ")", collapse = " + ")
      place <- list2env(list(qss = quantreg::qss), parent = globalenv())
      quantreg::rqss(stats::as.formula(paste("y ~", terms), place), tau = tau, data = train)
    })
    best <- which.min(vapply(fits, function(fit) stats::AIC(fit, k = -1)[[1]], 0))
    as.vector(stats::predict(fits[[best]], inside))
  }, numeric(nrow(test)))
  list(quantiles = t(apply(quantiles, 1, sort)), density = NULL)
}

# Takeuchi, Le, Sears and Smola (2006), by kernlab: C by the pinball loss on a fifth of the rows.
kernlab_kqr <- function(train, test) {
  x <- inputs_of(train)
  held <- seq_len(nrow(train)) %% 5 == 0
  width <- list(sigma = kernlab::sigest(x)[[2]])
  fit <- function(rows, tau, cost) {
    kernlab::kqr(x[rows, , drop = FALSE], train$y[rows], tau = tau, C = cost, kernel = "rbfdot", kpar = width)
  }
  costs <- c(0.1, 1, 10)
  loss <- vapply(costs, function(cost) {
    excess <- train$y[held] - kernlab::predict(fit(!held, 0.5, cost), x[held, , drop = FALSE])
    mean(abs(excess))
  }, 0)
  cost <- costs[[which.min(loss)]]
  quantiles <- vapply(levels_of_pinball, function(tau) {
    as.vector(kernlab::predict(fit(rep(TRUE, nrow(train)), tau, cost), inputs_of(test)))
  }, numeric(nrow(test)))
  list(quantiles = t(apply(quantiles, 1, sort)), density = NULL)
}

# The joint density by ks (Duong 2007), its width matrix by smoothed cross-validation, over its integral along y.
ks_kde <- function(train, test) {
  joint <- cbind(inputs_of(train), train$y)
  width <- ks::Hscv(joint)
  grid <- grid_of(train$y)
  places <- inputs_of(test)
  density <- t(vapply(seq_len(nrow(test)), function(i) {
    points <- cbind(matrix(places[i, ], length(grid), ncol(places), byrow = TRUE), grid)
    ks::kde(joint, H = width, eval.points = points)$estimate
  }, numeric(length(grid))))
  density <- pmax(density, .Machine$double.xmin)
  density <- density / (rowSums(density) * diff(grid)[[1]])
  list(quantiles = quantiles_on_grid(density, grid), density = at_own_y(density, grid, test$y))
}

# Gaussian mixture of x and y by mclust (Scrucca et al. 2016), conditioned on x.
mclust_joint <- function(train, test) {
  joint <- cbind(inputs_of(train), train$y)
  fit <- mclust::densityMclust(joint, verbose = FALSE, plot = FALSE)
  pars <- fit$parameters
  d <- ncol(joint)
  places <- inputs_of(test)
  grid <- grid_of(train$y)
  parts <- lapply(seq_len(fit$G), function(k) {
    mean <- if (is.matrix(pars$mean)) pars$mean[, k] else pars$mean[[k]]
    cov <- pars$variance$sigma[, , k]
    xx <- solve(cov[-d, -d, drop = FALSE])
    gap <- sweep(places, 2, mean[-d])
    slope <- xx %*% cov[-d, d]
    log_weight <- log(pars$pro[[k]]) - 0.5 * rowSums((gap %*% xx) * gap) +
      0.5 * as.numeric(determinant(xx)$modulus)
    list(log_weight = log_weight, mean = mean[[d]] + as.vector(gap %*% slope),
         sd = sqrt(cov[d, d] - sum(cov[-d, d] * slope)))
  })
  logs <- vapply(parts, `[[`, numeric(nrow(test)), "log_weight")
  weights <- exp(logs - apply(logs, 1, max))
  weights <- weights / rowSums(weights)
  value <- function(y) {
    Reduce(`+`, lapply(seq_along(parts), function(k) weights[, k] * stats::dnorm(y, parts[[k]]$mean, parts[[k]]$sd)))
  }
  density <- vapply(grid, value, numeric(nrow(test)))
  list(quantiles = quantiles_on_grid(density, grid), density = value(test$y))
}

# The kernel estimator of Hyndman, Bashtannyk and Grunwald (1996), on which hdrcde's cde() is built, which is not
# packaged here: one input, widths by Silverman's normal reference rule, of x and of what a local mean leaves of y.
hyndman_cde <- function(train, test) {
  x <- train[[setdiff(names(train), "y")]]
  width_x <- stats::bw.nrd0(x)
  trend <- stats::ksmooth(x, train$y, "normal", bandwidth = width_x / 0.37, x.points = x)
  width_y <- stats::bw.nrd0(train$y[order(x)] - trend$y)
  weights <- stats::dnorm(outer(test[[setdiff(names(test), "y")]], x, `-`) / width_x) + .Machine$double.xmin
  weights <- weights / rowSums(weights)
  grid <- grid_of(train$y)
  density <- weights %*% (stats::dnorm(outer(train$y, grid, `-`) / width_y) / width_y)
  own <- rowSums(weights * stats::dnorm(outer(test$y, train$y, `-`) / width_y) / width_y)
  list(quantiles = quantiles_on_grid(density, grid), density = own)
}

rivals <- list(`quantreg::rqss` = quantreg_rqss, `kernlab::kqr` = kernlab_kqr, `ks::kde` = ks_kde,
               `mclust::densityMclust` = mclust_joint, `cde (Hyndman et al.)` = hyndman_cde)

# A row for each contestant: means over `repeats` splits in half, with standard errors, and seconds of fit and
# prediction.
compare_rivals <- function(data, contestants, repeats = 5, seed = 1) {
  set.seed(seed)
  splits <- replicate(repeats, sample(nrow(data), nrow(data) %/% 2), simplify = FALSE)
  rows <- lapply(names(contestants), function(name) {
    trials <- lapply(splits, function(rows) {
      train <- data[rows, ]
      test <- data[-rows, ]
      seconds <- system.time(found <- tryCatch(suppressWarnings(contestants[[name]](train, test)),
                                               error = function(e) NULL))[["elapsed"]]
      if (is.null(found)) return(c(nll = NA, pinball = NA, seconds = NA))
      c(nll = if (is.null(found$density)) NA else -mean(log(found$density)),
        pinball = pinball(found$quantiles, test$y), seconds = seconds)
    })
    trials <- do.call(rbind, trials)
    error <- function(values) if (sum(!is.na(values)) > 1) stats::sd(values) / sqrt(length(values)) else NA
    data.frame(contestant = name, nll = mean(trials[, "nll"]), nll_se = error(trials[, "nll"]),
               pinball = mean(trials[, "pinball"]), pinball_se = error(trials[, "pinball"]),
               seconds = mean(trials[, "seconds"]))
  })
  do.call(rbind, rows)
}

# The data of the studies: Old Faithful and the crash helmets of MASS, and drawn ones with a skewed, changing spread.
rival_data <- function(name, n = 600) {
  switch(name,
    geyser = data.frame(x = MASS::geyser$duration,
                        y = MASS::geyser$waiting + stats::runif(nrow(MASS::geyser), -0.5, 0.5)),
    mcycle = data.frame(x = MASS::mcycle$times, y = MASS::mcycle$accel),
    skewed = {
      x <- stats::runif(n)
      data.frame(x = x, y = sin(6 * x) + (0.1 + x) * (stats::rexp(n) - 1))
    },
    two_inputs = {
      x1 <- stats::rnorm(n)
      x2 <- stats::rnorm(n)
      data.frame(x1 = x1, x2 = x2, y = ifelse(stats::runif(n) < stats::plogis(2 * x1), x2, -x2) + 0.3 * stats::rnorm(n))
    },
    stop("unknown data '", name, "'")
  )
}
