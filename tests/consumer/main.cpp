// The smallest user of an installed condens: fits, saves, loads and asks.
#include <cmath>
#include <condens/condens.hpp>
#include <iostream>

int main() {
  condens::Matrix x(1, 60);
  condens::Matrix y(1, 60);
  for (condens::Index i = 0; i < 60; ++i) {
    x(0, i) = 0.1 * static_cast<double>(i);
    y(0, i) = std::sin(x(0, i)) + (i % 2 == 0 ? -0.3 : 0.3);
  }
  const auto fitted = condens::find_model("lscde").fit({.x = x, .y = y}, "", {}, {});
  const auto model = condens::load_density(condens::save_density(*fitted));
  const condens::GaussianMixtures laws = model->predict(x);
  const double median = laws[10].quantile(0.5);
  std::cout << "median of y at x = 1: " << median << '\n';
  return std::isfinite(median) && laws.mean().cols() == 60 ? 0 : 1;
}
