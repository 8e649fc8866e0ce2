#include "common/record_book.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <mutex>
#include <sstream>

#include "condens/core/errors.hpp"
#include "condens/core/parallel.hpp"

namespace condens::reproduce {

namespace {

constexpr std::size_t n_key_cells = 4;

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> out;
  std::istringstream row(line);
  for (std::string cell; std::getline(row, cell, ',');) out.push_back(cell);
  return out;
}

}  // namespace

RecordBook::RecordBook(std::filesystem::path file, const std::vector<std::string>& numbers)
    : file_(std::move(file)), n_numbers_(numbers.size()) {
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
    if (cells.size() != n_key_cells + n_numbers_) continue;  // a run that was cut off
    TrialRecord record;
    for (std::size_t i = n_key_cells; i < cells.size(); ++i) record.push_back(std::strtod(cells[i].c_str(), nullptr));
    records_[{cells[0], std::stol(cells[1]), cells[2], std::stol(cells[3])}] = record;
  }
}

const TrialRecord* RecordBook::find(const TrialKey& key) const {
  const auto found = records_.find(key);
  return found == records_.end() ? nullptr : &found->second;
}

void RecordBook::add(const TrialKey& key, const TrialRecord& record) {
  require(record.size() == n_numbers_, file_.string(), ": ", record.size(), " numbers, expected ", n_numbers_);
  std::ostringstream line;
  line.precision(17);
  line << key.data << ',' << key.level << ',' << key.method << ',' << key.repetition;
  for (const double number : record) line << ',' << number;
  std::ofstream out(file_, std::ios::app);
  out << line.str() << '\n' << std::flush;
  require(out.good(), "cannot write ", file_.string());
  records_[key] = record;
}

void run_trials(std::vector<Trial> trials, RecordBook& book, double minutes) {
  std::erase_if(trials, [&](const Trial& trial) { return book.find(trial.key) != nullptr; });
  std::stable_sort(trials.begin(), trials.end(), [](const Trial& a, const Trial& b) {
    return std::pair(a.key.repetition, a.key.level) < std::pair(b.key.repetition, b.key.level);
  });
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
