# Writes R/models.R, the function of every model, from the registry; then man/ and NAMESPACE by roxygen2.
#
# usage: Rscript tools/write_models.R, in the folder of the package, with the package installed

library(condens)

# Brackets would be links.
braces <- function(text) gsub("([%{}]|\\[|\\])", "\\\\\\1", text)
words <- function(text, prefix = "#' ", width = 118) {
  paste(strwrap(text, width, initial = prefix, prefix = paste0(prefix, "  ")), collapse = "\n")
}
plain <- function(text, prefix = "#' ") paste(strwrap(text, 118, initial = prefix, prefix = prefix), collapse = "\n")

meaning <- function(option, preset, info) {
  range <- condens:::range_text(option)
  defaults <- vapply(unlist(info$presets), function(name) condens:::value_text(option$defaults[[name]]), "")
  shown <- if (length(unique(defaults)) == 1) {
    paste0("Default: ", defaults[[1]], ".")
  } else {
    paste0("Default: ", defaults[[1]], "; of preset \"paper\": ", defaults[["paper"]], ".")
  }
  paste0("`", option$type, "`", if (nzchar(range)) paste0(", ", if (length(option$choices)) range else
    paste0("in `", range, "`")), ". ", braces(option$text), " ", braces(shown))
}

function_of <- function(info) {
  options <- Filter(function(option) option$name != "seed", info$options)
  names <- vapply(options, `[[`, "", "name")
  density <- "is_density" %in% info$capabilities
  example <- if (density) {
    sprintf("fit <- %s(~ waiting + duration, MASS::geyser[1:150, ], seed = 1)", info$name)
  } else if (info$name %in% c("lsce", "lsmi", "sliced", "sacde", "salscde", "forward")) {
    sprintf("fit <- %s(mpg ~ wt + hp + qsec, mtcars, seed = 1)", info$name)
  } else {
    sprintf("fit <- %s(dist ~ speed, cars, seed = 1)", info$name)
  }
  show <- if (density) "predict(fit, data.frame(waiting = 80, duration = 2), type = \"density\")" else if (grepl("mtcars", example))
    "predict(fit, mtcars[1:3, ], type = \"interval\")" else "predict(fit, data.frame(speed = c(8, 16)), type = \"interval\")"
  results <- vapply(info$results, function(result) {
    paste0("\\item{`", result$name, "`}{", braces(result$text),
           if (nzchar(result$shape %||% "")) paste0(" Of shape ", result$shape, "."), "}")
  }, "")
  slow <- info$name %in% c("auto", "pool", "lsce", "salscde", "forward", "mdn", "location_scale", "sacde", "press")
  head <- c(
    paste0("#' ", sub("\\.$", "", info$title)), "#'",
    plain(paste0("The model `", info$name, "` of [condens()], which has all arguments that the models share.")), "#'",
    "#' @param x A formula, or the inputs: see [condens()].",
    plain("@param ... `data` of a formula, or `y`; and the other arguments of [condens()]."),
    vapply(options, function(option) words(paste0("@param ", option$name, " ", meaning(option, preset, info))), ""),
    "#'",
    plain(paste0("@return A fit, as [condens()] returns it. `condens_results()` of it has")),
    "#' \\describe{",
    if (length(results)) vapply(results, function(r) words(r, "#'   "), "") else "#'   \\item{}{nothing beyond the distribution}",
    "#' }",
    plain(paste0("@source ", info$source)),
    plain("@seealso [predict.condens()], [condens_compare()]"),
    "#' @examples",
    if (slow) "#' \\donttest{",
    paste0("#' ", example), paste0("#' ", show),
    if (slow) "#' }",
    "#' @export"
  )
  arguments <- paste(c("x", "...", paste(names, "= NULL")), collapse = ", ")
  signature <- strwrap(paste0(info$name, " <- function(", arguments, ") {"), 118, exdent = nchar(info$name) + 13)
  given <- strwrap(paste0("given <- list(", paste(names, "=", names, collapse = ", "), ")"), 116, indent = 2, exdent = 16)
  body <- c(if (length(names)) given else "  given <- list()",
            sprintf("  fit_model(\"%s\", sys.call(), given, x, ...)", info$name), "}")
  c(head, signature, body, "")
}
`%||%` <- function(a, b) if (is.null(a)) b else a
text <- c("# Written by tools/write_models.R from the registry: change that, not this.", "",
          unlist(lapply(condens:::registry(), function_of)))
writeLines(text, "R/models.R")
roxygen2::roxygenise(".", load_code = "source")
