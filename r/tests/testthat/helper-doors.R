# The command, and the table of cases that it, Python and R share (tests/doors of the repository).

skip_without_command <- function() {
  command <- Sys.getenv("CONDENS_COMMAND")
  skip_if(!nzchar(command), "CONDENS_COMMAND is not set: no command to compare with")
  # A command that is named and is not there is a mistake of the call.
  if (!file.exists(command)) stop("CONDENS_COMMAND = ", command, ", which does not exist")
  skip_if_not_installed("jsonlite")
  command
}

run_command <- function(command, ...) {
  arguments <- shQuote(c(...))
  errors <- tempfile()
  on.exit(unlink(errors))
  out <- suppressWarnings(system2(command, arguments, stdout = TRUE, stderr = errors))
  if (!is.null(attr(out, "status"))) stop(paste(c(arguments, readLines(errors)), collapse = " "))
  out
}

door_cases <- function() {
  table <- jsonlite::fromJSON(test_path("doors", "cases.json"), simplifyDataFrame = FALSE)
  of_models <- list()
  for (info in condens:::registry()) {
    for (preset in unlist(info$presets)) {
      own <- table$every_model$case
      own$name <- paste(info$name, preset)
      own$model <- info$name
      own$preset <- preset
      own$options <- table$every_model$options[names(table$every_model$options) %in% option_names(info)]
      if ("is_density" %in% info$capabilities) own$inputs <- character()
      of_models <- c(of_models, list(own))
    }
  }
  c(of_models, table$cases)
}

# The columns as a user of R has them: dates as dates, numbers that are names as a factor.
door_table <- function(name, case) {
  table <- utils::read.csv(test_path("doors", name), colClasses = c(day = "Date"))
  for (column in case$categorical) table[[column]] <- factor(table[[column]])
  table
}

fit_by_command <- function(command, case, file) {
  options <- vapply(names(case$options), function(name) {
    value <- case$options[[name]]
    paste0("--set=", name, "=", paste(if (is.logical(value)) tolower(value) else value, collapse = ","))
  }, "")
  asked <- c(target_kind = "--target-kind", preset = "--preset", missing = "--missing", conformal = "--conformal-share",
             bootstrap = "--bootstrap", weight = "--weight")
  asked <- asked[names(asked) %in% names(case)]
  more <- vapply(names(asked), function(name) paste0(asked[[name]], "=", case[[name]]), "")
  run_command(command, "fit", test_path("doors", "train.csv"), "--quiet",
              "--target", paste(case$targets, collapse = ","), "--inputs", paste(case$inputs, collapse = ","),
              "--model", case$model, "--seed", format(case$seed, scientific = FALSE), "-o", file,
              unname(options), unname(more), if (!is.null(case$conformal)) "--conformal",
              if (length(case$categorical)) c("--categorical", paste(case$categorical, collapse = ",")))
  file
}

fit_by_r <- function(case) {
  train <- door_table("train.csv", case)
  inputs <- if (length(case$inputs)) case$inputs else "1"
  targets <- if (length(case$targets) > 1) paste0("cbind(", paste(case$targets, collapse = ", "), ")") else case$targets
  asked <- case[intersect(names(case), c("preset", "seed", "target_kind", "missing", "bootstrap", "options"))]
  if (!is.null(case$conformal)) asked$conformal <- list(share = case$conformal)
  if (!is.null(case$weight)) asked$weights <- train[[case$weight]]
  suppressWarnings(do.call(condens, c(list(stats::reformulate(inputs, str2lang(targets)), train, case$model), asked)))
}
