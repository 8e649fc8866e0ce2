# Calls of the core, and the conditions that it raises.

# .Call(), with failures as errors of the call that the user typed.
core <- function(routine, ...) {
  out <- .Call(routine, ...)
  if (inherits(out, "condens_failure")) raise(out)
  out
}

raise <- function(failure) {
  if (identical(failure$kind, "interrupt")) {
    # As R does it after Ctrl-C: handlers first, then back to the prompt.
    signalCondition(structure(class = c("interrupt", "condition"), list(message = failure$message, call = NULL)))
    invokeRestart("abort")
  }
  kinds <- c(failure$kind[nzchar(failure$kind)], "condens_error", "error", "condition")
  stop(structure(class = kinds, list(message = failure$message, call = user_call())))
}

# stop() of the call that the user typed; the parts of the message are pasted together.
refuse <- function(...) {
  stop(structure(class = c("condens_error", "error", "condition"),
                 list(message = paste0(...), call = user_call())))
}

# The outermost call of a function of this package.
user_call <- function() {
  own <- topenv()
  for (i in seq_len(sys.nframe())) {
    if (identical(environment(sys.function(i)), own)) return(sys.call(i))
  }
  NULL
}

the <- new.env(parent = emptyenv())

# What the registry knows of every model, by name.
registry <- function() {
  if (is.null(the$registry)) {
    models <- core(C_condens_models)
    names(models) <- vapply(models, `[[`, "", "name")
    the$registry <- models
  }
  the$registry
}

# One of the texts that an argument can be.
one_of <- function(value, choices, argument) {
  if (missing(value) || is.null(value)) return(choices[[1]])
  if (!is.character(value) || length(value) != 1 || !value %in% choices) {
    refuse(argument, " = ", deparse1(value), ", expected one of ", paste0("\"", choices, "\"", collapse = ", "))
  }
  value
}

one_number <- function(value, argument, least = -Inf, most = Inf, whole = FALSE, open = FALSE) {
  fits <- is.numeric(value) && length(value) == 1 && !is.na(value) && value >= least && value <= most &&
    (!open || (value > least && value < most)) && (!whole || value == round(value))
  if (!fits) {
    range <- if (is.finite(least) && is.finite(most)) {
      paste0(" ", if (open) "between " else "from ", least, if (open) " and " else " to ", most)
    } else if (is.finite(least)) {
      paste0(" >= ", least)
    } else {
      ""
    }
    refuse(argument, " = ", deparse1(value), ", expected ", if (whole) "a whole number" else "a number", range)
  }
  value
}

one_truth <- function(value, argument) {
  if (!is.logical(value) || length(value) != 1 || is.na(value)) {
    refuse(argument, " = ", deparse1(value), ", expected TRUE or FALSE")
  }
  value
}

# The number of threads, which never changes a result: the argument, or the option condens.threads; 0 is all cores.
threads_of <- function(threads) {
  if (is.null(threads)) threads <- getOption("condens.threads", 0L)
  as.integer(one_number(threads, "threads", 0, 4096, whole = TRUE))
}

# A seed that set.seed() determines, where none is given.
seed_of <- function(seed) {
  if (is.null(seed)) return(as.double(sample.int(.Machine$integer.max, 1L)))
  as.double(one_number(seed, "seed", 0, 2^53, whole = TRUE))
}
