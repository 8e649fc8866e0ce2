# Methods for packages that may not be there: registered when they are loaded.

.onLoad <- function(libname, pkgname) {
  when_loaded("distributions3", register_distributions3)
  when_loaded("parsnip", register_parsnip)
}

when_loaded <- function(package, register) {
  if (isNamespaceLoaded(package)) register(asNamespace(package))
  setHook(packageEvent(package, "onLoad"), function(...) register(asNamespace(package)))
}

# --- distributions3 and topmodels -------------------------------------------------------------------

# prodist() gives the vector of dist_condens(); these are what the two packages ask of it.
register_distributions3 <- function(namespace) {
  methods <- list(
    prodist = list(condens = function(object, newdata = NULL, ...) dist_condens(object, newdata)),
    pdf = list(condens_distributions = function(d, x, ...) at_each(d, "log_density", x, exp)),
    log_pdf = list(condens_distributions = function(d, x, ...) at_each(d, "log_density", x)),
    cdf = list(condens_distributions = function(d, x, ...) at_each(d, "cdf", x)),
    random = list(condens_distributions = function(x, n = 1L, drop = TRUE, ...) {
      draws <- distributional::generate(x, n)
      matrix(unlist(draws), nrow = length(x), byrow = TRUE)
    }),
    is_discrete = list(condens_distributions = function(d, ...) rep(FALSE, length(d))),
    is_continuous = list(condens_distributions = function(d, ...) rep(TRUE, length(d)))
  )
  for (generic in names(methods)) {
    if (!exists(generic, namespace, mode = "function")) next
    for (class in names(methods[[generic]])) {
      registerS3method(generic, class, methods[[generic]][[class]], envir = namespace)
    }
  }
}

# As distributions3 has it: as many values as distributions are their own, else all of them for each.
at_each <- function(d, name, x, transform = identity) {
  if (length(x) == length(d) && length(d) > 1) return(transform(own_values(d, x, name)))
  out <- at_values(d, name, x)
  if (is.list(out)) do.call(rbind, lapply(out, transform)) else transform(out)
}

# --- parsnip ------------------------------------------------------------------------------------------

#' A conditional density in tidymodels
#'
#' A model specification for parsnip, with the engine `"condens"`: `predict()` of it knows the types `"numeric"` (the
#' mean), `"pred_int"` (an interval), `"quantile"` and `"raw"` (the vector of distributions).
#'
#' @param mode `"regression"`.
#' @param model Name of the model; see [condens_models()].
#' @param engine `"condens"`.
#' @return A model specification, for `fit(conditional_density(model = "lscde"), dist ~ speed, cars)`. Without parsnip
#'   an error.
#' @export
conditional_density <- function(mode = "regression", model = "auto", engine = "condens") {
  package <- "parsnip"  # not in DESCRIPTION: nothing else needs it
  if (!requireNamespace(package, quietly = TRUE)) refuse("conditional_density() is for parsnip, which is not installed")
  specification(get("new_model_spec", asNamespace(package)), mode, model, engine)
}

specification <- function(new_model_spec, mode, model, engine) {
  quosure <- list(model = structure(call("~", model), class = c("quosure", "formula"), .Environment = emptyenv()))
  new_model_spec("conditional_density", args = quosure, eng_args = NULL, mode = mode, method = NULL, engine = engine)
}

# `parsnip`: its namespace, or a stub of it with the functions that are called here.
register_parsnip <- function(parsnip) {
  name <- "conditional_density"
  call <- function(.function, ...) get(.function, parsnip)(...)
  call("set_new_model", name)
  call("set_model_mode", name, "regression")
  call("set_model_engine", name, mode = "regression", eng = "condens")
  call("set_dependency", name, eng = "condens", pkg = "condens")
  call("set_model_arg", model = name, eng = "condens", parsnip = "model", original = "model",
       func = list(pkg = "condens", fun = "condens_models"), has_submodel = FALSE)
  call("set_fit", model = name, mode = "regression", eng = "condens",
       value = list(interface = "formula", protect = c("formula", "data", "weights"),
                    func = c(pkg = "condens", fun = "condens"), defaults = list(progress = FALSE)))
  call("set_encoding", model = name, mode = "regression", eng = "condens",
       options = list(predictor_indicators = "none", compute_intercept = FALSE, remove_intercept = FALSE,
                      allow_sparse_x = FALSE))
  prediction <- function(.type, .post, ...) {
    call("set_pred", model = name, mode = "regression", eng = "condens", type = .type,
         value = list(pre = NULL, post = .post, func = c(fun = "predict"),
                      args = list(object = quote(object$fit), newdata = quote(new_data), ...)))
  }
  prediction("numeric", NULL, type = "mean")
  prediction("pred_int", function(results, object) {
    as_tibble_if_any(data.frame(.pred_lower = results[, 1], .pred_upper = results[, 2]))
  }, type = "interval", level = quote(level))
  prediction("quantile", NULL, type = "quantile", probs = quote(quantile))
  prediction("raw", NULL, type = "distribution")
}
