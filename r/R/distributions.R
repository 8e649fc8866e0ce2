#' Distributions of y for many rows
#'
#' `predict(type = "distribution")` gives a vector of distributions, as those of the package distributional, with all of
#' its functions: `density()`, `cdf()`, `quantile()`, `mean()`, `median()`, `variance()`, `hdr()`, `hilo()`,
#' `generate()`, `support()`, `format()`. They work on the whole vector at once, and do not copy the mixtures. The
#' vector can be a column of a data frame, and [saveRDS()] keeps it to the last bit; a part of a vector is saved with
#' all distributions of its prediction.
#'
#' @param fit A fit of [condens()].
#' @param newdata As in [predict.condens()].
#' @return A vector of class `distribution`.
#' @examples
#' fit <- lscde(dist ~ speed, cars, seed = 1)
#' y <- dist_condens(fit, data.frame(speed = c(8, 16)))
#' y
#' quantile(y, 0.9)
#' density(y, 40)
#' @export
dist_condens <- function(fit, newdata = NULL) {
  check_fit(fit)
  predict.condens(fit, newdata, type = "distribution")
}

# `laws`: distributions of the rows that are complete; the others are NA. The elements know them by an environment,
# which a file holds once, however many elements there are.
new_distributions <- function(laws, complete) {
  prediction <- new.env(hash = FALSE, parent = emptyenv())
  prediction$laws <- laws
  elements <- vector("list", length(complete))
  elements[complete] <- lapply(seq_len(sum(complete)), function(i) {
    structure(list(prediction = prediction, row = i), class = c("dist_condens", "dist_default"))
  })
  vctrs::new_vctr(elements, class = c("condens_distributions", "distribution"))
}

# The laws of elements of one prediction; NULL of several.
laws_of_elements <- function(elements) {
  rows <- core(C_condens_laws_rows, unclass(elements))
  if (!is.null(rows)) core(C_condens_laws_select, elements[[1]]$prediction$laws, rows)
}

# One after the other, the laws of the predictions that a vector joins: list(laws =, rows = which elements they are).
laws_of_vector <- function(x) {
  elements <- vctrs::vec_data(x)
  rows <- which(!vapply(elements, is.null, NA))
  if (!length(rows)) return(list())
  laws <- laws_of_elements(elements[rows])
  if (!is.null(laws)) return(list(list(laws = laws, rows = rows)))
  owners <- list()
  of <- integer(length(rows))
  for (i in seq_along(rows)) {
    prediction <- elements[[rows[[i]]]]$prediction
    # Neighbours mostly come from one prediction.
    if (i > 1 && identical(prediction, owners[[of[[i - 1]]]])) {
      of[[i]] <- of[[i - 1]]
      next
    }
    known <- which(vapply(owners, identical, NA, prediction))
    if (!length(known)) owners <- c(owners, list(prediction))
    of[[i]] <- if (length(known)) known[[1]] else length(owners)
  }
  lapply(seq_along(owners), function(k) {
    list(laws = laws_of_elements(elements[rows[of == k]]), rows = rows[of == k])
  })
}

# ask(laws, rows), a matrix with a row for each, of each prediction; NA where there is no distribution.
of_each <- function(x, ask) {
  parts <- laws_of_vector(x)
  if (!length(parts)) return(matrix(NA_real_, length(x), 1))
  found <- lapply(parts, function(part) ask(part$laws, part$rows))
  if (length(unique(vapply(found, ncol, 0L))) > 1) {
    refuse("these distributions are of different numbers of targets, expected the same of all")
  }
  out <- matrix(NA_real_, length(x), ncol(found[[1]]))
  for (k in seq_along(parts)) out[parts[[k]]$rows, ] <- found[[k]]
  out
}

# The laws of one element.
laws_of_one <- function(x) laws_of_elements(list(x))

# A function of each distribution at values: a vector where there is one value, else a list of vectors, as
# distributional has it. A list of values has one entry for each distribution.
at_values <- function(x, name, values) {
  if (is.list(values)) {
    if (!length(values) %in% c(1, length(x))) {
      refuse("values for ", length(values), " distributions, of ", length(x),
             ": expected one entry of the list for each")
    }
    values <- rep_len(values, length(x))
    elements <- vctrs::vec_data(x)
    return(lapply(seq_along(x), function(i) {
      if (is.null(elements[[i]])) NA_real_ else element_at(elements[[i]], name, values[[i]])
    }))
  }
  points <- as_points(values)
  out <- of_each(x, function(laws, rows) core(C_condens_laws_at, laws, name, points, FALSE, threads_of(NULL)))
  if (ncol(out) == 1) return(out[, 1])
  lapply(seq_len(nrow(out)), function(i) out[i, ])
}

as_points <- function(values) {
  if (!is.numeric(values) && !is.logical(values)) {
    refuse("values of type ", typeof(values), ", expected numbers, or a list of them")
  }
  if (is.matrix(values)) values else as.double(values)
}

element_at <- function(x, name, values) {
  core(C_condens_laws_at, laws_of_one(x), name, as_points(values), FALSE, threads_of(NULL))[1, ]
}

summary_of <- function(x, name) {
  out <- of_each(x, function(laws, rows) core(C_condens_laws_summary, laws, name, threads_of(NULL)))
  if (ncol(out) == 1) out[, 1] else out
}

element_summary <- function(x, name) {
  out <- core(C_condens_laws_summary, laws_of_one(x), name, threads_of(NULL))
  if (ncol(out) == 1) out[[1]] else out
}

# --- the whole vector ------------------------------------------------------------------------------

#' @importFrom stats density
#' @export
density.condens_distributions <- function(x, at, ..., log = FALSE) {
  out <- at_values(x, "log_density", at)
  if (log) out else if (is.list(out)) lapply(out, exp) else exp(out)
}

#' @importFrom distributional cdf
#' @export
cdf.condens_distributions <- function(x, q, ..., log = FALSE) {
  out <- at_values(x, "cdf", q)
  if (!log) out else if (is.list(out)) lapply(out, base::log) else base::log(out)
}

#' @importFrom stats quantile
#' @export
quantile.condens_distributions <- function(x, p, ..., log = FALSE) at_values(x, "quantile", if (log) exp(p) else p)

#' @export
mean.condens_distributions <- function(x, ...) summary_of(x, "mean")

#' @importFrom stats median
#' @export
median.condens_distributions <- function(x, na.rm = FALSE, ...) summary_of(x, "median")

#' @importFrom distributional variance
#' @export
variance.condens_distributions <- function(x, ...) summary_of(x, "variance")

#' @importFrom distributional skewness
#' @export
skewness.condens_distributions <- function(x, ...) summary_of(x, "skewness")

#' @importFrom distributional kurtosis
#' @export
kurtosis.condens_distributions <- function(x, ...) summary_of(x, "kurtosis")

#' @importFrom distributional hdr
#' @export
hdr.condens_distributions <- function(x, size = 95, ...) {
  ends <- vector("list", length(x))
  ends[] <- list(matrix(NA_real_, 1, 2))
  for (part in laws_of_vector(x)) {
    ends[part$rows] <- core(C_condens_laws_regions, part$laws, size / 100, threads_of(NULL))
  }
  side <- function(k) vctrs::as_list_of(lapply(ends, function(e) e[, k]), .ptype = double())
  distributional::new_hdr(lower = side(1), upper = side(2), size = rep(size, length(x)))
}

# --- one element, for the functions of distributional that ask them one by one ----------------------------------

#' @export
density.dist_condens <- function(x, at, ..., log = FALSE) {
  out <- element_at(x, "log_density", at)
  if (log) out else exp(out)
}

#' @export
cdf.dist_condens <- function(x, q, ...) element_at(x, "cdf", q)

#' @export
quantile.dist_condens <- function(x, p, ...) element_at(x, "quantile", p)

#' @export
mean.dist_condens <- function(x, ...) element_summary(x, "mean")

#' @export
variance.dist_condens <- function(x, ...) element_summary(x, "variance")

#' @export
median.dist_condens <- function(x, na.rm = FALSE, ...) element_summary(x, "median")

#' @importFrom distributional generate
#' @export
generate.dist_condens <- function(x, times, ...) {
  draws <- core(C_condens_laws_sample, laws_of_one(x), as.integer(times), seed_of(NULL), threads_of(NULL))
  if (ncol(draws) == 1) draws[, 1] else draws
}

#' @export
hdr.dist_condens <- function(x, size = 95, ...) {
  ends <- core(C_condens_laws_regions, laws_of_one(x), size / 100, threads_of(NULL))[[1]]
  distributional::new_hdr(lower = list(ends[, 1]), upper = list(ends[, 2]), size = size)
}

#' @export
format.dist_condens <- function(x, digits = 3, ...) {
  info <- core(C_condens_laws_info, x$prediction$laws)
  numbers <- function(values) {
    paste0("(", paste(vapply(values, format, "", digits = digits), collapse = ", "), ")")
  }
  mean <- element_summary(x, "mean")
  sd <- sqrt(element_summary(x, "variance"))
  if (info$dimension > 1) return(paste0("condens[", info$dimension, "]", numbers(mean)))
  paste0("condens", numbers(c(mean, sd)))
}

#' @export
vec_ptype_full.condens_distributions <- function(x, ...) "distribution"

#' @export
vec_ptype_abbr.condens_distributions <- function(x, ...) "dist"

#' @export
vec_ptype2.condens_distributions.condens_distributions <- function(x, y, ...) {
  vctrs::new_vctr(list(), class = c("condens_distributions", "distribution"))
}

#' @export
vec_cast.condens_distributions.condens_distributions <- function(x, to, ...) x

#' @importFrom vctrs vec_ptype_abbr vec_ptype_full vec_ptype2 vec_cast
#' @importFrom distributional hilo support
NULL

#' @export
distributional::cdf
#' @export
distributional::generate
#' @export
distributional::hdr
#' @export
distributional::hilo
#' @export
distributional::support
#' @export
distributional::variance

#' Scores of distributions at what was observed
#'
#' @param x A vector of distributions of [dist_condens()].
#' @param y Observed values, one for each distribution.
#' @return A number for each: `dist_crps()` the continuous ranked probability score, in closed form; `dist_pit()` the
#'   probability integral transform; `dist_mass_at()` the probability of a single value, of targets that can be counted
#'   or have atoms.
#' @examples
#' fit <- lscde(dist ~ speed, cars, seed = 1)
#' mean(dist_crps(dist_condens(fit), cars$dist))
#' @name scores
NULL

own_values <- function(x, y, name) {
  if (length(y) != length(x)) refuse("y has ", length(y), " values for ", length(x), " distributions, expected as many")
  y <- as.double(y)
  x[is.na(y)] <- NA
  of_each(x, function(laws, rows) {
    core(C_condens_laws_at, laws, name, matrix(y[rows], ncol = 1), TRUE, threads_of(NULL))
  })[, 1]
}

#' @rdname scores
#' @export
dist_crps <- function(x, y) own_values(x, y, "crps")

#' @rdname scores
#' @export
dist_pit <- function(x, y) own_values(x, y, "cdf")

#' @rdname scores
#' @export
dist_mass_at <- function(x, y) own_values(x, y, "mass_at")
