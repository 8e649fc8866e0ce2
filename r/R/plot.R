# The pictures of autoplot.R with base graphics.

#' @rdname autoplot.condens
#' @importFrom graphics abline axis barplot grid hist image legend lines matplot par points polygon rect segments title
#' @export
plot.condens <- function(x, type = NULL, newdata = NULL, input = NULL, at = list(), target = NULL,
                         levels = c(0.5, 0.8, 0.95), ...) {
  own <- figure_of(x, type, newdata, input, at, target, levels)
  draw <- switch(own$type, map = plot_map, fan = plot_fan, density = plot_density, pit = plot_pit,
                 coverage = plot_coverage, importances = plot_importances, path = plot_path, tuning = plot_tuning)
  draw(own$figure)
  invisible(x)
}

faint <- function(color, alpha) grDevices::adjustcolor(color, alpha)

plot_points <- function(data, sweep) {
  x <- if (sweep$few) match(data$x, sweep$grid) else data$x
  points(x, data$y, pch = 16, cex = 0.6, col = grDevices::rgb(0.13, 0.13, 0.13, data$alpha))
}

# Categories stand at 1, 2, ...
places_of <- function(sweep) if (sweep$few) seq_along(sweep$grid) else sweep$grid

level_axis <- function(sweep) if (sweep$few) axis(1, seq_along(sweep$grid), sweep$grid)

plot_map <- function(figure) {
  sweep <- figure$sweep
  shade <- sqrt(pmin(figure$density, figure$top))
  image(places_of(sweep), figure$y, shade, col = grDevices::colorRampPalette(density_palette)(128), xlab = sweep$input,
        ylab = figure$name, sub = sweep$caption, xaxt = if (sweep$few) "n" else "s",
        main = paste("Density of", figure$name))
  level_axis(sweep)
  plot_points(figure$points, sweep)
}

plot_fan <- function(figure) {
  sweep <- figure$sweep
  bands <- figure$bands
  x <- places_of(sweep)
  plot(range(x) + if (sweep$few) c(-0.5, 0.5) else 0, range(bands$lower, bands$upper, figure$points$y), type = "n",
       xlab = sweep$input, ylab = figure$name, sub = sweep$caption, xaxt = if (sweep$few) "n" else "s")
  level_axis(sweep)
  colors <- band_colors(nlevels(bands$level))
  for (k in seq_along(levels(bands$level))) {
    own <- bands[bands$level == levels(bands$level)[[k]], ]
    if (sweep$few) rect(x - 0.3, own$lower, x + 0.3, own$upper, col = colors[[k]], border = NA)
    else polygon(c(x, rev(x)), c(own$lower, rev(own$upper)), col = colors[[k]], border = NA)
  }
  if (sweep$few) segments(x - 0.3, figure$median$y, x + 0.3, figure$median$y, col = line_palette[[2]], lwd = 2)
  else lines(x, figure$median$y, col = line_palette[[2]], lwd = 2)
  plot_points(figure$points, sweep)
  none <- rep(NA, length(colors))
  legend("topleft", c(levels(bands$level), "median"), fill = c(colors, NA), border = NA, lty = c(none, 1),
         col = c(none, line_palette[[2]]), bty = "n", cex = 0.8)
}

plot_density <- function(figure) {
  curves <- split(figure$curves, figure$curves$row)
  high <- max(figure$curves$density[is.finite(figure$curves$density)])
  if (!is.null(figure$data)) {
    bars <- hist(figure$data, breaks = 30, plot = FALSE)
    plot(bars, freq = FALSE, col = expected_color, border = "white", xlab = figure$name, main = "",
         ylim = c(0, max(high, bars$density)), xlim = range(figure$curves$y))
  } else {
    plot(range(figure$curves$y), c(0, high), type = "n", xlab = figure$name, ylab = "density")
  }
  for (k in seq_along(curves)) lines(curves[[k]]$y, curves[[k]]$density, col = line_palette[[k]], lwd = 2)
  if (length(curves) > 1) {
    legend("topright", names(curves), col = line_palette[seq_along(curves)], lwd = 2, bty = "n", cex = 0.8)
  }
}

plot_pit <- function(figure) {
  heights <- figure$bars$density
  plot(c(0, 1), c(0, max(heights, figure$chance)), type = "n", ylab = "density",
       xlab = paste("probability integral transform of", figure$name), sub = seen_caption(figure$own) %||% "")
  rect(0, figure$chance[[1]], 1, figure$chance[[2]], col = expected_color, border = NA)
  half <- 0.46 * figure$width
  rect(figure$bars$pit - half, 0, figure$bars$pit + half, heights, col = faint(line_palette[[1]], 0.8), border = NA)
  abline(h = 1, col = reference_color, lty = 2)
}

plot_coverage <- function(figure) {
  table <- figure$coverage
  plot(c(0, 1), c(0, 1), type = "n", asp = 1, xlab = "probability of the central interval",
       ylab = paste("share of", figure$name, "inside"), sub = seen_caption(figure$own) %||% "")
  abline(0, 1, col = reference_color, lty = 2)
  polygon(c(table$level, rev(table$level)), c(pmax(0, table$share - 2 * table$error),
                                              rev(pmin(1, table$share + 2 * table$error))),
          col = faint(line_palette[[1]], 0.2), border = NA)
  lines(table$level, table$share, col = line_palette[[1]], lwd = 2, type = "b", pch = 16)
}

plot_importances <- function(table) {
  table <- table[rev(seq_len(nrow(table))), ]
  old <- par(mar = c(5, max(4, 0.6 * max(nchar(as.character(table$term)))), 2, 2))
  on.exit(par(old))
  barplot(table$importance, names.arg = as.character(table$term), horiz = TRUE, las = 1, col = line_palette[[1]],
          border = NA, xlab = "importance")
}

plot_path <- function(figure) {
  lines_of <- split(figure$lines, figure$lines$input)
  plot(range(figure$lines$penalty), range(figure$lines$norm), type = "n", log = "x", xlab = "penalty (dashed: chosen)",
       ylab = "norm of the coefficients")
  for (k in seq_along(lines_of)) {
    lines(lines_of[[k]]$penalty, lines_of[[k]]$norm, col = line_palette[[(k - 1) %% length(line_palette) + 1]], lwd = 2)
  }
  abline(v = figure$chosen, col = reference_color, lty = 2)
  colors <- rep(line_palette, length.out = length(lines_of))
  legend("topright", names(lines_of), col = colors, lwd = 2, bty = "n", cex = 0.8)
}

plot_tuning <- function(table) {
  options <- split(table, table$option)
  old <- par(mfrow = c(1, length(options)))
  on.exit(par(old))
  for (own in options) {
    low <- own$score - own$error
    high <- own$score + own$error
    plot(own$value, own$score, log = if (all(own$value > 0)) "x" else "", type = "b", pch = 16, col = line_palette[[1]],
         xlab = own$option[[1]], ylab = "score of rows left out", ylim = range(low, high))
    segments(own$value, low, own$value, high, col = reference_color)
  }
}

#' @export
plot.condens_comparison <- function(x, ...) {
  places <- rev(seq_len(nrow(x)))
  error <- ifelse(is.na(x$nll_se), 0, x$nll_se)
  old <- par(mar = c(5, max(4, 0.6 * max(nchar(x$model))), 2, 2))
  on.exit(par(old))
  plot(x$nll, places, xlim = range(x$nll - error, x$nll + error, finite = TRUE), yaxt = "n", pch = 16, ylab = "",
       col = ifelse(x$best, line_palette[[1]], reference_color), xlab = "negative log density, less is better")
  segments(x$nll - error, places, x$nll + error, places, col = reference_color)
  axis(2, places, x$model, las = 1)
  invisible(x)
}

# --- explanations ------------------------------------------------------------------------------------

#' @rdname condens_importance
#' @export
plot.condens_importance <- function(x, ...) {
  plot_bars(figure_importance(x))
  invisible(x)
}

#' @rdname condens_shapley
#' @export
plot.condens_shapley <- function(x, ...) {
  plot_bars(figure_shapley(x))
  invisible(x)
}

#' @rdname condens_effect
#' @export
plot.condens_effect <- function(x, ...) {
  figure <- figure_effect(x)
  if (is.null(figure$bars)) plot_effect(figure) else plot_bars(figure$bars)
  invisible(x)
}

plot_bars <- function(bars) {
  panels <- split(bars, bars$panel)
  old <- par(mfrow = c(1, length(panels)), mar = c(5, max(4, 0.6 * max(nchar(levels(bars$name)))), 2, 1))
  on.exit(par(old))
  for (label in names(panels)) {
    own <- panels[[label]]
    places <- as.integer(own$name)
    plot(range(0, own$value - own$error, own$value + own$error), c(0.5, nlevels(bars$name) + 0.5), type = "n",
         yaxt = "n", xlab = label, ylab = "")
    rect(pmin(own$value, 0), places - 0.35, pmax(own$value, 0), places + 0.35, col = bar_colors(own$value), border = NA)
    segments(own$value - own$error, places, own$value + own$error, places, col = point_color)
    abline(v = 0, col = reference_color)
    axis(2, places, own$name, las = 1)
  }
}

bar_colors <- function(values) line_palette[ifelse(values < 0, 2, 1)]

plot_effect <- function(figure) {
  table <- figure$lines
  ends <- range(table$y - table$error, table$y + table$error, if (figure$local) 0, finite = TRUE)
  several <- nlevels(table$of) > 1
  # Room for the legend.
  plot(range(table$x), ends + c(0, if (several) 0.12 * diff(ends) else 0), type = "n", xlab = figure$input,
       ylab = figure$label)
  if (figure$local) abline(h = 0, col = reference_color, lty = 2)
  curves <- split(table, table$of)
  colors <- rep(line_palette, length.out = length(curves))
  for (k in seq_along(curves)) {
    own <- curves[[k]]
    segments(own$x, own$y - own$error, own$x, own$y + own$error, col = faint(colors[[k]], 0.6))
    lines(own$x, own$y, col = colors[[k]], lwd = 2)
  }
  if (several) legend("top", names(curves), col = colors, lwd = 2, bty = "n", cex = 0.8, horiz = TRUE)
}
