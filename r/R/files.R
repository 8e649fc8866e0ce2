#' Model files
#'
#' The files of the command line, of Python and of C++: each reads those of the others.
#'
#' @param object A fit of [condens()].
#' @param path File to write or read: CBOR for names in `.cbor`, else JSON.
#' @return `condens_read()`: a fit like any other, without the data of the fit and without a formula: new data need
#'   columns of the names that it had in the fit. `condens_write()`: the path, invisibly. The file appears whole or not
#'   at all.
#' @examples
#' file <- tempfile(fileext = ".json")
#' condens_write(lscde(dist ~ speed, cars, seed = 1), file)
#' condens_read(file)
#' @export
condens_read <- function(path) {
  new_condens(core(C_condens_read, path.expand(one_text(path, "path"))), NULL)
}

#' @rdname condens_read
#' @export
condens_write <- function(object, path) {
  check_fit(object)
  core(C_condens_write, object$model, path.expand(one_text(path, "path")))
  invisible(path)
}
