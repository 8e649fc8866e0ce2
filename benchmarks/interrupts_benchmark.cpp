// How long work goes on after the observer has said no: every fit, prediction and functional, cancelled at random
// moments, and the longest time between two looks at the observer in one run, which is the longest delay that there can
// be. Moments and delays are in processor time of this process, divided by the threads at work, which other processes
// of a shared machine do not lengthen; beside them the delay by the clock on the wall.
//
// usage: interrupts_benchmark [TEXT [TRIALS [THREADS]]]   (titles that hold TEXT; "" for all)

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "condens/core/parallel.hpp"
#include "condens/inspection/effects.hpp"
#include "condens/inspection/importance.hpp"
#include "condens/inspection/shapley.hpp"
#include "condens/io/csv.hpp"
#include "condens/io/document_format.hpp"
#include "condens/registry.hpp"
#include "measure.hpp"
#include "simulated.hpp"

namespace {

using namespace condens;

constexpr double longest_work = 4;  // seconds that are looked at

using Work = std::function<void(const Run&)>;

double processor_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Found {
  bool cancelled = false;
  double seconds = 0;    // from the beginning to the end
  double wall = 0;       // from the moment to the end
  double processor = 0;  // the same
  double gap = 0;        // the longest between two looks
};

/// `work`, told to end after so many seconds.
Found cancel_after(double seconds, int threads, const Work& work) {
  std::atomic<bool> stop{false};
  std::atomic<bool> over{false};
  double wall = 0, processor = 0;
  const double begin = processor_seconds();
  std::jthread clock([&] {
    while (!over && processor_seconds() - begin < seconds * threads) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    wall = benchmarks::now();
    processor = processor_seconds();
    stop = true;
  });
  Found out;
  double last = begin;
  const auto look = [&] {
    const double now = processor_seconds();
    out.gap = std::max(out.gap, (now - last) / threads);
    last = now;
  };
  const Observer observer = [&](std::string_view, double) {
    look();
    return !stop;
  };
  try {
    work({.threads = threads, .observer = observer});
  } catch (const Cancelled&) {
    out.cancelled = true;
  }
  look();
  const double end = benchmarks::now();
  over = true;
  clock.join();
  out.seconds = (last - begin) / threads;
  out.wall = std::max(0.0, end - wall);
  out.processor = std::max(0.0, last - processor) / threads;
  return out;
}

class Delays {
 public:
  Delays(std::string only, int trials, int threads) : only_(std::move(only)), trials_(trials), threads_(threads) {
    std::printf(
        "| work | seconds | longest between looks, ms | cancelled | median delay | longest | longest by the wall |\n"
        "|---|---|---|---|---|---|---|\n");
  }

  bool wants(const std::string& title) const { return title.find(only_) != std::string::npos; }

  void measure(const std::string& title, const Work& work) {
    if (!wants(title)) return;
    const Found whole = cancel_after(longest_work, threads_, work);
    // What had ended when it was to be cancelled says how long it takes; what ends before it asks is no delay.
    std::vector<Found> found;
    if (whole.cancelled) found.push_back(whole);
    for (int tries = 0; tries < 3 * trials_ && std::ssize(found) < trials_; ++tries) {
      const Found trial = cancel_after(random_.uniform() * std::min(longest_work, whole.seconds), threads_, work);
      if (trial.wall > 0) found.push_back(trial);
    }
    std::vector<double> delays;
    double wall = 0;
    for (const Found& trial : found) {
      delays.push_back(trial.processor);
      wall = std::max(wall, trial.wall);
    }
    std::sort(delays.begin(), delays.end());
    if (delays.empty()) delays.push_back(0);
    std::printf("| %s | %.2f%s | %.0f | %d | %.0f | %.0f | %.0f |\n", title.c_str(),
                std::min(longest_work, whole.seconds), whole.cancelled ? "+" : "", 1e3 * whole.gap,
                static_cast<int>(found.size()), 1e3 * delays[delays.size() / 2], 1e3 * delays.back(), 1e3 * wall);
    std::fflush(stdout);
  }

 private:
  std::string only_;
  int trials_;
  int threads_;
  RandomStream random_{1};
};

/// Options that keep the fit of a model for predictions short.
Document quick_options(const std::string& model) {
  if (model == "auto") return Document::Object{{"budget", 0.2}};
  if (model == "pool") return Document::Object{{"models", Document::Array{"parzen", "gmm"}}};
  const Document::Object grid{{"bandwidth", Document::Array{0.4, 1.0}}, {"bandwidth_y", Document::Array{0.3, 0.8}}};
  if (model == "press") return Document::Object{{"n_states", 3}, {"regularization", 1e-3}};
  if (model == "sacde") return grid;
  if (model == "salscde") return Document::Object{{"selection", grid}};
  return {};
}

std::string csv_text(const Dataset& data) {
  std::ostringstream out;
  CsvWriter writer(out);
  writer.row({"x0", "x1", "x2", "x3", "x4", "y"});
  for (Index i = 0; i < data.size(); ++i) {
    for (Index k = 0; k < data.x.rows(); ++k) writer.field(data.x(k, i));
    writer.field(data.y(0, i));
    writer.end_row();
  }
  return out.str();
}

void measure_fits(Delays& table) {
  const Dataset data = benchmarks::two_branches(20'000, 5, 1);
  for (const ModelInfo& info : models()) {
    for (const std::string& preset : info.presets) {
      table.measure("fit " + info.name + " " + preset,
                    [&](const Run& run) { static_cast<void>(fit_model(info, data, preset, {}, run)); });
    }
  }
  const Dataset wide = benchmarks::two_branches(2000, 500, 2);
  for (const ModelInfo& info : models()) {
    table.measure("fit " + info.name + ", 500 inputs",
                  [&](const Run& run) { static_cast<void>(fit_model(info, wide, "", {}, run)); });
  }
  const ModelInfo& lscde = find_model("lscde");
  const auto target = [&](const std::string& title, const TargetRequest& request, const Dataset& rows) {
    table.measure(title, [&](const Run& run) {
      static_cast<void>(fit_target(
          lscde, request, rows, "", {}, [](Index i) { return std::to_string(i); }, run));
    });
  };
  target("fit with bootstrap", {.replicates = 100}, data);
  target("fit with CV+", {.cross = CrossConformal::cv_plus}, data);
  target("fit with conformal rows", {.calibration_share = 0.25}, data);
  target("fit with calibration", {.pit_share = 0.25}, data);
  Matrix holes = data.x;
  RandomStream random(3);
  for (double& x : holes.reshaped()) {
    if (random.uniform() < 0.1) x = std::numeric_limits<double>::quiet_NaN();
  }
  target("fit with missing inputs", {.impute_inputs = true}, {.x = holes, .y = data.y});
  const Dataset large = benchmarks::two_branches(1'000'000, 5, 4);
  for (const std::string name : {"lscde", "gmm"}) {
    table.measure("fit " + name + " by sums over 10^6 rows", [&](const Run& run) {
      BlocksInMemory blocks(large, 100'000, run);
      static_cast<void>(fit_by_sums(find_model(name), blocks, "", {}, 0, run));
    });
  }
  for (const std::string name : {"lscde", "forest", "boost", "nw", "parzen", "gmm"}) {
    table.measure("fit " + name + ", 10^6 rows",
                  [&](const Run& run) { static_cast<void>(fit_model(find_model(name), large, "", {}, run)); });
  }
  table.measure("compare", [&](const Run& run) {
    static_cast<void>(compare_models(
        data, {contestant("lscde", lscde, "", {}), contestant("forest", find_model("forest"), "", {})}, {}, run));
  });
  table.measure("test of the dimension", [&](const Run& run) {
    static_cast<void>(test_dimension(find_model("sliced"), data, "", {}, {}, {}, run));
  });
}

void measure_uses(Delays& table) {
  const Dataset few = benchmarks::two_branches(1000, 5, 1);
  const Dataset data = benchmarks::two_branches(200'000, 5, 2);
  for (const ModelInfo& info : models()) {
    if (!table.wants("predict " + info.name) && !table.wants("log density " + info.name)) continue;
    const auto model = info.fit(few, "", quick_options(info.name), {});
    table.measure("predict " + info.name, [&](const Run& run) {
      for (Index i = 0; i + 20'000 <= data.size(); i += 20'000) {
        static_cast<void>(model->predict(data.x.middleCols(i, 20'000), run));
      }
    });
    table.measure("log density " + info.name,
                  [&](const Run& run) { static_cast<void>(model->log_density(data.x, data.y, run)); });
  }
}

void measure_functionals(Delays& table) {
  const Dataset few = benchmarks::two_branches(2000, 5, 1);
  const Dataset data = benchmarks::two_branches(20'000, 5, 2);
  for (const std::string name : {"lscde", "parzen", "mdn"}) {
    if (!table.wants(" of " + name)) continue;
    const auto model = find_model(name).fit(few, "", {}, {});
    const GaussianMixtures laws = model->predict(data.x);
    const Vector y = data.y.row(0);
    const auto of = [&](const std::string& title, const Work& work) { table.measure(title + " of " + name, work); };
    const Eigen::Vector3d levels(0.05, 0.5, 0.95);
    of("cdf", [&](const Run& run) { static_cast<void>(laws.cdf(y, run)); });
    of("quantiles", [&](const Run& run) { static_cast<void>(laws.quantile(levels, run)); });
    of("highest density regions", [&](const Run& run) { static_cast<void>(laws.highest_density_region(0.9, run)); });
    of("highest density mass", [&](const Run& run) { static_cast<void>(laws.highest_density_mass(y, run)); });
    of("tail mean",
       [&](const Run& run) { static_cast<void>(laws.lower_tail_mean(Vector::Constant(laws.size(), 0.1), run)); });
    of("mode", [&](const Run& run) { static_cast<void>(laws.mode(run)); });
    of("modes", [&](const Run& run) { static_cast<void>(laws.modes(run)); });
    of("entropy", [&](const Run& run) { static_cast<void>(laws.entropy(run)); });
    of("energy", [&](const Run& run) { static_cast<void>(laws.energy(run)); });
    of("CRPS", [&](const Run& run) { static_cast<void>(laws.crps(y, run)); });
    of("squared loss", [&](const Run& run) { static_cast<void>(laws.squared_loss(data.y, run)); });
    of("draws", [&](const Run& run) { static_cast<void>(laws.sample(200, 1, run)); });
    of("log density on a grid",
       [&](const Run& run) { static_cast<void>(laws.log_pdf_grid(Vector::LinSpaced(200, -4, 4).transpose(), run)); });
    std::vector<InspectedInput> inputs;
    for (Index k = 0; k < data.x.rows(); ++k) inputs.push_back({.name = "x" + std::to_string(k), .rows = {k}});
    const std::vector<Functional> functionals = parse_functionals("mean,std,quantile:0.9");
    of("importance", [&](const Run& run) {
      static_cast<void>(permutation_importance(*model, nullptr, inputs, data, {.max_rows = 0}, run));
    });
    of("effect", [&](const Run& run) {
      static_cast<void>(effect({*model}, functionals, inputs[0], data, {.max_rows = 0}, run));
    });
    of("Shapley values", [&](const Run& run) {
      static_cast<void>(shapley_values({*model}, functionals, inputs, data.x.col(0), Vector(), data.x, {}, run));
    });
  }
}

void measure_files(Delays& table) {
  const Dataset data = benchmarks::two_branches(1'000'000, 5, 2);
  const std::string text = table.wants("read CSV, 10^6 rows") ? csv_text(data) : "";
  table.measure("read CSV, 10^6 rows", [&](const Run& run) {
    const Task task(run, "reading", 1);
    static_cast<void>(parse_csv(text, "text"));
  });
  const Document document(Document::Object{{"centers", Matrix(Matrix::Random(6, 300'000))}});
  table.measure("model to JSON, 300,000 kernels", [&](const Run& run) {
    const Task task(run, "writing", 1);
    static_cast<void>(document_to_json(document));
  });
}

}  // namespace

int main(int argc, char** argv) {
  Delays table(argc > 1 ? argv[1] : "", argc > 2 ? std::atoi(argv[2]) : 10, argc > 3 ? std::atoi(argv[3]) : 2);
  measure_functionals(table);
  measure_files(table);
  measure_uses(table);
  measure_fits(table);
}
