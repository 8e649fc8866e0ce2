#pragma once
// What a shell offers while a call is typed: the verbs, their options, and what the options take.

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

namespace condens::cli {

/// What an option takes, given the words that stand before it.
using Values = std::function<std::vector<std::string>(const std::vector<std::string>& before)>;

/// Says what an option or argument of the verb takes, where that is no file.
void offer(const CLI::App& verb, const std::string& option, Values values);
void offer(const CLI::App& verb, const std::string& option, const std::vector<std::string>& words);

/// The kinds of a target; bounded: waits for its ends.
std::vector<std::string> target_kinds();

/// The columns of the first table among the words.
std::vector<std::string> columns_before(const std::vector<std::string>& before);

std::vector<std::string> model_names(const std::vector<std::string>& before);

/// The presets and the options, as option=value, of the model that the words name.
std::vector<std::string> presets_of_model(const std::vector<std::string>& before);
std::vector<std::string> settings_of_model(const std::vector<std::string>& before);

/// The options, as label.option=value, of the models that the words compare.
std::vector<std::string> settings_of_models(const std::vector<std::string>& before);

struct Candidate {
  std::string word;
  std::string text;  ///< what it is, where that is known
};

/// What may stand in the place of the last of the words, the first of which is the command; nothing: a file.
std::vector<Candidate> candidates(const CLI::App& app, std::vector<std::string> words);

}  // namespace condens::cli
