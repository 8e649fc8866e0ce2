// The bytes of distributions, to the last bit of every number:
//
//   {"format": "condens-distributions", "version": 1, "mixtures": {...}, "support": ..., "log_shares": ...}
//
// the last two of a target that is not any real number.

#include <limits>

#include "condens/core/errors.hpp"
#include "condens/io/document_format.hpp"
#include "laws.hpp"
#include "raw_object.hpp"

namespace condens::r {

namespace {

using Object = RawObject<Laws>;

constexpr const char* laws_format = "condens-distributions";
constexpr int laws_version = 1;

/// Documents hold finite numbers. The least of them, whose exponential is zero too, stands for -infinity.
constexpr double least = std::numeric_limits<double>::lowest();

Document logarithms(const Matrix& values) { return Matrix((values.array() == -infinity).select(least, values)); }

Matrix logarithms_of(const Document& document) {
  const Matrix& values = document.as_matrix();
  return (values.array() == least).select(-infinity, values);
}

Document to_document(const GaussianMixtures& laws) {
  const GaussianComponents& components = laws.components();
  Document out;
  out.set("shared", laws.has_shared_components()).set("log_weights", logarithms(laws.log_weights()));
  out.set("means", components.means).set("scales", components.scales);
  return out.set("correlations", components.correlations);
}

/// Weights stay as they are: to normalise them again could change a last bit.
GaussianMixtures mixtures_of(const Document& document) {
  const Matrix log_weights = logarithms_of(document.at("log_weights"));
  GaussianComponents all{document.at("means").as_matrix(), document.at("scales").as_matrix(),
                         document.at("correlations").as_matrix()};
  const Index m = log_weights.rows();
  const Index n = log_weights.cols();
  const Index d = all.means.rows();
  const bool shared = document.at("shared").as_bool();
  const Index columns = shared ? m : m * n;
  if (all.means.cols() != columns || all.scales.rows() != d || all.scales.cols() != columns ||
      (all.correlated() && (all.correlations.rows() != d * d || all.correlations.cols() != columns))) {
    throw FormatError("distributions: the numbers of their components do not fit together");
  }
  if (shared)
    return GaussianMixtures::shared_normalized(std::make_shared<GaussianComponents>(std::move(all)), log_weights);
  if (n == 0) return GaussianMixtures::separate(std::move(all), log_weights);
  std::vector<GaussianMixtures> each;
  for (Index i = 0; i < n; ++i) {
    each.push_back(GaussianMixtures::shared_normalized(std::make_shared<GaussianComponents>(all.columns(i * m, m)),
                                                       log_weights.col(i)));
  }
  GaussianMixtures out = GaussianMixtures::concatenate(each);
  if (!out.has_shared_components()) return out;
  // Their components are equal, and have been put together.
  return out.affine_each(Matrix::Zero(d, n), Matrix::Ones(d, n));
}

std::string to_bytes(const Laws& laws) {
  Document out;
  out.set("format", laws_format).set("version", laws_version);
  if (const auto* targets = std::get_if<TargetDistributions>(&laws)) {
    out.set("mixtures", to_document(targets->base()));
    out.set("support", targets->support().to_document()).set("log_shares", logarithms(targets->log_shares()));
  } else {
    out.set("mixtures", to_document(std::get<GaussianMixtures>(laws)));
  }
  return document_to_cbor(out, "distributions");
}

std::shared_ptr<const Laws> from_bytes(std::string_view bytes) {
  const Document document = document_from_cbor(bytes, "distributions");
  const Document* format = document.find("format");
  if (format == nullptr || format->as_string() != laws_format) {
    throw FormatError("distributions: the bytes are not those of distributions of condens");
  }
  const std::int64_t version = document.at("version").as_integer();
  if (version != laws_version) {
    throw FormatError(
        message("distributions: version ", version, ", expected ", laws_version, ": another condens has written them"));
  }
  GaussianMixtures mixtures = mixtures_of(document.at("mixtures"));
  const Document* support = document.find("support");
  if (support == nullptr) return std::make_shared<const Laws>(std::move(mixtures));
  return std::make_shared<const Laws>(TargetDistributions(std::move(mixtures), TargetSupport::from_document(*support),
                                                          logarithms_of(document.at("log_shares"))));
}

}  // namespace

void register_laws_class(DllInfo* dll) {
  Object::enroll(dll, {.class_name = "condens_laws",
                       .text = "distributions of condens",
                       .to_bytes = to_bytes,
                       .from_bytes = from_bytes});
}

SEXP to_r(Laws laws) { return Object::make(std::make_shared<const Laws>(std::move(laws))); }

std::shared_ptr<const Laws> laws_of(SEXP object) { return Object::value_of(object); }

}  // namespace condens::r
