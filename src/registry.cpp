#include "condens/registry.hpp"

#include "condens/core/errors.hpp"
#include "condens/core/names.hpp"
#include "condens/models/lscde.hpp"

namespace condens {

namespace {

/// A model whose options know two presets: the defaults, and `paper()`.
template <class Model, class Options>
ModelInfo describe(std::string name, std::string title, std::string source) {
  const auto preset_options = [name](std::string_view preset) {
    if (preset == "paper") return Options::paper();
    require(preset.empty() || preset == "recommended", name, ": preset = '", preset,
            "', expected recommended or paper");
    return Options{};
  };
  ModelInfo info;
  info.name = name;
  info.title = std::move(title);
  info.source = std::move(source);
  info.presets = {"recommended", "paper"};
  info.options = describe_options<Options>();
  info.defaults = [=](std::string_view preset) { return options_to_document(preset_options(preset)); };
  info.fit = [=](const Dataset& data, std::string_view preset, const Document& values, const Run& run) {
    Options options = preset_options(preset);
    set_options(options, name, values);
    return std::make_unique<Model>(Model::fit(data, options, run));
  };
  info.load = [](const Document& document) { return std::make_unique<Model>(Model::from_document(document)); };
  return info;
}

}  // namespace

const std::vector<ModelInfo>& models() {
  static const std::vector<ModelInfo> all = {
      describe<Lscde, LscdeOptions>(
          "lscde", "Least-squares conditional density estimation: a nonnegative mixture of Gaussian kernels.",
          "Sugiyama, Takeuchi, Suzuki, Kanamori, Hachiya and Okanohara (2010)"),
  };
  return all;
}

const ModelInfo& find_model(std::string_view name) {
  std::vector<std::string> names;
  for (const ModelInfo& info : models()) {
    if (info.name == name) return info;
    names.push_back(info.name);
  }
  throw std::invalid_argument(
      message("model = '", name, "', expected one of ", list_names(names), did_you_mean(name, names)));
}

Document save_density(const ConditionalDensity& density) {
  return Document::Object{{"model", density.model_name()}, {"parameters", density.to_document()}};
}

std::unique_ptr<ConditionalDensity> load_density(const Document& document) {
  const std::string& name = document.at("model").as_string();
  for (const ModelInfo& info : models()) {
    if (info.name != name) continue;
    try {
      return info.load(document.at("parameters"));
    } catch (const std::invalid_argument& error) {
      throw FormatError(error.what());
    }
  }
  throw FormatError(message("unknown model '", name, "'; it may come from a newer condens"));
}

}  // namespace condens
