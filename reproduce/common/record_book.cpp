#include "common/record_book.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <mutex>
#include <numeric>
#include <set>
#include <sstream>
#include <tuple>

#include "condens/core/errors.hpp"
#include "condens/core/parallel.hpp"

namespace condens::reproduce {

namespace {

constexpr std::size_t n_key_cells = 4;
constexpr Index small_repetition = -1;

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> out;
  std::istringstream row(line);
  for (std::string cell; std::getline(row, cell, ',');) out.push_back(cell);
  return out;
}

TrialKey of_all_repetitions(TrialKey key) {
  key.repetition = small_repetition;
  return key;
}

}  // namespace

RecordBook::RecordBook(std::filesystem::path file, const std::vector<std::string>& numbers)
    : file_(std::move(file)), numbers_(numbers) {
  std::string header = "data,level,method,repetition";
  for (const std::string& number : numbers) header += "," + number;
  std::filesystem::create_directories(file_.parent_path());
  std::ifstream in(file_);
  std::string line;
  if (!std::getline(in, line)) {
    std::ofstream(file_) << header << '\n';
    return;
  }
  require(line == header, file_.string(), ": is not a file of records of this program");
  while (std::getline(in, line)) {
    const std::vector<std::string> cells = cells_of(line);
    if (cells.size() != n_key_cells + numbers_.size()) continue;  // a run that was cut off
    TrialRecord record;
    for (std::size_t i = n_key_cells; i < cells.size(); ++i) record.push_back(std::strtod(cells[i].c_str(), nullptr));
    take({cells[0], std::stol(cells[1]), cells[2], std::stol(cells[3])}, record);
  }
}

bool RecordBook::same(const TrialRecord& a, const TrialRecord& b) const {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (numbers_[i] == "seconds" || (std::isnan(a[i]) && std::isnan(b[i]))) continue;
    if (!(std::abs(a[i] - b[i]) <= 1e-4 * (0.01 + std::abs(b[i])))) return false;
  }
  return true;
}

/// Rows count in their order: a small trial that differs ends the time of those before it.
void RecordBook::take(const TrialKey& key, const TrialRecord& record) {
  Cell& cell = cells_[of_all_repetitions(key)];
  if (key.repetition != small_repetition) {
    cell.current[key.repetition] = record;
    return;
  }
  if (!same(cell.small, record)) {
    for (auto& [repetition, old] : cell.current) cell.older[repetition] = std::move(old);
    cell.current.clear();
  }
  cell.small = record;
}

const TrialRecord* RecordBook::find(const TrialKey& key) const {
  const auto cell = cells_.find(of_all_repetitions(key));
  if (cell == cells_.end()) return nullptr;
  const auto& records = cell->second.current.empty() ? cell->second.older : cell->second.current;
  const auto found = records.find(key.repetition);
  return found == records.end() ? nullptr : &found->second;
}

bool RecordBook::is_current(const TrialKey& key) const {
  const auto cell = cells_.find(of_all_repetitions(key));
  return cell != cells_.end() && cell->second.current.contains(key.repetition);
}

void RecordBook::write(const TrialKey& key, const TrialRecord& record) {
  require(record.size() == numbers_.size(), file_.string(), ": ", record.size(), " numbers, expected ",
          numbers_.size());
  std::ostringstream line;
  line.precision(17);
  line << key.data << ',' << key.level << ',' << key.method << ',' << key.repetition;
  for (const double number : record) line << ',' << number;
  std::ofstream out(file_, std::ios::app);
  out << line.str() << '\n' << std::flush;
  require(out.good(), "cannot write ", file_.string());
}

void RecordBook::add(const TrialKey& key, const TrialRecord& record) {
  write(key, record);
  take(key, record);
}

void RecordBook::add_small(const TrialKey& key, const TrialRecord& record) {
  const TrialKey small = of_all_repetitions(key);
  Cell& cell = cells_[small];
  cell.is_run = true;
  if (!same(cell.small, record)) add(small, record);
}

void RecordBook::print_older(std::ostream& out) const {
  std::map<std::string, std::set<std::string>> data_of;  // by method
  for (const auto& [key, cell] : cells_)
    if (cell.is_run && cell.current.empty() && !cell.older.empty()) data_of[key.method].insert(key.data);
  if (data_of.empty()) return;
  out << "Older than the last change of the method, or of how its data are made and scored, are the numbers of\n\n";
  for (const auto& [method, data] : data_of) {
    out << "- " << method << ':';
    for (const std::string& name : data) out << ' ' << name << (name == *data.rbegin() ? "\n" : ",");
  }
  out << '\n';
}

Dataset first_rows(const Dataset& data, Index most) {
  std::vector<Index> rows(static_cast<std::size_t>(std::min(data.size(), most)));
  std::iota(rows.begin(), rows.end(), Index{0});
  return data.subset(rows);
}

namespace {

void run_small_trials(const std::vector<Trial>& trials, RecordBook& book) {
  std::map<TrialKey, const Trial*> first;
  for (const Trial& trial : trials) first.try_emplace(of_all_repetitions(trial.key), &trial);
  std::vector<const Trial*> small;
  for (const auto& [key, trial] : first) small.push_back(trial);
  std::mutex lock;
  parallel_for(std::ssize(small), resolve_threads(0), [&](Index i) {
    const Trial& trial = *small[static_cast<std::size_t>(i)];
    const TrialRecord record = trial.small();
    const std::lock_guard guard(lock);
    book.add_small(trial.key, record);
  });
}

}  // namespace

void run_trials(std::vector<Trial> trials, RecordBook& book, double minutes) {
  run_small_trials(trials, book);
  std::erase_if(trials, [&](const Trial& trial) { return book.is_current(trial.key); });
  // Method by method: two that share a first stage, and wait for each other there, are not run side by side.
  const auto place = [](const Trial& trial) {
    return std::tie(trial.key.repetition, trial.key.level, trial.key.method);
  };
  std::stable_sort(trials.begin(), trials.end(), [&](const Trial& a, const Trial& b) { return place(a) < place(b); });
  const auto begin = std::chrono::steady_clock::now();
  const auto elapsed = [&] {
    return std::chrono::duration<double, std::ratio<60>>(std::chrono::steady_clock::now() - begin).count();
  };
  std::mutex lock;
  std::size_t done = 0;
  parallel_for(std::ssize(trials), resolve_threads(0), [&](Index i) {
    if (elapsed() > minutes) return;
    const Trial& trial = trials[static_cast<std::size_t>(i)];
    const TrialRecord record = trial.run();
    const std::lock_guard guard(lock);
    book.add(trial.key, record);
    if (++done % 20 == 0 || done == trials.size())
      std::cerr << trial.key.data << ": " << done << " of " << trials.size() << " fits after "
                << std::lround(60 * elapsed()) << " s\n";
  });
}

}  // namespace condens::reproduce
