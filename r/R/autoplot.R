#' Pictures of a fit
#'
#' `autoplot()` draws with ggplot2, `plot()` the same pictures with base graphics.
#'
#' @param object,x A fit of [condens()].
#' @param type `"map"`: the density of y as an image over one input; `"fan"`: central intervals and the median along it;
#'   `"density"`: a curve for each row of `newdata`, or of a fit without inputs the density with a histogram; `"pit"`:
#'   the histogram of the probability integral transform, flat when the distributions are right; `"coverage"`: shares of
#'   rows in central intervals; `"importances"`: of the inputs; `"path"`: norms of the inputs' coefficients along the
#'   penalty; `"tuning"`: scores of the candidates that were compared. By default `"map"`, or `"density"` without inputs
#'   or with `newdata`.
#' @param newdata Rows for `"density"`, rows not seen by the fit for `"pit"` and `"coverage"`.
#' @param input The input along the axis, a name or a number.
#' @param at A named list of values at which other inputs are held; by default their median, or the most frequent level.
#' @param target Which target, where the fit has several.
#' @param levels Probabilities of the intervals of `"fan"`.
#' @param ... Not used.
#' @return `autoplot()`: a ggplot. `plot()`: `x`, invisibly.
#' @name autoplot.condens
#' @examples
#' fit <- lscde(waiting ~ duration, MASS::geyser, seed = 1)
#' plot(fit)
#' plot(fit, "fan")
#' plot(fit, newdata = data.frame(duration = c(2, 3, 4)))
#' if (requireNamespace("ggplot2", quietly = TRUE)) ggplot2::autoplot(fit)
NULL

#' @rdname autoplot.condens
#' @exportS3Method ggplot2::autoplot
autoplot.condens <- function(object, type = NULL, newdata = NULL, input = NULL, at = list(), target = NULL,
                             levels = c(0.5, 0.8, 0.95), ...) {
  own <- figure_of(object, type, newdata, input, at, target, levels)
  draw <- switch(own$type, map = draw_map, fan = draw_fan, density = draw_density, pit = draw_pit,
                 coverage = draw_coverage, importances = draw_importances, path = draw_path, tuning = draw_tuning)
  draw(own$figure)
}

gg_theme <- function() {
  ggplot2::theme_minimal() + ggplot2::theme(panel.grid.minor = ggplot2::element_blank(), legend.position = "right")
}

# aes() of columns by their names.
aes_of <- function(...) ggplot2::aes(!!!lapply(c(...), as.name))

labels_of <- function(sweep, name) {
  ggplot2::labs(x = sweep$input, y = name, caption = if (nzchar(sweep$caption)) sweep$caption)
}

draw_points <- function(points, few) {
  position <- if (few) ggplot2::position_jitter(width = 0.15, height = 0, seed = 1) else "identity"
  ggplot2::geom_point(aes_of(x = "x", y = "y"), points, color = point_color, alpha = points$alpha, size = 0.9,
                      position = position, inherit.aes = FALSE)
}

as_axis <- function(values, few) if (few) factor(values) else values

draw_map <- function(figure) {
  few <- figure$sweep$few
  figure$cells$x <- as_axis(figure$cells$x, few)
  figure$points$x <- as_axis(figure$points$x, few)
  figure$cells$shade <- sqrt(pmin(figure$cells$density, figure$top))
  marks <- pretty(c(0, figure$top), 6)
  marks <- marks[marks <= figure$top]
  ggplot2::ggplot(figure$cells, aes_of(x = "x", y = "y")) +
    ggplot2::geom_raster(aes_of(fill = "shade"), interpolate = FALSE) +
    ggplot2::scale_fill_gradientn(colours = density_palette, breaks = sqrt(marks), labels = marks,
                                  name = paste("density of", figure$name)) +
    draw_points(figure$points, few) + labels_of(figure$sweep, figure$name) +
    ggplot2::coord_cartesian(ylim = range(figure$y), expand = FALSE) + gg_theme()
}

draw_fan <- function(figure) {
  few <- figure$sweep$few
  figure$bands$x <- as_axis(figure$bands$x, few)
  figure$median$x <- as_axis(figure$median$x, few)
  figure$points$x <- as_axis(figure$points$x, few)
  colors <- stats::setNames(band_colors(nlevels(figure$bands$level)), levels(figure$bands$level))
  base <- ggplot2::ggplot(figure$bands, aes_of(x = "x"))
  base <- if (few) {
    base + ggplot2::geom_linerange(aes_of(ymin = "lower", ymax = "upper", color = "level"), linewidth = 6) +
      ggplot2::scale_color_manual(values = colors, name = "interval") +
      ggplot2::geom_point(aes_of(x = "x", y = "y"), figure$median, color = line_palette[[2]], shape = 95, size = 8)
  } else {
    base + ggplot2::geom_ribbon(aes_of(ymin = "lower", ymax = "upper", fill = "level")) +
      ggplot2::scale_fill_manual(values = colors, name = "interval") +
      ggplot2::geom_line(aes_of(x = "x", y = "y"), figure$median, color = line_palette[[2]], linewidth = 0.8)
  }
  base + draw_points(figure$points, few) + labels_of(figure$sweep, figure$name) + gg_theme()
}

draw_density <- function(figure) {
  base <- ggplot2::ggplot(figure$curves, aes_of(x = "y", y = "density"))
  if (!is.null(figure$data)) {
    base <- base + ggplot2::geom_histogram(ggplot2::aes(!!as.name("data"), ggplot2::after_stat(density)),
                                           data.frame(data = figure$data), bins = 30, fill = expected_color,
                                           inherit.aes = FALSE)
    return(base + ggplot2::geom_line(color = line_palette[[1]], linewidth = 0.8) +
             ggplot2::labs(x = figure$name, y = "density") + gg_theme())
  }
  base + ggplot2::geom_line(aes_of(color = "row"), linewidth = 0.8) +
    ggplot2::scale_color_manual(values = line_palette, name = NULL) +
    ggplot2::labs(x = figure$name, y = "density") + gg_theme()
}

seen_caption <- function(own) if (own) "rows of the fit: rows left out tell more" else NULL

draw_pit <- function(figure) {
  ggplot2::ggplot(figure$bars, aes_of(x = "pit", y = "density")) +
    ggplot2::annotate("rect", xmin = 0, xmax = 1, ymin = figure$chance[[1]], ymax = figure$chance[[2]],
                      fill = expected_color) +
    ggplot2::geom_col(width = 0.92 * figure$width, fill = line_palette[[1]], alpha = 0.8) +
    ggplot2::geom_hline(yintercept = 1, color = reference_color, linetype = "dashed") +
    ggplot2::labs(x = paste("probability integral transform of", figure$name), y = "density",
                  caption = seen_caption(figure$own)) + gg_theme()
}

draw_coverage <- function(figure) {
  table <- figure$coverage
  table$low <- pmax(0, table$share - 2 * table$error)
  table$high <- pmin(1, table$share + 2 * table$error)
  ggplot2::ggplot(table, aes_of(x = "level", y = "share")) +
    ggplot2::geom_abline(slope = 1, intercept = 0, color = reference_color, linetype = "dashed") +
    ggplot2::geom_ribbon(aes_of(ymin = "low", ymax = "high"), fill = line_palette[[1]], alpha = 0.2) +
    ggplot2::geom_line(color = line_palette[[1]], linewidth = 0.8) +
    ggplot2::geom_point(color = line_palette[[1]]) +
    ggplot2::coord_equal(xlim = c(0, 1), ylim = c(0, 1)) +
    ggplot2::labs(x = "probability of the central interval", y = paste("share of", figure$name, "inside"),
                  caption = seen_caption(figure$own)) + gg_theme()
}

draw_importances <- function(table) {
  ggplot2::ggplot(table, aes_of(x = "importance", y = "term")) +
    ggplot2::geom_col(fill = line_palette[[1]], width = 0.7) + ggplot2::labs(x = "importance", y = NULL) + gg_theme()
}

draw_path <- function(figure) {
  ggplot2::ggplot(figure$lines, aes_of(x = "penalty", y = "norm", color = "input")) +
    ggplot2::geom_line(linewidth = 0.8) +
    ggplot2::geom_vline(xintercept = figure$chosen, color = reference_color, linetype = "dashed") +
    ggplot2::scale_x_log10() +
    ggplot2::scale_color_manual(values = rep(line_palette, length.out = nlevels(figure$lines$input)), name = NULL) +
    ggplot2::labs(x = "penalty (dashed: chosen)", y = "norm of the coefficients") + gg_theme()
}

draw_tuning <- function(table) {
  table$low <- table$score - table$error
  table$high <- table$score + table$error
  ggplot2::ggplot(table, aes_of(x = "value", y = "score")) +
    ggplot2::geom_linerange(aes_of(ymin = "low", ymax = "high"), color = reference_color) +
    ggplot2::geom_line(color = line_palette[[1]]) + ggplot2::geom_point(color = line_palette[[1]]) +
    ggplot2::facet_wrap("option", scales = "free_x") + ggplot2::scale_x_log10() +
    ggplot2::labs(x = NULL, y = "score of rows left out") + gg_theme()
}

#' @rdname autoplot.condens
#' @exportS3Method ggplot2::autoplot
autoplot.condens_comparison <- function(object, ...) {
  table <- as.data.frame(object)
  table$low <- table$nll - table$nll_se
  table$high <- table$nll + table$nll_se
  table$model <- factor(table$model, rev(table$model))
  ggplot2::ggplot(table, aes_of(x = "nll", y = "model", color = "best")) +
    ggplot2::geom_linerange(aes_of(xmin = "low", xmax = "high")) + ggplot2::geom_point(size = 2) +
    ggplot2::scale_color_manual(values = c("TRUE" = line_palette[[1]], "FALSE" = reference_color), guide = "none") +
    ggplot2::labs(x = "negative log density, less is better", y = NULL) + gg_theme()
}

# --- explanations ------------------------------------------------------------------------------------

#' @rdname condens_importance
#' @exportS3Method ggplot2::autoplot
autoplot.condens_importance <- function(object, ...) draw_bars(figure_importance(object))

#' @rdname condens_shapley
#' @exportS3Method ggplot2::autoplot
autoplot.condens_shapley <- function(object, ...) draw_bars(figure_shapley(object))

#' @rdname condens_effect
#' @exportS3Method ggplot2::autoplot
autoplot.condens_effect <- function(object, ...) {
  figure <- figure_effect(object)
  if (is.null(figure$bars)) draw_effect(figure) else draw_bars(figure$bars)
}

draw_bars <- function(bars) {
  bars$low <- bars$value - bars$error
  bars$high <- bars$value + bars$error
  ggplot2::ggplot(bars, aes_of(x = "value", y = "name")) +
    ggplot2::geom_col(fill = bar_colors(bars$value), width = 0.7) +
    ggplot2::geom_linerange(aes_of(xmin = "low", xmax = "high"), color = point_color) +
    ggplot2::geom_vline(xintercept = 0, color = reference_color) +
    ggplot2::facet_wrap("panel", nrow = 1, scales = "free_x") + ggplot2::labs(x = NULL, y = NULL) + gg_theme()
}

draw_effect <- function(figure) {
  table <- figure$lines
  table$low <- table$y - table$error
  table$high <- table$y + table$error
  ggplot2::ggplot(table, aes_of(x = "x", y = "y", color = "of")) +
    (if (figure$local) ggplot2::geom_hline(yintercept = 0, color = reference_color, linetype = "dashed")) +
    ggplot2::geom_linerange(aes_of(ymin = "low", ymax = "high"), alpha = 0.6) +
    ggplot2::geom_line(linewidth = 0.8) +
    ggplot2::scale_color_manual(values = rep(line_palette, length.out = nlevels(table$of)), name = NULL) +
    ggplot2::labs(x = figure$input, y = figure$label) + gg_theme()
}
