# From formulas and data frames to the named columns of numbers and texts that the core's encoder reads.
#
# Factors and texts are categories; logical columns, too ("FALSE", "TRUE"). Ordered factors are the numbers 1, 2, ... of
# their levels. Dates and times are written in ISO 8601, which the core reads off the calendar.

# One variable as columns: list(columns =, categorical = names, ordered = list of levels).
columns_of_variable <- function(value, name) {
  if (is.data.frame(value)) {
    parts <- lapply(seq_along(value), function(j) columns_of_variable(value[[j]], names(value)[[j]]))
    return(Reduce(join_columns, parts, no_columns()))
  }
  if (is.matrix(value)) {
    if (!is.numeric(value) && !is.logical(value)) {
      refuse("'", name, "' is a matrix of type ", typeof(value), ", expected numbers")
    }
    labels <- colnames(value)
    if (is.null(labels)) labels <- seq_len(ncol(value))
    if (nzchar(name) && ncol(value) > 1) labels <- paste0(name, labels)
    if (ncol(value) == 1 && nzchar(name)) labels <- name
    columns <- lapply(seq_len(ncol(value)), function(j) as.double(value[, j]))
    return(list(columns = stats::setNames(columns, labels), categorical = character(), ordered = list()))
  }
  one <- function(column, categorical = FALSE, ordered = NULL) {
    list(columns = stats::setNames(list(column), name), categorical = if (categorical) name else character(),
         ordered = if (is.null(ordered)) list() else stats::setNames(list(ordered), name))
  }
  if (is.ordered(value)) return(one(as.double(value), ordered = levels(value)))
  if (is.factor(value) || is.character(value) || is.logical(value)) return(one(as.character(value), TRUE))
  if (inherits(value, "Date")) return(one(format(value, "%Y-%m-%d")))
  if (inherits(value, "POSIXt")) return(one(format(value, "%Y-%m-%dT%H:%M:%S")))
  if (inherits(value, "difftime")) {
    refuse("'", name, "' is a time difference, expected numbers; as.numeric(", name, ", units = \"days\") makes them")
  }
  if (!is.numeric(value)) {
    refuse("'", name, "' is of class ", paste(class(value), collapse = "/"),
           ", expected numbers, texts, a factor, logical values or dates")
  }
  one(as.double(value))
}

no_columns <- function() list(columns = list(), categorical = character(), ordered = list())

join_columns <- function(a, b) {
  list(columns = c(a$columns, b$columns), categorical = c(a$categorical, b$categorical),
       ordered = c(a$ordered, b$ordered))
}

# Ordered factors by the levels of the fit, whatever those of the new data are.
with_levels_of_fit <- function(value, name, ordered) {
  levels <- ordered[[name]]
  if (is.null(levels) || is.numeric(value)) return(value)
  unknown <- setdiff(as.character(value), c(levels, NA))
  if (length(unknown)) {
    refuse("'", name, "' = \"", unknown[[1]], "\", which is no level of the fit: expected one of ",
           paste(levels, collapse = ", "))
  }
  factor(as.character(value), levels, ordered = TRUE)
}

# --- formulas -------------------------------------------------------------------------------------

check_formula <- function(terms) {
  if (!is.null(attr(terms, "offset"))) {
    refuse("the formula has an offset, which distributions do not have: subtract it from the response, or make it an ",
           "input")
  }
}

# The columns of the terms of a formula. An interaction of numbers is their product; of factors it is a factor of their
# combinations; of both it is refused.
columns_of_terms <- function(terms, frame, ordered = list()) {
  factors <- attr(terms, "factors")
  out <- no_columns()
  for (label in attr(terms, "term.labels")) {
    involved <- rownames(factors)[factors[, label] > 0]
    values <- lapply(involved, function(name) with_levels_of_fit(frame[[name]], name, ordered))
    own <- if (length(involved) == 1) {
      columns_of_variable(values[[1]], involved)
    } else {
      columns_of_interaction(values, involved, label)
    }
    out <- join_columns(out, own)
  }
  out
}

columns_of_interaction <- function(values, names, label) {
  is_category <- vapply(values, function(v) is.factor(v) || is.character(v) || is.logical(v), NA)
  is_category <- is_category & !vapply(values, is.ordered, NA)
  product <- NULL
  if (any(!is_category)) {
    parts <- Map(columns_of_variable, values[!is_category], names[!is_category])
    columns <- lapply(parts, `[[`, "columns")
    if (any(lengths(columns) != 1)) {
      refuse("the interaction '", label, "' has a variable of several columns, expected one; make the products first")
    }
    product <- Reduce(`*`, lapply(columns, `[[`, 1))
  }
  combined <- NULL
  if (any(is_category)) {
    texts <- lapply(values[is_category], as.character)
    combined <- do.call(paste, c(texts, sep = ":"))
    combined[Reduce(`|`, lapply(texts, is.na))] <- NA
  }
  if (is.null(product)) return(columns_of_variable(combined, label))
  if (is.null(combined)) return(columns_of_variable(product, label))
  refuse("the interaction '", label, "' is of numbers and categories, whose levels in new data could differ; ",
         "models find such interactions from the inputs themselves, or make the columns first")
}

# --- what is fitted -------------------------------------------------------------------------------

# Names that are all different and not taken.
target_names_of <- function(count, taken) {
  stem <- "y"
  repeat {
    names <- if (count == 1) stem else paste0(stem, seq_len(count))
    if (!any(names %in% taken)) return(names)
    stem <- if (stem == "y") "target" else paste0(stem, "_")
  }
}

refuse_category <- function(part, role) {
  if (length(part$categorical)) {
    refuse("the ", role, " '", part$categorical[[1]], "' is a category, expected numbers; an ordered factor, or ",
           "as.integer() of a factor, is fitted with target_kind = \"ordinal\"")
  }
  part
}

# list(inputs =, targets =, n =, terms =, limits =): the first two as columns_of_variable gives them, limits of a Surv()
# response, else NULL. `data` may be NULL.
design_of_formula <- function(formula, data, rows = NULL) {
  if (!is.null(data) && !is.data.frame(data)) {
    refuse("data is of class ", class(data)[[1]], ", expected a data frame; lscde(x, y) takes a matrix")
  }
  terms <- stats::terms(formula, data = data)
  check_formula(terms)
  frame <- stats::model.frame(terms, data, na.action = stats::na.pass)
  if (!is.null(rows)) frame <- rows_of(frame, rows)
  terms <- attr(frame, "terms") %||% terms
  one_sided <- attr(terms, "response") == 0
  limits <- NULL
  rest <- columns_of_terms(terms, frame)
  if (one_sided) {
    if (!length(rest$columns)) refuse("the formula ", deparse1(formula), " names no variable")
    targets <- refuse_category(rest, "target")
    inputs <- no_columns()
  } else {
    name <- deparse1(attr(terms, "variables")[[2]])
    response <- frame[[1]]
    if (inherits(response, "Surv")) {
      limits <- limits_of_surv(response)
      response <- representatives(limits)
      name <- name_of_surv(attr(terms, "variables")[[2]])
    }
    if (is.matrix(response) && is.null(colnames(response))) {
      colnames(response) <- target_names_of(ncol(response), names(rest$columns))
    }
    targets <- refuse_category(columns_of_variable(response, if (is.matrix(response)) "" else name), "response")
    inputs <- rest
  }
  list(inputs = inputs, targets = targets, n = nrow(frame), terms = terms, limits = limits)
}

`%||%` <- function(a, b) if (is.null(a)) b else a

# Keeps the terms, and matrices in the frame.
rows_of <- function(frame, rows) {
  terms <- attr(frame, "terms")
  frame <- frame[rows, , drop = FALSE]
  attr(frame, "terms") <- terms
  frame
}

as_columns <- function(x, stem) {
  if (is.data.frame(x)) return(columns_of_variable(x, ""))
  if (is.null(dim(x)) && !is.list(x)) return(columns_of_variable(x, stem))
  if (!is.matrix(x)) {
    refuse(stem, " is of class ", class(x)[[1]], ", expected a data frame, a numeric matrix or a vector")
  }
  if (is.null(colnames(x))) colnames(x) <- if (ncol(x) == 1) stem else paste0(stem, seq_len(ncol(x)))
  columns_of_variable(x, "")
}

length_of_part <- function(part) if (length(part$columns)) length(part$columns[[1]]) else NA_integer_

design_of_data <- function(x, y) {
  inputs <- if (is.null(x)) no_columns() else as_columns(x, "x")
  targets <- refuse_category(as_columns(y, "y"), "target")
  n <- length_of_part(targets)
  if (length(inputs$columns) && length_of_part(inputs) != n) {
    refuse("x has ", length_of_part(inputs), " rows and y has ", n, ", expected as many")
  }
  taken <- intersect(names(inputs$columns), names(targets$columns))
  if (length(taken)) refuse("'", taken[[1]], "' is in x and in y, expected names that differ")
  list(inputs = inputs, targets = targets, n = n, terms = NULL)
}

# --- missing values -------------------------------------------------------------------------------

is_gap <- function(column) if (is.character(column)) is.na(column) | !nzchar(column) else is.na(column)

has_gap <- function(columns, n) {
  out <- logical(n)
  for (column in columns) if (is.character(column) || anyNA(column)) out <- out | is_gap(column)
  out
}

# The rows to keep, as `na.action` has it, and what it says of the others.
kept_rows <- function(gaps, columns, na.action) {
  all <- seq_along(gaps)
  if (!any(gaps)) return(list(rows = all, action = NULL))
  act <- match.fun(na.action)
  if (identical(act, stats::na.fail)) {
    for (name in names(columns)) {
      own <- is_gap(columns[[name]])
      if (any(own)) {
        refuse("'", name, "' has ", sum(own), " missing value", if (sum(own) > 1) "s", ", the first in row ",
               which(own)[[1]], "; na.action = na.omit leaves such rows out, missing = \"model\" or \"indicator\" ",
               "keeps those whose inputs are missing")
      }
    }
  }
  marker <- data.frame(row = ifelse(gaps, NA_integer_, all))
  kept <- act(marker)
  list(rows = kept$row, action = attr(kept, "na.action"))
}

subset_part <- function(part, rows) {
  part$columns <- lapply(part$columns, `[`, rows)
  part
}
