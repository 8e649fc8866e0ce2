// A user of an installed condens, who includes one header: fits every model, saves it, loads it and asks for numbers.
#include <cmath>
#include <condens/condens.hpp>
#include <cstdio>
#include <iostream>

int main() {
  condens::Matrix x(1, 40);
  condens::Matrix y(1, 40);
  for (condens::Index i = 0; i < x.cols(); ++i) {
    x(0, i) = 0.1 * static_cast<double>(i);
    y(0, i) = std::sin(x(0, i)) + (i % 2 == 0 ? -0.3 : 0.3);
  }
  const condens::Dataset data{.x = x, .y = y};

  // By name, as the command does; options as a document.
  for (const condens::ModelInfo& info : condens::models()) {
    const condens::Document options =
        info.name == "auto" ? condens::Document::Object{{"budget", 0.1}} : condens::Document();
    const condens::Model fitted{condens::Encoder::generic(1, 1), condens::fit_model(info, data, "", options, {})};
    condens::save_model(fitted, "consumer.cbor");
    const condens::Model model = condens::load_model_file("consumer.cbor");
    std::remove("consumer.cbor");
    const double median = model.density->predict(x)[10].quantile(0.5);
    std::cout << info.name << ": median of y at x = 1: " << median << '\n';
    if (!std::isfinite(median)) return 1;
  }

  // By class, with options that the compiler checks.
  const condens::Lscde model = condens::Lscde::fit(data, {.regularization = {0.1}});
  std::cout << "log density: " << model.log_density(x, y).mean() << '\n';
  return 0;
}
