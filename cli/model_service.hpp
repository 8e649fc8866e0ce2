#pragma once
// What `condens serve` answers: models behind paths.
//
//   GET  /         help for people        GET  /health   {"status": "ok"}     GET /metrics   Prometheus
//   GET  /models   what is served         GET  /model    describe --json of a model
//   POST /predict  rows in, answers out   POST /score    rows with targets in, scores out

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "http_server.hpp"

namespace condens::cli {

struct RequestLimits {
  Index rows = 10'000;
  Index numbers = 1'000'000;  ///< in the body, and in the answer
};

class ModelService {
 public:
  /// Reads the files, whose names without folder and ending are the models'. Throws std::invalid_argument where two
  /// have one name.
  ModelService(std::vector<std::string> files, const RequestLimits& limits, HttpMetrics& metrics);

  HttpReply tell(const HttpRequest& request) const;
  HttpReply compute(const HttpRequest& request, const Run& run) const;

  /// Reads the files again. Where one cannot be read the models stay as they were.
  void reload();

  /// "geyser: lscde, waiting given duration", for each model.
  std::vector<std::string> lines() const;

 private:
  struct Served;
  using Models = std::vector<std::shared_ptr<const Served>>;
  struct Call;

  Models load() const;
  Models models() const;
  HttpReply predict(const Call& call, const Run& run) const;
  HttpReply score(const Call& call, const Run& run) const;
  std::string help() const;
  std::string metrics_text() const;
  std::string models_text() const;

  std::vector<std::string> files_;
  RequestLimits limits_;
  HttpMetrics& metrics_;
  mutable std::mutex mutex_;
  Models models_;
};

}  // namespace condens::cli
