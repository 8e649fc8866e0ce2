#!/usr/bin/env Rscript
# Conditional densities of the R package condens beside other packages of R: held-out scores and times, in one run.
#
# usage: Rscript benchmarks/r_packages.R [REPEATS] > benchmarks/R_PACKAGES.md
#
# needs the package condens (R CMD INSTALL r) and kernlab, ks, MASS, mclust and quantreg. All run on one thread.

library(condens)
options(condens.threads = 1)
source(system.file("rivals", "rivals.R", package = "condens"))

repeats <- as.integer(commandArgs(TRUE)[1])
if (is.na(repeats)) repeats <- 5
models <- list(`condens: lscde` = ours("lscde"), `condens: nw` = ours("nw"), `condens: gmm` = ours("gmm"),
               `condens: kqr` = ours("kqr"), `condens: kqr, kernlab's width and C` = kqr_as_kernlab,
               `condens: auto` = ours("auto"))
number <- function(value, error) if (is.na(value)) "–" else sprintf("%.3f ± %.3f", value, error)

cat("# condens beside other packages of R\n\n")
cat("`Rscript benchmarks/r_packages.R ", repeats, "`, ", format(Sys.Date()), ", ", R.version.string, ", one thread of ",
    trimws(sub(".*: ", "", grep("model name", readLines("/proc/cpuinfo"), value = TRUE)[[1]])), ", commit ",
    system("git rev-parse --short HEAD", intern = TRUE), ".\n\n", sep = "")
cat("Fitted to half of the rows, scored on the others, means over ", repeats, " splits with standard errors. `nll`: mean",
    " negative log density. `pinball`: mean pinball loss at 19 levels, times two, which is the CRPS seen at quantiles.",
    " Seconds: fit and prediction. Last column: how many times longer than `condens: nw`. Versions: ",
    paste(vapply(c("kernlab", "ks", "mclust", "quantreg"), function(name) paste(name, packageVersion(name)), ""),
          collapse = ", "), ".\n", sep = "")
for (name in c("geyser", "mcycle", "skewed", "two_inputs")) {
  set.seed(1)
  data <- rival_data(name)
  own <- c(models, if (ncol(data) > 2) rivals[names(rivals) != "cde (Hyndman et al.)"] else rivals)
  table <- compare_rivals(data, own, repeats)
  cat("\n## ", name, ", ", nrow(data), " rows, ", ncol(data) - 1, " input", if (ncol(data) > 2) "s", "\n\n", sep = "")
  cat("| | nll | pinball | seconds | times nw |\n| --- | --- | --- | --- | --- |\n")
  first <- table$seconds[table$contestant == "condens: nw"]
  for (i in seq_len(nrow(table))) {
    row <- table[i, ]
    cat("| ", row$contestant, " | ", number(row$nll, row$nll_se), " | ", number(row$pinball, row$pinball_se), " | ",
        sprintf("%.3f", row$seconds), " | ", sprintf("%.0f", row$seconds / max(first, 1e-3)), " |\n", sep = "")
  }
}
