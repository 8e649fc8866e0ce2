# The 450 problems of kqr_benchmark by kernlab's kqr (an interior point method for the same programme) and by condens,
# one after the other, on the same kernel matrices.
#
# usage: Rscript benchmarks/kqr_rivals.R KQR_BENCHMARK
# The argument is the C++ program of that name. Debian: r-cran-kernlab.

program <- commandArgs(trailingOnly = TRUE)
if (length(program) != 1) stop("usage: Rscript benchmarks/kqr_rivals.R KQR_BENCHMARK")
if (!requireNamespace("kernlab", quietly = TRUE)) {
  cat("kernlab is not installed (Debian: r-cran-kernlab): no comparison\n")
  quit(status = 0)
}
suppressPackageStartupMessages(library(kernlab))

data <- read.csv(text = system2(program, "rows", stdout = TRUE), header = FALSE)
x <- as.matrix(data[, 1:2])
y <- data[, 3]
fold <- data[, 4]
lambdas <- c(10, 5, 2, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01)
levels <- (1:9) / 10

# sum psi(y - f) + lambda alpha' K alpha
objective <- function(model, kernel, y, level, lambda) {
  r <- y - fitted(model)
  a <- as.vector(alpha(model))
  sum(pmax(level * r, (level - 1) * r)) + lambda * sum(a * (kernel %*% a))
}

theirs <- numeric(0)
seconds <- 0
for (k in 0:4) {
  train <- fold != k
  kernel <- as.kernelMatrix(exp(-0.5 * as.matrix(dist(x[train, ]))^2))
  for (lambda in lambdas) for (level in levels) {
    # C sum psi + |f|^2 / 2
    time <- system.time(model <- kqr(kernel, y[train], tau = level, C = 1 / (2 * lambda)))
    seconds <- seconds + time[["elapsed"]]
    theirs <- c(theirs, objective(model, kernel, y[train], level, lambda))
  }
}

lines <- as.numeric(system2(program, "objectives", stdout = TRUE))
ours <- lines[-1]
cat(sprintf("%d problems, n = %d in %d folds\n", length(theirs), length(y), max(fold) + 1))
cat(sprintf("  kernlab %s, kqr        %8.2f s\n", packageVersion("kernlab"), seconds))
cat(sprintf("  condens, 1 thread          %8.2f s, %.0f times faster\n", lines[1], seconds / lines[1]))
excess <- theirs / ours - 1
cat(sprintf("  objective of kernlab above ours, relative: median %.1e, largest %.1e, smallest %.1e\n",
            median(excess), max(excess), min(excess)))
