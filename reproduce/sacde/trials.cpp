#include "trials.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <iostream>
#include <limits>
#include <mutex>
#include <numbers>
#include <sstream>

#include "common/test_score.hpp"
#include "condens/core/errors.hpp"
#include "condens/core/parallel.hpp"
#include "condens/registry.hpp"

namespace condens::reproduce {

namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();
constexpr Index integrated_rows = 500;
constexpr const char* header =
    "data,level,method,repetition,exact,capped,truth,integrated,averaged,seconds,selected,found";

constexpr double Record::*fields[] = {&Record::exact,    &Record::capped,  &Record::truth,    &Record::integrated,
                                      &Record::averaged, &Record::seconds, &Record::selected, &Record::found};

const Run one_thread{.threads = 1, .observer = {}};

/// The law without its components of weight zero.
GaussianMixture without_zeros(const GaussianMixture& law) {
  std::vector<Index> keep;
  for (Index k = 0; k < law.n_components(); ++k)
    if (law.weights()[k] > 0) keep.push_back(k);
  return GaussianMixture::from_log_weights(law.log_weights()(keep), law.means()(Eigen::all, keep),
                                           law.scales()(Eigen::all, keep));
}

/// Integral of the product with a Gaussian: the mixture convolved with it, at its mean.
double overlap(const GaussianMixture& law, const GaussianMixture& gaussian) {
  const Vector variance = gaussian.scales().col(0).array().square();
  const Matrix scales = (law.scales().array().square().matrix().colwise() + variance).cwiseSqrt();
  return GaussianMixture::from_log_weights(law.log_weights(), law.means(), scales).pdf(Vector(gaussian.means().col(0)));
}

double integrated_error(const ConditionalDensity& model, const Problem& problem) {
  const Index n = std::min(integrated_rows, problem.test.size());
  const Matrix x = problem.test.x.leftCols(n);
  const GaussianMixtures estimates = model.predict(x, one_thread);
  const GaussianMixtures truths = problem.toy->truth(x);
  double sum = 0;
  for (Index i = 0; i < n; ++i) {
    const GaussianMixture estimate = without_zeros(estimates[i]);
    const GaussianMixture truth = truths[i];
    sum += estimate.squared_l2_norm() - 2 * overlap(estimate, truth) + truth.squared_l2_norm();
  }
  return 0.5 * sum / static_cast<double>(n);
}

/// 1 for every input that the model selected, where it says so.
std::optional<Vector> support(const Method& method, const ConditionalDensity& model) {
  const Document results = find_model(method.model).results_of(model);
  const Document* found = results.find("support");
  if (found == nullptr) return std::nullopt;
  return found->as_vector();
}

Record run_trial(const Method& method, const Problem& problem, Index repetition) {
  Record out{none, none, none, none, none, none, none, none};
  const double begin = thread_seconds();
  std::unique_ptr<ConditionalDensity> model;
  Vector log_density;
  try {
    model = fit(method, problem.train, repetition);
    log_density = model->log_density(problem.test.x, problem.test.y, one_thread);
  } catch (const NumericalError& error) {
    std::cerr << "reproduce_sacde: " << error.what() << '\n';
  }
  out.seconds = thread_seconds() - begin;
  if (!model) return out;

  const TestScore score = standardized_score(problem.train, log_density);
  out.exact = score.exact;
  out.capped = score.capped;
  if (problem.toy) {
    const Vector truth = problem.toy->truth(problem.test.x).log_pdf(problem.test.y, one_thread);
    out.truth = standardized_score(problem.train, truth).exact;
    out.averaged = 0.5 * (log_density.array().exp() - truth.array().exp()).square().mean();
    out.integrated = integrated_error(*model, problem);
  }
  if (const std::optional<Vector> chosen = support(method, *model)) {
    out.selected = chosen->sum();
    if (!problem.relevant.empty()) out.found = (*chosen)(problem.relevant).sum();
  }
  return out;
}

struct Trial {
  const Case* from;
  Index level;
  Index repetition;
  const Method* method;

  Key key() const { return {from->name, level, method->label, repetition}; }
};

std::vector<Trial> open_trials(const Study& study, const RecordBook& book) {
  std::vector<Trial> out;
  for (const Case& from : study.cases)
    for (const Index level : from.levels)
      for (Index r = 0; r < study.repetitions(level); ++r)
        for (const Method& method : study.methods) {
          const Trial trial{&from, level, r, &method};
          if (!book.contains(trial.key())) out.push_back(trial);
        }
  std::stable_sort(out.begin(), out.end(), [](const Trial& a, const Trial& b) {
    return std::pair(a.repetition, a.level) < std::pair(b.repetition, b.level);
  });
  return out;
}

double parse(const std::string& text) { return std::strtod(text.c_str(), nullptr); }

}  // namespace

RecordBook::RecordBook(std::filesystem::path file) : file_(std::move(file)) {
  std::filesystem::create_directories(file_.parent_path());
  std::ifstream in(file_);
  std::string line;
  if (!std::getline(in, line)) {
    std::ofstream(file_) << header << '\n';
    return;
  }
  require(line == header, file_.string(), ": is not a file of records of this program");
  while (std::getline(in, line)) {
    std::vector<std::string> cells;
    std::istringstream row(line);
    for (std::string cell; std::getline(row, cell, ',');) cells.push_back(cell);
    if (cells.size() != 4 + std::size(fields)) continue;  // a run that was cut off
    Record record{};
    for (std::size_t i = 0; i < std::size(fields); ++i) record.*fields[i] = parse(cells[4 + i]);
    records_[{cells[0], std::stol(cells[1]), cells[2], std::stol(cells[3])}] = record;
  }
}

const Record* RecordBook::find(const Key& key) const {
  const auto found = records_.find(key);
  return found == records_.end() ? nullptr : &found->second;
}

void RecordBook::add(const Key& key, const Record& record) {
  std::ostringstream line;
  line.precision(17);
  line << key.data << ',' << key.level << ',' << key.method << ',' << key.repetition;
  for (const auto field : fields) line << ',' << record.*field;
  std::ofstream out(file_, std::ios::app);
  out << line.str() << '\n' << std::flush;
  require(out.good(), "cannot write ", file_.string());
  records_[key] = record;
}

void run_trials(const Study& study, RecordBook& book, double minutes) {
  const std::vector<Trial> trials = open_trials(study, book);
  if (trials.empty()) return;
  const auto begin = std::chrono::steady_clock::now();
  const auto elapsed = [&] {
    return std::chrono::duration<double, std::ratio<60>>(std::chrono::steady_clock::now() - begin).count();
  };
  std::mutex lock;
  std::size_t done = 0;
  parallel_for(std::ssize(trials), resolve_threads(0), [&](Index i) {
    if (elapsed() > minutes) return;
    const Trial& trial = trials[static_cast<std::size_t>(i)];
    const Record record =
        run_trial(*trial.method, trial.from->problem(trial.level, trial.repetition), trial.repetition);
    const std::lock_guard guard(lock);
    book.add(trial.key(), record);
    if (++done % 20 == 0 || done == trials.size())
      std::cerr << trial.from->name << ": " << done << " of " << trials.size() << " fits after "
                << std::lround(60 * elapsed()) << " s\n";
  });
}

}  // namespace condens::reproduce
