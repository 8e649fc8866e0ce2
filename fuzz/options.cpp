// Options of every model: any document of options, and any text for one of them, is refused in words or fitted with, in
// a run that may be stopped.
//
// Model and preset by the first two bytes; the rest is JSON, or where it begins with another byte than '{' says which
// options have which values.

#include "condens/io/document_format.hpp"
#include "small_fits.hpp"

namespace condens::fuzz {
namespace {

constexpr double most_seconds = 60;

/// A value for the option, most of them of its type and some within its bounds.
Document value_for(Input& input, const OptionInfo& option) {
  const Index kind = input.below(16);
  if (kind == 0) return {};
  if (kind == 1) return input.word();
  if (kind == 2) return input.any_double();
  if (kind == 3) return Document::Array{input.number(), input.word()};
  if (option.type == "boolean") return input.flag();
  if (option.type == "choice" && !option.choices.empty())
    return option.choices[static_cast<std::size_t>(input.below(std::ssize(option.choices)))];
  if (option.type == "integer") return static_cast<std::int64_t>(input.below(40)) - 2;
  if (option.type == "number") return kind < 8 ? std::abs(input.share()) : input.number();
  if (option.type == "text") return models()[static_cast<std::size_t>(input.below(std::ssize(models())))].name;
  if (option.type == "texts") {
    Document::Array out;
    for (Index count = input.below(4); count > 0; --count)
      out.emplace_back(models()[static_cast<std::size_t>(input.below(std::ssize(models())))].name);
    return out;
  }
  if (option.type == "numbers") {
    if (kind < 6) return static_cast<std::int64_t>(input.below(12)) - 1;
    std::vector<double> out;
    for (Index count = input.below(4); count > 0; --count)
      out.push_back(kind < 11 ? input.byte() % 10 : input.number());
    return Document(out);
  }
  if (option.type == "matrix") {
    Matrix out(input.below(3), input.below(3));
    for (double& own : out.reshaped()) own = input.number();
    return out;
  }
  Document out(Document::Object{});
  for (Index count = input.below(3); count > 0 && !option.options.empty(); --count) {
    const OptionInfo& inner = option.options[static_cast<std::size_t>(input.below(std::ssize(option.options)))];
    out.set(inner.name, value_for(input, inner));
  }
  return out;
}

Document options_of(Input& input, const ModelInfo& info, const Document& quick) {
  Document out = quick;
  if (out.is_null()) out = Document(Document::Object{});
  for (Index count = 1 + input.below(4); count > 0; --count) {
    const OptionInfo& option = info.options[static_cast<std::size_t>(input.below(std::ssize(info.options)))];
    if (input.below(8) == 7) {
      refused([&] { out.set(option.name, parse_option(info.class_name, option, input.word())); });
    } else {
      out.set(option.name, value_for(input, option));
    }
  }
  return out;
}

/// Seven rows, nearly on a line.
Dataset seven_rows() {
  return {.x = Matrix{{1, 2, 3, 4, 5, 6, 7}, {0.3, -0.2, 1.1, -0.9, 0.4, 0.8, -1.3}},
          .y = Matrix{{1.5, 2.7, 2.9, 4.4, 5.1, 5.9, 7.3}}};
}

void run(Input& input) {
  const ModelInfo& info = models()[static_cast<std::size_t>(input.below(std::ssize(models())))];
  const std::string& preset = info.presets[static_cast<std::size_t>(input.below(std::ssize(info.presets)))];
  Input rest = input;
  Document options;
  if (rest.byte() == '{') {
    if (refused([&] { options = document_from_json(input.text(), "options"); })) return;
  } else {
    options = options_of(input, info, registered::quick_options({info.name, preset}));
  }
  const Dataset data = seven_rows();
  const WorkBound bound(most_seconds);
  const Run bounded = bound.run();
  int asked = 0;  // what is wanted a million times takes its time, and can be stopped
  const Run patient{.threads = 1, .observer = [&](std::string_view task, double done) {
                      return bounded.observer(task, done) && ++asked < 6;
                    }};
  std::unique_ptr<ConditionalDensity> model;
  try {
    if (refused([&] { model = info.fit(data, preset, options, patient); })) return;
  } catch (const Cancelled&) {
    return;
  }
  expect_sound(info, *model, data, bounded);
}

}  // namespace
}  // namespace condens::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  condens::fuzz::Input input(data, size);
  condens::fuzz::run(input);
  return 0;
}
