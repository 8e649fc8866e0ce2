#pragma once
// The verbs of the command. Each add_... declares a verb with its options; when the call
// names the verb, parsing runs it.

#include <CLI/CLI.hpp>

namespace condens::cli {

void add_fit(CLI::App& app);
void add_predict(CLI::App& app);
void add_score(CLI::App& app);
void add_describe(CLI::App& app);
void add_compare(CLI::App& app);
void add_plot(CLI::App& app);
void add_page(CLI::App& app);
void add_explain(CLI::App& app);
void add_models(CLI::App& app);
void add_serve(CLI::App& app);
void add_completion(CLI::App& app);
void add_manual(CLI::App& app);

}  // namespace condens::cli
