# Table 1 of Goerg (2017): MARS by R's package earth at its defaults, on TensorFlow's split of the abalone data.
#
# usage: Rscript rivals.R DATA_DIRECTORY
#
# Writes the row of earth, in the columns of rivals.py.

suppressPackageStartupMessages(library(earth))

directory <- commandArgs(trailingOnly = TRUE)[[1]]
train <- read.csv(file.path(directory, "abalone_tf_train.csv"))
test <- read.csv(file.path(directory, "abalone_tf_test.csv"))
target <- names(train)[[ncol(train)]]
names(test) <- names(train)

fit <- earth(reformulate(".", target), data = train)
residuals <- test[[target]] - predict(fit, test)[, 1]
printed <- c(mse = 5.266, mad = 1.592)
cat(sprintf("| earth         | %15.3f | %13.3f | %15.3f | %13.3f |\n", printed[["mse"]], mean(residuals^2),
            printed[["mad"]], mean(abs(residuals))))
