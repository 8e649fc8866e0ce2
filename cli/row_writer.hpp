#pragma once
// Rows of named fields as CSV, or as a JSON list of objects.

#include <ostream>
#include <string>
#include <vector>

#include "condens/core/document.hpp"
#include "condens/io/csv.hpp"

namespace condens::cli {

class RowWriter {
 public:
  RowWriter(std::ostream& out, bool json) : out_(out), csv_(out), json_(json) {}

  void begin(const std::vector<std::string>& names);
  void field(double value);
  void field(const std::string& text);
  void field(const Document& value);  ///< JSON only
  void missing();
  void end_row();
  void end();

 private:
  void put(const std::string& value);

  std::ostream& out_;
  CsvWriter csv_;
  bool json_;
  std::vector<std::string> names_;
  std::size_t at_ = 0;
  Index rows_ = 0;
};

}  // namespace condens::cli
