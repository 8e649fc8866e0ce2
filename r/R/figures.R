# What the pictures show, as data frames that autoplot() (ggplot2) and plot() (base graphics) draw alike. The figures
# are those of Python (condens.plot): same content, same colours.

# White is no density, dark is much; lightness falls evenly.
density_palette <- c("#FFFFFF", "#DEF5E5", "#A0DFB9", "#54C9AD", "#38AAAC", "#348AA6", "#366A9F", "#40498E", "#3B2F5E",
                     "#28192F")
# Lines that colour-blind readers can tell apart: Okabe and Ito (2008).
line_palette <- c("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#4D4D4D")
point_color <- "#222222"
reference_color <- "#777777"
expected_color <- "#DDDDDD"  # bands of what chance alone does

band_colors <- function(count) {
  grDevices::colorRampPalette(density_palette)(101)[1 + round(100 * seq(0.14, 0.42, length.out = max(count, 2)))][
    seq_len(count)]
}

# Axes of y: most of the distributions and of the data, and not below zero where the data are not.
range_of_y <- function(laws, y, tail = 0.002) {
  ends <- core(C_condens_laws_at, laws, "quantile", c(tail, 1 - tail), FALSE, threads_of(NULL))
  ends <- ends[is.finite(ends[, 1]) & is.finite(ends[, 2]), , drop = FALSE]
  low <- min(stats::quantile(ends[, 1], 0.05, names = FALSE), y, na.rm = TRUE)
  high <- max(stats::quantile(ends[, 2], 0.95, names = FALSE), y, na.rm = TRUE)
  if (length(y) && min(y, na.rm = TRUE) >= 0) low <- max(0, low)
  c(low, high)
}

typical <- function(column) {
  if (is.numeric(column)) return(stats::median(column, na.rm = TRUE))
  counts <- table(column)
  names(counts)[[which.max(counts)]]
}

# An input given by its name or number.
input_name <- function(object, input) {
  inputs <- unlist(object$about$inputs$names)
  name <- if (is.numeric(input)) inputs[input] else input
  if (length(name) != 1 || is.na(name) || !name %in% inputs) {
    refuse("input = ", deparse1(input), ", expected one of ", paste(inputs, collapse = ", "))
  }
  name
}

# Rows along one input of the model, the others held at the median, or the level that is most frequent. Columns as the
# core reads them, so that a formula's log(x) is an input like any other.
sweep_of <- function(object, input, at, points) {
  columns <- object$data
  if (is.null(columns)) refuse("a picture along an input needs the data of the fit, but ", kept_data_text(object))
  inputs <- unlist(object$about$inputs$names)
  input <- input_name(object, input %||% 1)
  unknown <- setdiff(names(at), setdiff(inputs, input))
  if (length(unknown)) refuse("at: '", unknown[[1]], "' is no other input of the fit")
  held <- lapply(stats::setNames(setdiff(inputs, input), setdiff(inputs, input)), function(name) {
    value <- at[[name]] %||% typical(columns[[name]])
    if (is.numeric(columns[[name]])) as.double(value) else as.character(value)
  })
  own <- columns[[input]]
  grid <- if (!is.numeric(own)) sort(unique(own[!is_gap(own)])) else if (length(unique(own)) <= 5)
    sort(unique(own)) else {
      ends <- range(own, na.rm = TRUE)
      margin <- 0.02 * diff(ends)
      seq(ends[[1]] - margin, ends[[2]] + margin, length.out = points)
    }
  rows <- c(stats::setNames(list(grid), input), lapply(held, rep, length(grid)))
  caption <- if (length(held)) {
    paste("at", paste(names(held), vapply(held, function(v) if (is.numeric(v)) brief(v) else v, ""), sep = " = ",
                      collapse = ", "))
  } else ""
  list(input = input, grid = grid, columns = rows[inputs], caption = caption,
       few = !is.numeric(own) || length(unique(own)) <= 5)
}

laws_of_sweep <- function(object, sweep, target) {
  laws <- core(C_condens_predict, object$model, sweep$columns, length(sweep$grid), threads_of(NULL))
  if (length(unlist(object$about$targets$names)) > 1) {
    laws <- core(C_condens_laws_marginal, laws, target_number(object, target %||% 1))
  }
  laws
}

target_name <- function(object, target) unlist(object$about$targets$names)[[target_number(object, target %||% 1)]]

# Rows of the fit, paler the farther their other inputs are from those held, in standard deviations; far ones are left
# out.
points_of_data <- function(object, sweep, name, most = 1500) {
  closeness <- rep(1, object$n)
  for (other in setdiff(names(sweep$columns), sweep$input)) {
    own <- object$data[[other]]
    held <- sweep$columns[[other]][[1]]
    spread <- if (is.numeric(own)) stats::sd(own, na.rm = TRUE)
    near <- if (!is.numeric(own)) as.double(own == held) else if (isTRUE(spread > 0))
      exp(-0.5 * ((own - held) / spread)^2) else 1
    closeness <- closeness * ifelse(is.na(near), 0, near)
  }
  near <- which(closeness > 0.05)
  keep <- near[unique(round(seq(1, length(near), length.out = min(length(near), most))))]
  opacity <- max(0.08, min(0.6, 60 / max(1, length(keep))))
  data.frame(x = object$data[[sweep$input]][keep], y = object$data[[name]][keep], alpha = opacity * closeness[keep])
}

figure_map <- function(object, input, at, target, grid = 120, y_grid = 200) {
  sweep <- sweep_of(object, input, at, grid)
  name <- target_name(object, target)
  laws <- laws_of_sweep(object, sweep, target)
  ends <- range_of_y(laws, object$data[[name]])
  y <- seq(ends[[1]], ends[[2]], length.out = y_grid)
  density <- exp(core(C_condens_laws_at, laws, "log_density", y, FALSE, threads_of(NULL)))
  list(sweep = sweep, name = name, y = y, density = density,
       cells = data.frame(x = rep(sweep$grid, length(y)), y = rep(y, each = length(sweep$grid)),
                          density = as.vector(density)),
       points = points_of_data(object, sweep, name), top = stats::quantile(density, 0.995, names = FALSE))
}

figure_fan <- function(object, input, at, target, levels = c(0.5, 0.8, 0.95), grid = 200) {
  sweep <- sweep_of(object, input, at, grid)
  name <- target_name(object, target)
  laws <- laws_of_sweep(object, sweep, target)
  levels <- sort(levels, decreasing = TRUE)
  probs <- c((1 - levels) / 2, 0.5, (1 + levels) / 2)
  quantiles <- core(C_condens_laws_at, laws, "quantile", probs, FALSE, threads_of(NULL))
  bands <- do.call(rbind, lapply(seq_along(levels), function(k) {
    data.frame(x = sweep$grid, lower = quantiles[, k], upper = quantiles[, length(levels) + 1 + k],
               level = paste0(100 * levels[[k]], " %"))
  }))
  bands$level <- factor(bands$level, paste0(100 * levels, " %"))
  middle <- quantiles[, length(levels) + 1]
  list(sweep = sweep, name = name, bands = bands, median = data.frame(x = sweep$grid, y = middle),
       points = points_of_data(object, sweep, name))
}

figure_density <- function(object, newdata, target, y_grid = 400, most = 7) {
  name <- target_name(object, target)
  if (!length(unlist(object$about$inputs$names))) {
    laws <- core(C_condens_predict, object$model, list(), 1L, threads_of(NULL))
    labels <- name
  } else {
    if (is.null(newdata)) {
      refuse("type = \"density\" of a fit with inputs needs newdata: a row for each curve, at most ", most)
    }
    new <- columns_of_new(object, newdata)
    if (new$n > most) refuse("newdata has ", new$n, " rows, expected at most ", most, ", one for each curve")
    if (!all(new$complete)) refuse("newdata has missing values in row ", which(!new$complete)[[1]])
    laws <- core(C_condens_predict, object$model, new$columns, new$n, threads_of(NULL))
    labels <- do.call(paste, c(Map(function(column, column_name) {
      paste0(column_name, " = ", if (is.numeric(column)) vapply(column, brief, "") else column)
    }, new$columns, names(new$columns)), sep = ", "))
  }
  if (length(unlist(object$about$targets$names)) > 1) {
    laws <- core(C_condens_laws_marginal, laws, target_number(object, target %||% 1))
  }
  with_data <- !length(unlist(object$about$inputs$names)) && !is.null(object$data)
  data <- if (with_data) object$data[[name]]
  ends <- range_of_y(laws, data)
  y <- seq(ends[[1]], ends[[2]], length.out = y_grid)
  density <- exp(core(C_condens_laws_at, laws, "log_density", y, FALSE, threads_of(NULL)))
  list(name = name, data = data,
       curves = data.frame(y = rep(y, each = nrow(density)), density = as.vector(density),
                           row = factor(rep(labels, length(y)), unique(labels))))
}

# Histogram of the probability integral transform, with what chance does in 95 of 100 cases.
figure_pit <- function(object, newdata, target, bins = 20) {
  score <- condens_score(object, newdata)
  pit <- score$pit[[target_number(object, target %||% 1)]]
  counts <- graphics::hist(pit, seq(0, 1, length.out = bins + 1), plot = FALSE)$counts
  chance <- stats::qbinom(c(0.025, 0.975), length(pit), 1 / bins) * bins / length(pit)
  list(bars = data.frame(pit = (seq_len(bins) - 0.5) / bins, density = counts * bins / length(pit)), width = 1 / bins,
       chance = chance, name = target_name(object, target), own = is.null(newdata))
}

figure_coverage <- function(object, newdata, target) {
  levels <- seq(0.05, 0.95, 0.05)
  score <- condens_score(object, newdata, levels = levels)
  coverage <- score$targets[[target_number(object, target %||% 1)]]$coverage
  value <- function(part) vapply(coverage, function(own) own$central[[part]], 0)
  list(coverage = data.frame(level = levels, share = value("value"), error = value("standard_error")),
       name = target_name(object, target), own = is.null(newdata))
}

figure_importances <- function(object, most = 20) {
  table <- as.data.frame(tidy.condens(object))
  if (is.null(table$importance)) {
    refuse("a fit of ", object$about$model, " tells no importances of inputs; those that do: ",
           paste(models_that("ranks_inputs"), collapse = ", "))
  }
  table <- utils::head(table[order(-table$importance), ], most)
  table$term <- factor(table$term, rev(table$term))
  table
}

models_that <- function(capability) {
  names(Filter(function(info) capability %in% unlist(info$capabilities), registry()))
}

figure_path <- function(object) {
  if (!"has_path" %in% unlist(registry()[[object$about$model]]$capabilities)) {
    refuse("a fit of ", object$about$model, " has no path of penalties; those that do: ",
           paste(models_that("has_path"), collapse = ", "))
  }
  path <- core(C_condens_path, object$model)
  norms <- if (is.matrix(path$norms)) path$norms else matrix(path$norms, nrow = length(path$penalty))
  list(lines = data.frame(penalty = rep(path$penalty, length(path$inputs)), norm = as.vector(norms),
                          input = factor(rep(path$inputs, each = length(path$penalty)), path$inputs)),
       chosen = path$chosen)
}

# Scores of the candidates that the choice of options compared, by one option at its best others.
figure_tuning <- function(object) {
  candidates <- object$about$report$details$candidates
  options <- setdiff(names(candidates), c("score", "standard_error"))
  varied <- Filter(function(name) length(unique(candidates[[name]])) > 1, options)
  if (!length(varied)) refuse("the fit of ", object$about$model, " chose among no candidates")
  worst <- candidates$score == .Machine$double.xmax
  do.call(rbind, lapply(varied, function(name) {
    scores <- candidates$score[!worst]
    errors <- candidates$standard_error[!worst]
    values <- candidates[[name]][!worst]
    best <- vapply(split(seq_along(scores), values), function(rows) rows[[which.min(scores[rows])]], 0L)
    data.frame(option = name, value = values[best], score = scores[best], error = errors[best], row.names = NULL)
  }))
}

figure_types <- c("map", "fan", "density", "pit", "coverage", "importances", "path", "tuning")

# The type of picture and its data.
figure_of <- function(object, type, newdata, input, at, target, levels) {
  type <- one_of(type %||% default_type(object, newdata), figure_types, "type")
  figure <- switch(type,
    map = figure_map(object, input, at, target),
    fan = figure_fan(object, input, at, target, levels),
    density = figure_density(object, newdata, target),
    pit = figure_pit(object, newdata, target),
    coverage = figure_coverage(object, newdata, target),
    importances = figure_importances(object),
    path = figure_path(object),
    tuning = figure_tuning(object)
  )
  list(type = type, figure = figure)
}

# The picture of who names none.
default_type <- function(object, newdata) {
  if (length(unlist(object$about$inputs$names)) == 0 || !is.null(newdata)) return("density")
  "map"
}

# --- explanations ------------------------------------------------------------------------------------

# A panel of bars for each of `panels`: those of `values` that have its number in `of`, from the top in the order of
# `names`.
figure_bars <- function(panels, of, names, values, errors) {
  keep <- of <= 4
  data.frame(panel = factor(panels[of[keep]], unique(panels)), name = factor(names[keep], rev(unique(names))),
             value = values[keep], error = ifelse(is.finite(errors[keep]), errors[keep], 0))
}

figure_importance <- function(x, most = 30) {
  n <- min(nrow(x), most)
  own <- x[seq_len(n), ]
  figure_bars(c("nll", "crps"), rep(1:2, each = n), rep(own$input, 2), c(own$nll, own$crps), c(own$nll_se, own$crps_se))
}

# The largest first, by the first functional.
figure_shapley <- function(x, most = 30) {
  of <- unique(x$of)
  first <- x[x$of == of[[1]], ]
  inputs <- utils::head(first$input[order(-abs(first$value))], most)
  rows <- unlist(lapply(of, function(name) which(x$of == name)[match(inputs, x$input[x$of == name])]))
  figure_bars(vapply(of, function(name) added_title(x, name), "", USE.NAMES = FALSE), match(x$of[rows], of),
              x$input[rows], x$value[rows], x$standard_error[rows])
}

# Of a number curves, of a category bars. Columns by their places: an input may be called "of", too.
figure_effect <- function(x) {
  of <- unique(x[[2]])
  if (!is.numeric(x[[1]])) {
    return(list(bars = figure_bars(of, match(x[[2]], of), x[[1]], x[[3]], x[[4]])))
  }
  local <- ncol(x) == 4
  about <- if (length(of) == 1) paste(of, "of", attr(x, "target")) else attr(x, "target")
  list(lines = data.frame(x = x[[1]], y = if (local) x[[3]] else x[[5]], error = x[[4]], of = factor(x[[2]], of)),
       input = names(x)[[1]], label = paste0(if (local) "effect on ", about), local = local)
}
