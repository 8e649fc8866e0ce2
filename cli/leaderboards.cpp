#include "leaderboards.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "arguments.hpp"
#include "condens/core/errors.hpp"
#include "condens/io/csv.hpp"
#include "condens/plot/comparison_figure.hpp"
#include "condens/plot/page.hpp"
#include "console.hpp"

namespace condens::cli {

namespace {

std::string with_error(const Score& score) {
  return brief(score.value) + (std::isfinite(score.standard_error) ? " ± " + brief(score.standard_error, 2) : "");
}

std::string splits_text(const ComparisonOptions& options) {
  const bool time = options.cv == SplitOrder::time;
  return message(options.repeats, time ? " block" : " random split", options.repeats == 1 ? "" : "s",
                 time ? " in the order of time" : "");
}

std::string board_text(const Board& board) {
  std::vector<std::vector<std::string>> rows{
      {"", "model", "nll", "behind", "p", "squared loss", "crps", "coverage", "seconds"}};
  for (const Standing& standing : board.standings) {
    const auto mean = [&](double Trial::*measure) {
      for (std::size_t m = 0; m < trial_measures.size(); ++m) {
        if (trial_measures[m].value == measure) return standing.means[m];
      }
      return Score{};
    };
    std::vector<std::string> row{standing.best ? "*" : "", standing.label};
    if (standing.failed == std::ssize(standing.trials)) {
      rows.push_back({"", standing.label, "failed"});
      continue;
    }
    const bool first = &standing == &board.standings.front();
    row.push_back(with_error(mean(&Trial::nll)));
    row.push_back(first ? "" : with_error(standing.behind));
    row.push_back(std::isnan(standing.p_value) ? "" : standing.p_value < 1e-4 ? "< 0.0001" : brief(standing.p_value));
    const double squared_loss = mean(&Trial::squared_loss).value;
    row.push_back(std::isnan(squared_loss) ? "" : brief(squared_loss));
    row.push_back(brief(mean(&Trial::crps).value));
    row.push_back(brief(100.0 * mean(&Trial::coverage).value) + " %");
    row.push_back(brief(mean(&Trial::seconds).value));
    rows.push_back(std::move(row));
  }
  const std::size_t splits = board.standings.front().trials.size();
  const std::string note =
      splits > 1 ? "; * the best, and those that a paired t-test at 5 % does not tell from it" : "; * the best";
  return message(board.data, ": ", board.rows, " rows, ", splits, splits == 1 ? " split" : " splits", note, "\n",
                 align(rows, 2));
}

/// The mean over tables of each model's place by NLL.
std::string ranks_text(const std::vector<Board>& boards) {
  std::vector<std::pair<double, std::string>> ranks;
  for (const Standing& own : boards.front().standings) {
    double sum = 0.0;
    for (const Board& board : boards) {
      const auto place = std::find_if(board.standings.begin(), board.standings.end(),
                                      [&](const Standing& other) { return other.label == own.label; });
      sum += 1.0 + static_cast<double>(place - board.standings.begin());
    }
    ranks.emplace_back(sum / static_cast<double>(boards.size()), own.label);
  }
  std::stable_sort(ranks.begin(), ranks.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::string out = message("mean rank over ", boards.size(), " tables: ");
  for (std::size_t k = 0; k < ranks.size(); ++k) {
    out += (k == 0 ? "" : ", ") + ranks[k].second + " " + brief(ranks[k].first);
  }
  return out + "\n";
}

}  // namespace

std::string boards_csv(const std::vector<Board>& boards, bool standardized) {
  std::vector<std::size_t> shown;
  for (std::size_t m = 0; m < trial_measures.size(); ++m) {
    if (standardized || trial_measures[m].value != &Trial::nll_standardized) shown.push_back(m);
  }
  std::ostringstream out;
  CsvWriter csv(out);
  csv.field("data").field("model");
  for (const std::size_t m : shown) {
    const std::string name(trial_measures[m].name);
    csv.field(name).field(name + "_se");
  }
  csv.field("failed").field("nll_behind").field("nll_behind_se").field("nll_p").field("best");
  csv.end_row();
  for (const Board& board : boards) {
    for (const Standing& standing : board.standings) {
      csv.field(board.data).field(standing.label);
      for (const std::size_t m : shown) {
        csv.field(standing.means[m].value);
        csv.field(standing.means[m].standard_error);
      }
      csv.field(standing.failed).field(standing.behind.value).field(standing.behind.standard_error);
      csv.field(standing.p_value).field(standing.best ? "true" : "false");
      csv.end_row();
    }
  }
  return out.str();
}

std::string boards_json(const std::vector<Board>& boards, const ComparisonOptions& options) {
  Document::Array results;
  for (const Board& board : boards) {
    for (const Standing& standing : board.standings) {
      Document entry;
      entry.set("data", board.data);
      const Document rest = to_document(standing);
      for (const auto& [name, value] : rest.as_object()) entry.set(name, value);
      results.push_back(std::move(entry));
    }
  }
  Document out = options_to_document(options);
  return to_json_text(out.set("results", std::move(results)));
}

std::string board_svg(const Board& board, const ComparisonOptions& options) {
  return plot::comparison_figure(board.standings, message(board.data, ", ", splits_text(options)));
}

std::string boards_page(const std::vector<Board>& boards, const ComparisonOptions& options) {
  std::vector<plot::PageFigure> figures;
  for (const Board& board : boards) {
    figures.push_back({board.data, board_svg(board, options),
                       message("Scores on rows that the fits have not seen, of ", board.rows,
                               " rows; lower NLL and CRPS are better. ",
                               options.cv == SplitOrder::random ? "Random splits share rows" : "Blocks of time are few",
                               ", so the test that sets models in bold is a convention.")});
  }
  const std::vector<std::pair<std::string, std::string>> summary{
      {"splits", splits_text(options)},
      {"share of rows to test on", brief(options.test_fraction)},
      {"seed", message(options.seed)}};
  return plot::page("Comparison of models", summary, figures);
}

std::string boards_text(const std::vector<Board>& boards) {
  std::string out;
  for (const Board& board : boards) out += board_text(board);
  if (boards.size() > 1) out += ranks_text(boards);
  return out.substr(0, out.size() - 1);  // the last line ends with the message
}

}  // namespace condens::cli
