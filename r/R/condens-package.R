#' condens: conditional density estimation
#'
#' Given x, how is y distributed? Start with [condens()], or the function of one model, as [lscde()].
#'
#' Options, set by `options()`: `condens.threads`, the number of threads (0, the default: all cores).
#'
#' @name condens-package
#' @keywords internal
#' @useDynLib condens, .registration = TRUE, .fixes = "C_"
#' @importFrom stats predict
NULL
