library(testthat)
library(condens)

test_check("condens")
