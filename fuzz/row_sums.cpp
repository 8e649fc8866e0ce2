// Fits by sums over rows: passes and states as they are, and with parts changed as on a cluster whose messages are
// damaged; blocks of any size, and merging in any order.

#include <vector>

#include "changed_document.hpp"
#include "small_fits.hpp"

namespace condens::fuzz {
namespace {

constexpr double most_seconds = 60;

/// A table in blocks, of which one answer is changed.
class DamagedBlocks final : public RowSums {
 public:
  DamagedBlocks(const Dataset& data, Input& input, const Run& run)
      : RowSums(data.x.rows(), data.y.rows(), data.groups),
        blocks_(data, 1 + input.below(8), run),
        damaged_(input.below(8)),
        of_pass_(input.flag()),
        random_(input.byte(), input.byte()) {}

  Document total(const Document& pass) override {
    const bool now = pass_++ == damaged_;
    Document out = blocks_.total(now && of_pass_ ? changed_document(pass, random_) : pass);
    if (!now) return out;
    refused([&] { merge_states(out, changed_document(out, random_)); });
    refused([&] { scaled_state(out, 0.5); });
    return of_pass_ ? out : changed_document(out, random_);
  }

 private:
  BlocksInMemory blocks_;
  Index damaged_;
  bool of_pass_;
  RandomStream random_;
  Index pass_ = 0;
};

void run(Input& input) {
  const std::vector<std::string> names = models_that("sums_over_rows");
  const ModelInfo& info = find_model(names[static_cast<std::size_t>(input.below(std::ssize(names)))]);
  const std::string& preset = info.presets[static_cast<std::size_t>(input.below(std::ssize(info.presets)))];
  const bool damage = input.flag();
  const Index gather = input.below(2) * 100;
  const Index rows_of_block = 1 + input.below(16);
  Input of_damage = input;
  const Dataset data = small_table(input, 1 + input.below(30), 3, 2);
  const WorkBound bound(most_seconds);
  const Run run = bound.run();
  std::unique_ptr<ConditionalDensity> model;
  const bool no = refused([&] {
    if (damage) {
      DamagedBlocks table(data, of_damage, run);
      model = fit_by_sums(info, table, preset, Document(), gather, run);
    } else {
      data.check("fuzz");
      BlocksInMemory table(data, rows_of_block, run);
      model = fit_by_sums(info, table, preset, Document(), gather, run);
    }
  });
  bound.check();
  if (no) return;
  if (!damage) return expect_sound(info, *model, data, run);
  refused([&] { expect_distributions(*model, data.x, run); });
}

}  // namespace
}  // namespace condens::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  condens::fuzz::Input input(data, size);
  condens::fuzz::run(input);
  return 0;
}
