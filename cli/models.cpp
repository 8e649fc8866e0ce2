// condens models: every model, its options with bounds and defaults.

#include <memory>

#include "arguments.hpp"
#include "console.hpp"
#include "fitted.hpp"
#include "verbs.hpp"

namespace condens::cli {

namespace {

struct ModelsCall {
  std::string name;
  bool json = false;
};

std::string kind_text(const OptionInfo& option) {
  std::string choices;
  for (const std::string& choice : option.choices) choices += (choices.empty() ? "" : "|") + choice;
  const std::string bounds = to_string(option.bounds);
  return (choices.empty() ? option.type : choices) + (bounds.empty() ? "" : " " + bounds);
}

std::string model_text(const ModelInfo& model) {
  std::string out = model.name + ": " + model.title + "\n  Source: " + model.source + "\n  Presets: ";
  for (std::size_t i = 0; i < model.presets.size(); ++i) out += (i == 0 ? "" : ", ") + model.presets[i];
  out += "\n";
  for (const OptionInfo& option : model.options) {
    out += "\n  " + option.name + " (" + kind_text(option) + ")\n    " + option.text + "\n    ";
    std::string first;
    for (const std::string& preset : model.presets) {
      const std::string value = value_text(model.defaults(preset).at(option.name));
      if (preset == model.presets.front())
        out += "Default: " + (first = value);
      else if (value != first)
        out += "; " + preset + ": " + value;
    }
    out += "\n";
  }
  return out;
}

Document bounds_document(const Bounds& bounds) {
  Document out(Document::Object{});
  const auto end = [](double value) { return std::isfinite(value) ? Document(value) : Document(); };
  out.set("low", end(bounds.low)).set("low_open", bounds.low_open);
  return out.set("high", end(bounds.high)).set("high_open", bounds.high_open);
}

Document model_document(const ModelInfo& model) {
  Document out;
  out.set("name", model.name).set("title", model.title).set("source", model.source);
  out.set("presets", Document(model.presets));
  Document::Array options;
  for (const OptionInfo& option : model.options) {
    Document entry;
    entry.set("name", option.name).set("type", option.type).set("text", option.text);
    entry.set("bounds", bounds_document(option.bounds)).set("choices", Document(option.choices));
    Document defaults(Document::Object{});
    for (const std::string& preset : model.presets) defaults.set(preset, model.defaults(preset).at(option.name));
    options.push_back(std::move(entry.set("defaults", std::move(defaults))));
  }
  return out.set("options", std::move(options));
}

void list_models(const ModelsCall& call) {
  std::string text;
  Document::Array documents;
  for (const ModelInfo& model : models()) {
    if (!call.name.empty() && find_model(call.name).name != model.name) continue;
    text += (text.empty() ? "" : "\n") + model_text(model);
    documents.push_back(model_document(model));
  }
  write_result("-", call.json ? to_json_text(documents) : text);
}

}  // namespace

void add_models(CLI::App& app) {
  const auto call = std::make_shared<ModelsCall>();
  CLI::App& verb = *app.add_subcommand("models", "List every model with its options, their bounds and defaults");
  add_option(verb, "name", call->name, "NAME", "One model only");
  verb.add_flag("--json", call->json, "JSON instead of text");
  verb.footer("Example:\n  condens models lscde");
  verb.callback([call] { list_models(*call); });
}

}  // namespace condens::cli
