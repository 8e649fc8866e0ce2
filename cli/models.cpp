// condens models: every model, its options with bounds and defaults.

#include <memory>

#include "arguments.hpp"
#include "completion.hpp"
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
  if (model.can("learns_from_unlabeled")) out += "\n  Learns from rows without a target, too: fit --unlabeled";
  out += "\n";
  for (const OptionInfo& option : model.options) {
    out += "\n  " + option.name + " (" + kind_text(option) + ")\n    " + option.text + "\n    ";
    if (option.type == "options") {
      out += "Set one by one: --set " + option.name + ".option=value\n";
      continue;
    }
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

void list_models(const ModelsCall& call) {
  std::string text;
  Document::Array documents;
  for (const ModelInfo& model : models()) {
    if (!call.name.empty() && find_model(call.name).name != model.name) continue;
    text += (text.empty() ? "" : "\n") + model_text(model);
    documents.push_back(to_document(model));
  }
  write_result("-", call.json ? to_json_text(documents) : text);
}

}  // namespace

void add_models(CLI::App& app) {
  const auto call = std::make_shared<ModelsCall>();
  CLI::App& verb = *app.add_subcommand("models", "List every model with its options, their bounds and defaults");
  add_option(verb, "name", call->name, "NAME", "One model only");
  verb.add_flag("--json", call->json, "JSON instead of text");
  offer(verb, "name", model_names);
  verb.footer("Example:\n  condens models lscde");
  verb.callback([call] { list_models(*call); });
}

}  // namespace condens::cli
