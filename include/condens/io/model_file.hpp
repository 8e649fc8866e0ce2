#pragma once
// A fitted model with the columns it was fitted on, as one self-contained file.
//
//   {"format": "condens-model", "version": 1, "checksum": "...", "body": {"encoder": ..., "density": ...}}
//
// Version 2 may have "target", how a target that is not any real number is told from its code, and "conformal", the
// scores of calibration rows, and "replicates", those of the bootstrap, and an encoder that marks missing inputs. The
// others stay what they were, for those who read them. Version 3: "conformal" with the models of folds, or with groups,
// and a density with "calibration", the map of its distribution function.
//
// The checksum is the 64-bit FNV-1a hash (Fowler, Noll, Vo) of the body as CBOR, in
// hexadecimal: it tells accidents, not forgeries. CBOR files begin with the tag that
// marks CBOR (RFC 8949, section 3.4.6).

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "condens/data/encoder.hpp"
#include "condens/model/conditional_density.hpp"
#include "condens/model/conformal.hpp"
#include "condens/model/replicates.hpp"
#include "condens/model/target_kind.hpp"

namespace condens {

struct Model {
  Encoder encoder;
  std::shared_ptr<const ConditionalDensity> density;    ///< of the target, or of its code
  std::optional<TargetDecoder> target = std::nullopt;   ///< where the target is not any real number
  std::optional<Conformal> conformal = std::nullopt;    ///< where rows were left out for intervals with a guarantee
  std::optional<Replicates> replicates = std::nullopt;  ///< where the fit was asked for error bars
};

/// Replicate r of a model that has replicates, a model like any other.
Model replicate_of(const Model& model, Index r);

/// The warnings of the fit, with names in the place of "input 2" and "target 1".
std::vector<std::string> warnings_of(const Model& model);

std::string to_json(const Model& model);
std::string to_cbor(const Model& model);

/// Reads either form. `source` begins messages. Throws FormatError for what is truncated,
/// altered, written by a newer condens, or no model at all.
Model parse_model(std::string_view bytes, const std::string& source);

/// CBOR when the name ends in .cbor, JSON otherwise; the file appears whole or not at all.
void save_model(const Model& model, const std::string& path);

/// Throws as parse_model does, and std::runtime_error when the file cannot be read.
Model load_model_file(const std::string& path);

}  // namespace condens
