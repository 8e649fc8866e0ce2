#pragma once
// What a comparison gave, as CSV, as JSON and for people.

#include <string>
#include <vector>

#include "condens/comparison/leaderboard.hpp"

namespace condens::cli {

/// The leaderboard of one table.
struct Board {
  std::string data;  ///< name of the table
  Index rows;
  std::vector<Standing> standings;
};

/// One line for each table and model; `standardized` keeps the column nll_standardized.
std::string boards_csv(const std::vector<Board>& boards, bool standardized);

std::string boards_json(const std::vector<Board>& boards, const ComparisonOptions& options);

/// One picture for each table: SVG of the only one, or a page.
std::string board_svg(const Board& board, const ComparisonOptions& options);
std::string boards_page(const std::vector<Board>& boards, const ComparisonOptions& options);

/// Aligned columns of few digits, the best marked; of several tables also the mean ranks of the models.
std::string boards_text(const std::vector<Board>& boards);

}  // namespace condens::cli
