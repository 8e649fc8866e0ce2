# Packages that may not be there: what is registered with them is tried on stubs of their registries.

fit <- lscde(dist ~ speed, cars, seed = 1)
new <- data.frame(speed = c(8, 16))

test_that("distributions3 and topmodels get methods", {
  stub <- new.env()
  stub$.packageName <- "stub"  # where R looks for methods
  local({
    prodist <- function(object, ...) UseMethod("prodist")
    pdf <- function(d, x, ...) UseMethod("pdf")
    log_pdf <- function(d, x, ...) UseMethod("log_pdf")
    cdf <- function(d, x, ...) UseMethod("cdf")
    random <- function(x, n = 1L, ...) UseMethod("random")
    is_discrete <- function(d, ...) UseMethod("is_discrete")
  }, stub)
  register_distributions3(stub)
  y <- stub$prodist(fit, newdata = new)
  expect_equal(stub$pdf(y, 30), predict(fit, new, type = "density", at = 30)[, 1])
  expect_equal(stub$pdf(y, c(20, 40)), diag(predict(fit, new, type = "density", at = c(20, 40))))
  expect_equal(stub$pdf(y, c(20, 40, 60)), predict(fit, new, type = "density", at = c(20, 40, 60)))
  expect_equal(stub$log_pdf(y, 30), log(stub$pdf(y, 30)))
  expect_equal(stub$cdf(y, 30), predict(fit, new, type = "cdf", at = 30)[, 1])
  expect_equal(dim(stub$random(y, 5)), c(2, 5))
  expect_equal(stub$is_discrete(y), c(FALSE, FALSE))
})

# A stub of parsnip's registry: the calls that were made.
parsnip_stub <- function() {
  stub <- new.env()
  stub$calls <- list()
  for (name in c("set_new_model", "set_model_mode", "set_model_engine", "set_dependency", "set_model_arg", "set_fit",
                 "set_encoding", "set_pred")) {
    assign(name, local({
      own <- name
      function(...) stub$calls <- c(stub$calls, list(list(call = own, arguments = list(...))))
    }), stub)
  }
  stub
}

test_that("parsnip gets a model whose fit and predictions are those of condens()", {
  stub <- parsnip_stub()
  register_parsnip(stub)
  names <- vapply(stub$calls, `[[`, "", "call")
  expect_equal(names[1:3], c("set_new_model", "set_model_mode", "set_model_engine"))
  fitted <- Find(function(call) call$call == "set_fit", stub$calls)$arguments$value
  expect_equal(fitted$func[["fun"]], "condens")
  own <- do.call(get(fitted$func[["fun"]], asNamespace(fitted$func[["pkg"]])),
                 c(list(dist ~ speed, data = cars, model = "lscde", seed = 1), fitted$defaults))
  expect_identical(predict(own, new), predict(fit, new))
  object <- list(fit = own)
  new_data <- new
  level <- 0.8
  predictions <- Filter(function(call) call$call == "set_pred", stub$calls)
  expect_setequal(vapply(predictions, function(call) call$arguments$type, ""),
                  c("numeric", "pred_int", "quantile", "raw"))
  for (call in predictions) {
    if (call$arguments$type == "quantile") next
    value <- call$arguments$value
    out <- do.call(value$func[["fun"]], lapply(value$args, eval, envir = environment()))
    if (!is.null(value$post)) out <- value$post(out, object)
    expect_equal(NROW(out), 2)
    if (call$arguments$type == "pred_int") expect_named(out, c(".pred_lower", ".pred_upper"))
  }
})

test_that("a specification is what parsnip's constructor is asked for", {
  made <- specification(function(cls, args, eng_args, mode, method, engine) {
    list(class = cls, args = args, mode = mode, engine = engine)
  }, "regression", "lscde", "condens")
  expect_equal(made$class, "conditional_density")
  expect_equal(made$engine, "condens")
  expect_equal(eval(made$args$model[[2]]), "lscde")
  skip_if(requireNamespace("parsnip", quietly = TRUE))
  expect_error(conditional_density(), "which is not installed")
})
