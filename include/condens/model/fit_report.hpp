#pragma once
// What a fit did, as data: written by the model, read by whoever tells the user. Files hold it as a document; the
// parts that every model shares have a type here, and a model's own account is in its capabilities.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "condens/core/document.hpp"
#include "condens/core/types.hpp"

namespace condens {

/// What cross-validation, or a criterion in its place, compared.
struct Tuning {
  struct Candidate {
    std::vector<double> values;
    double score;  ///< less is better
    double standard_error;
    bool failed;  ///< it left no density in some fold
  };
  std::vector<std::string> names;     ///< of the values: options of the model
  std::vector<Candidate> candidates;  ///< by rising score, best first; at least one
};

/// A model that took part in a race (auto.hpp): its fits to ever more rows.
struct Contender {
  struct Lap {
    Index n_rows;
    double seconds;  ///< of one core, counted and not timed
    double score;    ///< on rows left out, less is better, on the standardised scale
    double standard_error;
  };
  std::string name;
  std::vector<Lap> laps;
  std::string fate;  ///< why it went no further; empty where it reached the end
};

struct FitReport {
  /// A mean over rows left out.
  struct Score {
    double value;  ///< less is better, on the standardised scale
    double standard_error;
  };
  /// What the inputs are worth, in nats a row.
  struct Gain {
    double mean;
    double standard_error;
    Index n_rows;                        ///< of the mean
    std::optional<Index> n_rows_fitted;  ///< of the fit that left them out, where that was not all others
  };

  std::string status = "ok";          ///< "ok", or what did not come to its end
  std::vector<std::string> warnings;  ///< complete sentences for the user
  /// The account as files have it, by name; what stands below reads it.
  Document details = Document(Document::Object{});

  // All throw FormatError where the account holds something else.

  Index n_rows() const;             ///< of the density; 0 where it does not tell
  Index n_rows_with_atoms() const;  ///< the same, with those of the atoms of the target
  std::optional<Score> score() const;
  std::optional<Tuning> tuning() const;  ///< nothing where there was nothing to choose
  std::vector<Contender> race() const;   ///< empty where there was none
  /// Names and values of what proves the solution; empty where the method has no such proof.
  std::vector<std::pair<std::string, Document>> certificate() const;
  /// rows: "held_out" or "fitted", of the density; "atoms", of their probabilities, on rows left out.
  std::optional<Gain> gain_of_inputs(std::string_view rows) const;
  /// What was chosen for an option, or nullptr.
  const Document* chosen(std::string_view option) const { return details.find(option); }

  Document to_document() const;
  static FitReport from_document(const Document& document);

  /// What warnings of a density begin with that is one beside atoms.
  static constexpr std::string_view beside_atoms = "beside the atoms, ";
  /// The density is one beside atoms: of so many rows with these, and what the inputs are worth to the probabilities of
  /// atoms, or null. For reports that have their warnings.
  void set_atoms(Index n_rows, const Document& gain);

  void set_race(const std::vector<Contender>& contenders);
};

}  // namespace condens
