#pragma once
// From the text of a request to what the command's own functions take: words of its query, rows of its body.

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "condens/core/document.hpp"
#include "condens/data/table.hpp"

namespace condens::cli {

using Words = std::vector<std::pair<std::string, std::string>>;

/// "mean&quantiles=.05,.5" -> {"mean", ""}, {"quantiles", ".05,.5"}, with %2C and + decoded. Throws
/// std::invalid_argument for escapes that are none, text that is no UTF-8, and a word that comes twice.
Words words_of_query(std::string_view query);

/// Takes the words as options of the verb, without their dashes: "mean" for --mean, "quantiles=.5" for --quantiles .5.
/// Throws std::invalid_argument that names the word.
void take_words(const Words& words, CLI::App& verb);

/// A list of objects, or one, as a table with a column for every key. Values mean what fields of a CSV file do: null,
/// "" and "NA" are missing, as is what a row does not name, and a text that holds a number is that. Throws
/// std::invalid_argument for anything else, and for more cells than `most`.
Table table_of_rows(const Document& rows, Index most);

}  // namespace condens::cli
