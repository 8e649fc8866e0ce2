#pragma once
// What the command says of itself, read from the verbs as they are declared: help pages, and the parts of others.

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

namespace condens::cli {

/// Help pages: purpose, usage, options in groups, examples.
std::shared_ptr<CLI::FormatterBase> help_formatter();

std::vector<const CLI::App*> verbs_of(const CLI::App& app);

/// The arguments of a verb that are no options, in their order.
std::vector<const CLI::Option*> arguments_of(const CLI::App& verb);

/// "TRAIN.csv...", in brackets where it may be left out.
std::string usage_of(const CLI::Option& argument);

/// The options of a group, in their order.
std::vector<const CLI::Option*> options_in(const CLI::App& verb, const std::string& group);

/// Whether a value follows the option.
bool takes_value(const CLI::Option& option);

}  // namespace condens::cli
