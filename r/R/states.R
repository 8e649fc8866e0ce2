# What models of states and of directions say of rows.

# The model's answer for every row of new data; NA where inputs are missing.
rows_of_model <- function(routine, object, newdata) {
  new <- columns_of_new(object, newdata)
  spread_rows(core(routine, object$model, complete_columns(new)), new$complete)
}

#' Predictive states of rows, and how they follow each other
#'
#' Of [press()], which maps the inputs to weights of a few states, each with its own distribution of y.
#'
#' @param object A fit of [press()].
#' @param newdata New data; none: those of the fit. For `condens_transitions()` in the order of time.
#' @param steps How many rows later, from 1 to the number of rows less one.
#' @return `condens_states()`: the weights of the states, a row for each of the data and a column for each state; a row
#'   with a missing input is `NA`. `condens_transitions()`: the chances of each state (columns) `steps` rows later, given
#'   the state of a row (rows), \eqn{T_{jk} = \sum_t w_{tj} w_{t + s, k} / \sum_t w_{tj}}; where every row is certain of
#'   its state, the shares of the transitions that were seen. The row of a state without weight is `NaN`.
#' @source Goerg, Predictive state smoothing (PRESS), 2017; Shalizi and Crutchfield, Computational mechanics, 2001.
#' @seealso `plot(fit, "states")`; [condens_results()] for the states' coefficients, means and sizes.
#' @examples
#' \donttest{
#' waits <- MASS::geyser$waiting
#' fit <- press(next_wait ~ wait, data.frame(wait = head(waits, -1), next_wait = tail(waits, -1)), seed = 1)
#' head(condens_states(fit))
#' condens_transitions(fit)
#' }
#' @export
condens_states <- function(object, newdata = NULL) {
  check_fit(object)
  out <- rows_of_model(C_condens_state_weights, object, newdata)
  colnames(out) <- paste("state", seq_len(ncol(out)))
  out
}

#' @rdname condens_states
#' @export
condens_transitions <- function(object, newdata = NULL, steps = 1) {
  weights <- condens_states(object, newdata)
  if (anyNA(weights)) refuse("newdata has rows with missing inputs, which have no state; expected complete rows")
  out <- core(C_condens_transition_matrix, weights, one_number(steps, "steps", 1, whole = TRUE))
  dimnames(out) <- list(colnames(weights), colnames(weights))
  out
}

#' Components of rows along the directions that a model found
#'
#' Of [lsce()], [lsmi()] and [sliced()], whose distribution of y follows a few linear combinations of the inputs.
#'
#' @param object A fit of one of these.
#' @param newdata New data; none: those of the fit.
#' @return A row for each of the data and a column for each component; a row with a missing input is `NA`.
#' @seealso [condens_results()] for the directions themselves.
#' @examples
#' fit <- sliced(mpg ~ wt + hp + qsec, mtcars, seed = 1)
#' head(condens_components(fit))
#' @export
condens_components <- function(object, newdata = NULL) {
  check_fit(object)
  out <- rows_of_model(C_condens_transform, object, newdata)
  colnames(out) <- paste("component", seq_len(ncol(out)))
  out
}
