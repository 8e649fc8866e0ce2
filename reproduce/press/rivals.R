# Table 1 of Goerg (2017): MARS by R's package earth at its defaults, on TensorFlow's split of the abalone data.
#
# usage: Rscript rivals.R DATA_DIRECTORY MOST_ROWS
#
# Writes the mean squared and the mean absolute error of the test rows.

suppressPackageStartupMessages(library(earth))

arguments <- commandArgs(trailingOnly = TRUE)
most <- as.numeric(arguments[[2]])
train <- head(read.csv(file.path(arguments[[1]], "abalone_tf_train.csv")), most)
test <- head(read.csv(file.path(arguments[[1]], "abalone_tf_test.csv")), most)
target <- names(train)[[ncol(train)]]
names(test) <- names(train)

fit <- earth(reformulate(".", target), data = train)
residuals <- test[[target]] - predict(fit, test)[, 1]
cat(sprintf("%.17g %.17g\n", mean(residuals^2), mean(abs(residuals))))
