#pragma once
// Intervals with a guarantee, as options of fit and as text: --conformal, --conformal-share, --conformal-folds,
// --conformal-groups.

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "condens/data/encoder.hpp"
#include "condens/model/conformal.hpp"
#include "condens/registry.hpp"

namespace condens::cli {

struct ConformalFlags {
  CLI::Option* option = nullptr;
  std::string method;
  std::optional<double> share;
  std::optional<Index> folds;
  std::string groups;

  void add_to(CLI::App& verb, const std::string& group);
  bool given() const { return option != nullptr && option->count() > 0; }
  /// A word behind --conformal that names no method is the table, where there is none.
  void give_back_table(std::string& table);
  /// Throws std::invalid_argument for what does not go together, before anything is read.
  void check() const;
  /// What is asked of a fit to the rows of x.
  void set(const Encoder& encoder, const MatrixView& x, TargetRequest& request) const;
};

/// What a fit says of its intervals.
std::vector<std::string> conformal_lines(const Conformal& conformal);

/// The masses that intervals take, for describe.
std::string conformal_text(const Conformal& conformal);

}  // namespace condens::cli
