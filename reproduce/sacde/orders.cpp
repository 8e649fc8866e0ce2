#include "orders.hpp"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/markdown.hpp"
#include "common/record_book.hpp"
#include "methods.hpp"
#include "toys.hpp"

namespace condens::reproduce {

namespace {

struct Cost {
  double seconds;
  double mebibytes;
};

/// What `work` costs in a process of its own, whose peak of memory is that of this work alone.
Cost cost_of(const std::function<void()>& work) {
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("fork failed");
  if (child == 0) {
    try {
      work();
    } catch (...) {
      _exit(1);
    }
    _exit(0);
  }
  int status = 0;
  rusage used{};
  if (wait4(child, &status, 0, &used) != child || status != 0) throw std::runtime_error("a fit failed");
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return {seconds(used.ru_utime) + seconds(used.ru_stime), static_cast<double>(used.ru_maxrss) / 1024};
}

/// Beyond a fit to ten rows, which needs the same code and little else.
Cost cost_of_fit(const Method& method, const Dataset& data) {
  const Dataset few = first_rows(data, 10);
  const Cost least = cost_of([&] { fit(method, few, 0); });
  const Cost all = cost_of([&] { fit(method, data, 0); });
  return {all.seconds - least.seconds, all.mebibytes - least.mebibytes};
}

/// The exponent p of cost ~ size^p between two sizes.
std::string exponent(double smaller, double larger, double ratio) {
  return smaller > 0 && larger > 0 ? fixed(std::log(larger / smaller) / std::log(ratio), 1) : "-";
}

/// A row for each method: the costs at every size, and the exponents between the last two.
void print_growth(const std::string& name, const std::vector<Index>& sizes,
                  const std::function<Dataset(Index)>& data_of, std::ostream& out) {
  std::vector<std::string> header = {"method"};
  for (const char* unit : {"s", "MiB"}) {
    for (const Index size : sizes) header.push_back(name + " = " + std::to_string(size) + ", " + unit);
    header.push_back("order");
  }
  MarkdownTable table(header);
  const std::size_t last = sizes.size() - 1;
  const double ratio = static_cast<double>(sizes[last]) / static_cast<double>(sizes[last - 1]);
  std::vector<std::vector<Cost>> costs_of;  // by method and size
  std::vector<std::string> labels;
  for (const Index size : sizes) {
    const Dataset data = data_of(size);
    const std::vector<Method> methods = available(given_methods(data.size()));
    costs_of.resize(methods.size());
    labels.resize(methods.size());
    for (std::size_t i = 0; i < methods.size(); ++i) {
      labels[i] = methods[i].label;
      costs_of[i].push_back(cost_of_fit(methods[i], data));
    }
  }
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const std::vector<Cost>& costs = costs_of[i];
    std::vector<std::string> row = {labels[i]};
    for (const Cost& cost : costs) row.push_back(significant(cost.seconds));
    row.push_back(exponent(costs[last - 1].seconds, costs[last].seconds, ratio));
    for (const Cost& cost : costs) row.push_back(fixed(cost.mebibytes, 1));
    row.push_back(exponent(costs[last - 1].mebibytes, costs[last].mebibytes, ratio));
    table.add(row);
  }
  table.print(out);
}

}  // namespace

void print_orders(Scale scale, std::ostream& out) {
  constexpr std::uint64_t seed = 31;
  const bool full = scale == Scale::full;
  const Index rows = full ? 200 : 50;
  out << "One fit, its hyper-parameters given, with a centre at every row, by one thread in a process of its own: "
         "seconds of\n"
         "the processor, and the most memory, beyond those of a fit to ten rows. *order*: p of size^p "
         "between\n"
         "the last two sizes. Toy data 1; with six inputs:\n\n";
  print_growth(
      "N", full ? std::vector<Index>{200, 400, 800, 1600} : std::vector<Index>{25, 50},
      [](Index n) { return toy_1(5).sample(n, seed); }, out);
  out << "With " << rows << " rows:\n\n";
  print_growth(
      "D_x", full ? std::vector<Index>{4, 8, 16, 32, 64} : std::vector<Index>{2, 4},
      [&](Index inputs) { return toy_1(inputs - 1).sample(rows, seed); }, out);
}

}  // namespace condens::reproduce
