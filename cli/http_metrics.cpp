#include "http_metrics.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "condens/core/errors.hpp"
#include "condens/data/table.hpp"

namespace condens::cli {

namespace {

std::string metric_head(const std::string& name, const char* type, const char* help) {
  return "# HELP " + name + " " + help + "\n# TYPE " + name + " " + type + "\n";
}

/// Bytes of memory that the process has; 0 where the system does not tell.
Index resident_bytes() {
  std::ifstream file("/proc/self/statm");
  Index all = 0, resident = 0;
  return file >> all >> resident ? resident * static_cast<Index>(::sysconf(_SC_PAGESIZE)) : 0;
}

}  // namespace

std::string metric_label(std::string_view name, std::string_view value) {
  std::string out(name);
  out += "=\"";
  for (const char c : value) {
    if (c == '\\' || c == '"') out += '\\';
    out += c == '\n' ? std::string("\\n") : std::string(1, c);
  }
  return out + "\"";
}

void HttpMetrics::count(const std::string& endpoint, int status, double seconds) {
  ++requests_;
  ++by_status_[{endpoint, status}];
  Histogram& own = seconds_[endpoint];
  ++own.counts[static_cast<std::size_t>(std::lower_bound(ends.begin(), ends.end(), seconds) - ends.begin())];
  own.sum += seconds;
}

void HttpMetrics::count_rows(const std::string& model, Index rows) { rows_[model] += rows; }

std::string HttpMetrics::text() const {
  std::string out = metric_head("condens_requests_total", "counter", "Requests that were answered.");
  for (const auto& [key, count] : by_status_) {
    out += message("condens_requests_total{", metric_label("endpoint", key.first), ",",
                   metric_label("status", std::to_string(key.second)), "} ", count, "\n");
  }
  out += metric_head("condens_rows_total", "counter", "Rows of tables that were answered.");
  for (const auto& [model, rows] : rows_) {
    out += message("condens_rows_total{", metric_label("model", model), "} ", rows, "\n");
  }
  const std::string name = "condens_request_seconds";
  out += metric_head(name, "histogram", "Seconds from the first byte of a request to its answer.");
  for (const auto& [endpoint, own] : seconds_) {
    const std::string label = metric_label("endpoint", endpoint);
    Index below = 0;
    for (std::size_t k = 0; k <= ends.size(); ++k) {
      below += own.counts[k];
      const std::string end = k < ends.size() ? format_number(ends[k]) : "+Inf";
      out += message(name, "_bucket{", label, ",", metric_label("le", end), "} ", below, "\n");
    }
    out += message(name, "_sum{", label, "} ", format_number(own.sum), "\n");
    out += message(name, "_count{", label, "} ", below, "\n");
  }
  const auto gauge = [&](const std::string& own, const char* help, const std::string& value) {
    out += metric_head(own, "gauge", help) + own + " " + value + "\n";
  };
  gauge("condens_requests_in_progress", "Requests that are computed, or wait for that.", std::to_string(in_progress));
  gauge("condens_connections", "Open connections.", std::to_string(connections));
  const auto start = std::chrono::duration<double>(start_.time_since_epoch()).count();
  gauge("process_start_time_seconds", "Start of the server, in seconds since 1970.", format_number(start));
  gauge("process_resident_memory_bytes", "Memory of the server.", std::to_string(resident_bytes()));
  return out;
}

}  // namespace condens::cli
