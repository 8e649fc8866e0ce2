// condens page: a model as a page for a browser, where its inputs move and the distribution follows.

#include <filesystem>
#include <memory>
#include <string_view>
#include <system_error>

#include "arguments.hpp"
#include "condens/core/errors.hpp"
#include "condens/plot/png.hpp"
#include "console.hpp"
#include "io/files.hpp"
#include "verbs.hpp"

namespace condens::cli {

namespace {

struct PageCall {
  std::string model;
  std::string output;
};

/// The page without a model, as built by the preset `browser`: beside the command where it is installed, or in the
/// build folder beside its own.
std::string read_template() {
  namespace fs = std::filesystem;
  std::error_code unknown;
  const fs::path here = fs::read_symlink("/proc/self/exe", unknown).parent_path();
  for (const char* place : {"../share/condens/page.html", "../../browser/page.html"}) {
    if (fs::exists(here / place, unknown)) return read_file((here / place).string());
  }
  throw std::runtime_error(
      "the part that computes in a browser was not built with this command: install emscripten, then cmake --preset "
      "browser && cmake --build --preset browser, and install condens again");
}

void write_page(const PageCall& call) {
  const bool html = call.output.ends_with(".html") || call.output.ends_with(".htm");
  require(html, "-o '", call.output, "', expected a name that ends in .html");
  check_output(call.output, {call.model});
  const Model model = read_model(call.model);
  std::string page = read_template();
  constexpr std::string_view place = "{{model}}";
  const std::size_t at = page.find(place);
  if (at == std::string::npos) throw std::runtime_error("the page that was built has no place for a model");
  write_result(call.output, page.replace(at, place.size(), plot::base64(to_cbor(model))));
}

}  // namespace

void add_page(CLI::App& app) {
  const auto call = std::make_shared<PageCall>();
  CLI::App& verb = *app.add_subcommand("page", "Write a page for a browser: move inputs and see the distribution");
  add_option(verb, "model", call->model, "MODEL", "A model file written by condens fit")->required();
  add_option(verb, "-o,--output", call->output, "FILE", "The page (.html), one file that needs no network", "Output")
      ->required();
  verb.footer(
      "The model is inside the page, which computes by the same code: any browser of 2023 or later opens the file.\n"
      "\nExample:\n  condens page geyser.json -o geyser.html");
  verb.callback([call] { write_page(*call); });
}

}  // namespace condens::cli
