// Figures of calibration; see figures.hpp.

#include <boost/math/distributions/binomial.hpp>

#include "condens/plot/colormap.hpp"
#include "condens/plot/figures.hpp"
#include "frame.hpp"

namespace condens::plot {

std::string pit_histogram(const VectorView& pit, const VectorView& weights, const std::string& target) {
  const Index n = pit.size();
  require(n > 0 && (weights.size() == 0 || weights.size() == n), "pit_histogram: ", n, " values and ", weights.size(),
          " weights, expected at least one value, and no weights or one for each");
  const Index bins = n >= 400 ? 20 : 10;
  for (const double u : pit) require(u >= 0.0 && u <= 1.0, "pit_histogram: value ", u, ", expected one in [0, 1]");
  const Vector heights = histogram(pit, weights, {0.0, 1.0}, bins);
  // A bar of a uniform sample is binomial: its 0.5 and 99.5 % quantiles, in units of the expected height.
  const double size = std::max(1.0, std::round(effective_size(n, weights)));
  const boost::math::binomial law(size, 1.0 / static_cast<double>(bins));
  const double unit = static_cast<double>(bins) / size;
  const Extent band{unit * boost::math::quantile(law, 0.005), unit * boost::math::quantile(law, 0.995)};

  const Style bar_style{.fill = "#8fb8d6", .stroke = "#ffffff", .width = 0.8};
  const Style band_style{.fill = accent, .opacity = 0.16};
  const Style flat_style{.stroke = accent, .width = 1.4, .dash = "6 4"};
  Frame frame = make_frame({.title = "PIT histogram of " + target,
                            .legend = {{"test rows", Mark::area, bar_style},
                                       {"uniform", Mark::line, flat_style},
                                       {"99 % of uniform samples, bar by bar", Mark::area, band_style}},
                            .height = 360.0});
  const Panel panel = frame.panel({0.0, 1.0}, {0.0, 1.1 * std::max({heights.maxCoeff(), band.high, 1.0})},
                                  "probability integral transform F(y | x)", "relative frequency");
  panel.draw_grid();
  panel.begin();
  panel.bars({0.0, 1.0}, heights, bar_style);
  const Vector ends{{0.0, 1.0}};
  panel.band(ends, Vector::Constant(2, band.low), Vector::Constant(2, band.high), band_style);
  panel.line(ends, Vector::Ones(2), flat_style);
  panel.end();
  panel.draw_frame();
  return frame.canvas.str();
}

std::string coverage_plot(const TargetScores& scores, const VectorView& weights, const std::string& target) {
  const Vector distance = (scores.pit.array() - 0.5).abs();
  const Vector nominal = Vector::LinSpaced(101, 0.0, 1.0);
  Vector actual(nominal.size());
  for (Index k = 0; k < nominal.size(); ++k)
    actual[k] = mean_score((distance.array() <= nominal[k] / 2.0).cast<double>().matrix(), weights).value;

  const Style central{.stroke = line_color(0), .width = 1.8};
  const Style highest{.fill = accent, .stroke = accent, .width = 1.8};
  const Style diagonal{.stroke = "#777777", .width = 1.2, .dash = "5 4"};
  const bool with_regions = std::any_of(scores.coverage.begin(), scores.coverage.end(),
                                        [](const Coverage& c) { return c.highest_density.has_value(); });
  std::vector<LegendEntry> legend{{"central intervals", Mark::line, central}};
  if (with_regions) legend.push_back({"highest-density regions", Mark::point, highest});
  legend.push_back({"as promised", Mark::line, diagonal});
  Frame frame = make_frame({.title = "Coverage of " + target, .legend = legend, .width = 540.0, .height = 520.0});
  const Panel panel = frame.panel({0.0, 1.0}, {0.0, 1.0}, "probability promised", "share of test rows covered");
  panel.draw_grid();
  panel.begin();
  const Vector ends{{0.0, 1.0}};
  panel.line(ends, ends, diagonal);
  panel.line(nominal, actual, central);
  // Side by side, so that neither hides the other's bar.
  const auto mark = [&](double level, const Score& score, double shift, const std::string& color) {
    const double error = std::isfinite(score.standard_error) ? 2.0 * score.standard_error : 0.0;
    Point low = panel.at(level, score.value - error);
    Point high = panel.at(level, score.value + error);
    Point centre = panel.at(level, score.value);
    low.x = high.x = centre.x += shift;
    panel.canvas().line(low, high, {.stroke = color, .width = 1.6});
    panel.canvas().circle(centre, 3.4, {.fill = color});
  };
  for (const Coverage& c : scores.coverage) {
    mark(c.level, c.central, with_regions ? -3.0 : 0.0, line_color(0));
    if (c.highest_density) mark(c.level, *c.highest_density, 3.0, accent);
  }
  panel.end();
  panel.draw_frame();
  return frame.canvas.str();
}

}  // namespace condens::plot
