// Figures of calibration; see figures.hpp.

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>

#include "condens/plot/colormap.hpp"
#include "condens/plot/figures.hpp"
#include "frame.hpp"
#include "points.hpp"

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

  const bool difference = n > difference_rows;
  const double most = std::max({heights.maxCoeff(), band.high, 1.0});
  const double least = std::min({heights.minCoeff(), band.low, 1.0});
  const Extent axis =
      difference ? Extent{1.2 * (least - 1.0) - 0.01, 1.2 * (most - 1.0) + 0.01} : Extent{0.0, 1.1 * most};
  const double base = difference ? 1.0 : 0.0;
  const Style bar_style{.fill = "#8fb8d6", .stroke = "#ffffff", .width = 0.8};
  const Style band_style{.fill = accent, .opacity = 0.16};
  const Style flat_style{.stroke = accent, .width = 1.4, .dash = "6 4"};
  Frame frame = make_frame({.title = "PIT histogram of " + target,
                            .legend = {{count_text(n) + " test rows", Mark::area, bar_style},
                                       {"uniform", Mark::line, flat_style},
                                       {"99 % of uniform samples, bar by bar", Mark::area, band_style}},
                            .height = 360.0});
  const Panel panel = frame.panel({0.0, 1.0}, axis, "probability integral transform F(y | x)",
                                  difference ? "relative frequency, less 1" : "relative frequency");
  panel.draw_grid();
  panel.begin();
  panel.bars({0.0, 1.0}, heights.array() - base, bar_style);
  const Vector ends{{0.0, 1.0}};
  panel.band(ends, Vector::Constant(2, band.low - base), Vector::Constant(2, band.high - base), band_style);
  panel.line(ends, Vector::Constant(2, 1.0 - base), flat_style);
  panel.end();
  panel.draw_frame();
  return frame.canvas.str();
}

namespace {

const Style central_style{.stroke = line_color(0), .width = 1.8};
const Style highest_style{.fill = accent, .stroke = accent, .width = 1.8};
const Style promised_style{.stroke = "#777777", .width = 1.2, .dash = "5 4"};
const Style chance_style{.fill = "#dddddd"};

bool has_regions(const TargetScores& scores) {
  return std::any_of(scores.coverage.begin(), scores.coverage.end(),
                     [](const Coverage& c) { return c.highest_density.has_value(); });
}

/// The share of rows in the central interval of every probability.
Vector central_coverage(const TargetScores& scores, const VectorView& weights, const Vector& nominal) {
  const Vector distance = (scores.pit.array() - 0.5).abs();
  Vector out(nominal.size());
  for (Index k = 0; k < nominal.size(); ++k)
    out[k] = mean_score((distance.array() <= nominal[k] / 2.0).cast<double>().matrix(), weights).value;
  return out;
}

/// Points with bars of two standard errors, side by side so that neither hides the other's; `promised` (0 or 1) times
/// the level is taken off.
void draw_levels(const Panel& panel, const TargetScores& scores, double promised) {
  const double shift = has_regions(scores) ? 3.0 : 0.0;
  const auto mark = [&](double level, const Score& score, double aside, const std::string& color) {
    const double error = std::isfinite(score.standard_error) ? 2.0 * score.standard_error : 0.0;
    const double value = score.value - promised * level;
    Point low = panel.at(level, value - error);
    Point high = panel.at(level, value + error);
    Point centre = panel.at(level, value);
    low.x = high.x = centre.x += aside;
    panel.canvas().line(low, high, {.stroke = color, .width = 1.6});
    panel.canvas().circle(centre, 3.4, {.fill = color});
  };
  for (const Coverage& c : scores.coverage) {
    mark(c.level, c.central, -shift, line_color(0));
    if (c.highest_density) mark(c.level, *c.highest_density, shift, accent);
  }
}

/// The farthest that actual coverage, its bars and the band of chance go from what is promised.
double farthest(const TargetScores& scores, const Vector& off, const Vector& chance) {
  double out = std::max(off.cwiseAbs().maxCoeff(), chance.maxCoeff());
  for (const Coverage& c : scores.coverage) {
    for (const Score& score : {c.central, c.highest_density.value_or(c.central)})
      out = std::max(out, std::abs(score.value - c.level) + 2.0 * score.standard_error);
  }
  return out;
}

}  // namespace

std::string coverage_plot(const TargetScores& scores, const VectorView& weights, const std::string& target) {
  const Vector nominal = Vector::LinSpaced(101, 0.0, 1.0);
  const Vector actual = central_coverage(scores, weights, nominal);
  const Index n = scores.pit.size();
  const bool difference = n > difference_rows;
  std::vector<LegendEntry> legend{{"central intervals", Mark::line, central_style}};
  if (has_regions(scores)) legend.push_back({"highest-density regions", Mark::point, highest_style});
  legend.push_back({"as promised", Mark::line, promised_style});
  const Vector ends{{0.0, 1.0}};
  if (!difference) {
    Frame frame = make_frame({.title = "Coverage of " + target, .legend = legend, .width = 540.0, .height = 520.0});
    const Panel panel = frame.panel({0.0, 1.0}, {0.0, 1.0}, "probability promised", "share of test rows covered");
    panel.draw_grid();
    panel.begin();
    panel.line(ends, ends, promised_style);
    panel.line(nominal, actual, central_style);
    panel.end();
    draw_levels(panel, scores, 0.0);  // whole where all rows are covered
    panel.draw_frame();
    return frame.canvas.str();
  }
  const double size = effective_size(n, weights);
  const Vector chance = 2.0 * (nominal.array() * (1.0 - nominal.array()) / size).sqrt();
  legend.push_back({"\xC2\xB1 2 standard errors", Mark::area, chance_style});
  Frame frame =
      make_frame({.title = "Coverage of " + target + ", less what is promised", .legend = legend, .height = 400.0});
  const double reach = 1.1 * farthest(scores, actual - nominal, chance);
  const Panel panel = frame.panel({0.0, 1.0}, {-reach, reach}, "probability promised", "covered less promised");
  panel.begin();
  panel.band(nominal, -chance, chance, chance_style);
  panel.end();
  panel.draw_grid();
  panel.begin();
  panel.line(ends, Vector::Zero(2), promised_style);
  panel.line(nominal, actual - nominal, central_style);
  draw_levels(panel, scores, 1.0);
  panel.end();
  panel.draw_frame();
  return frame.canvas.str();
}

}  // namespace condens::plot
