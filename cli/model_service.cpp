#include "model_service.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <functional>
#include <new>
#include <sstream>

#include "answers.hpp"
#include "condens/core/errors.hpp"
#include "condens/io/csv.hpp"
#include "condens/io/document_format.hpp"
#include "condens/registry.hpp"
#include "console.hpp"
#include "core/freed_memory.hpp"
#include "core/names.hpp"
#include "core/text.hpp"
#include "data/dates.hpp"
#include "fitted.hpp"
#include "request_words.hpp"
#include "row_writer.hpp"
#include "scores.hpp"

namespace condens::cli {

struct ModelService::Served {
  std::string name;
  std::string file;
  Model model;
  std::string description;  // describe --json
};

/// A request to a model, taken apart.
struct ModelService::Call {
  const Served& served;
  const HttpRequest& request;
  Words words;  // but for the model
};

namespace {

/// A request that is refused with a status of its own.
struct Refused : std::runtime_error {
  Refused(int code, const std::string& text) : std::runtime_error(text), status(code) {}
  int status;
};

struct Endpoint {
  const char* path;
  const char* method;
  const char* text;
};
constexpr Endpoint endpoints[] = {
    {"/", "GET", "this page"},
    {"/health", "GET", "whether the server is there"},
    {"/metrics", "GET", "what it has answered, for Prometheus"},
    {"/models", "GET", "the models, their inputs and targets"},
    {"/model", "GET", "all that is known of a model (?model=NAME), as condens describe --json prints it"},
    {"/predict", "POST", "rows in, what the model says of y out; asked as condens predict is, without dashes"},
    {"/score", "POST", "rows with y in, the scores of condens score out"},
};

/// The endpoint that a request means.
const Endpoint& endpoint_of(const HttpRequest& request) {
  std::vector<std::string> paths;
  for (const Endpoint& own : endpoints) {
    if (request.path == own.path) return own;
    paths.emplace_back(own.path);
  }
  throw Refused(404, message("there is no '", request.path, "', expected one of ", list_names(paths),
                             did_you_mean(request.path, paths)));
}

/// The answer of `body` at the endpoint of the request, or what is wrong with that.
template <class Body>
HttpReply reply_to(const HttpRequest& request, std::string_view method, const Body& body) {
  HttpReply out;
  std::string label = out.endpoint;
  try {
    const Endpoint& endpoint = endpoint_of(request);
    label = endpoint.path;
    const bool fits = endpoint.method == method && (method == "GET" || request.method == method);
    if (fits) {
      out = body(label);
    } else {
      out = http_error(405, message("'", label, "' takes no ", shown(request.method), ", expected ", endpoint.method));
      out.headers.emplace_back("Allow", endpoint.method);
    }
  } catch (const Refused& error) {
    out = http_error(error.status, error.what());
  } catch (const TooManyNumbers& error) {
    out = http_error(413, error.what());
  } catch (const std::invalid_argument& error) {
    out = http_error(400, error.what());
  } catch (const FormatError& error) {
    out = http_error(400, error.what());
  } catch (const Cancelled&) {
    out = http_error(503, "the answer took too long (--timeout), expected fewer rows, or fewer requests at a time");
  } catch (const std::bad_alloc&) {
    out = http_error(503, "not enough memory for this request");
  } catch (const std::exception& error) {
    out = http_error(500, error.what());
  }
  out.endpoint = label;
  return out;
}

/// "text/csv" of "Text/CSV; charset=utf-8".
std::string media_type(const std::string& header) {
  std::string out = header.substr(0, header.find_first_of("; "));
  for (char& letter : out) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return out;
}

bool has_csv(const HttpRequest& request) {
  if (!request.content_encoding.empty()) {
    throw Refused(415, message("Content-Encoding = '", request.content_encoding, "', expected none"));
  }
  const std::string type = media_type(request.content_type);
  if (type == "text/csv") return true;
  if (type == "application/json") return false;
  throw Refused(415, message("Content-Type = '", request.content_type, "', expected application/json or text/csv"));
}

bool wants_csv(const HttpRequest& request) {
  if (request.accept.find("text/csv") != std::string::npos) return true;
  return request.accept.find("application/json") == std::string::npos && has_csv(request);
}

Table table_in(const HttpRequest& request, const CsvFlags& csv, const RequestLimits& limits) {
  const auto check_rows = [&](Index rows) {
    if (rows > limits.rows) {
      throw Refused(413, message("the body has ", rows, " rows, expected at most ", limits.rows, " (--max-rows)"));
    }
  };
  if (has_csv(request)) {
    Table out = parse_csv(request.body, "request", csv.options());
    check_rows(out.rows());
    return out;
  }
  const Document body = document_from_json(request.body, "request");
  if (const auto* list = std::get_if<Document::Array>(&body.value())) check_rows(std::ssize(*list));
  return table_of_rows(body, limits.numbers);
}

/// What is to be known of the rows, as headers; not more of them than clients take.
Tell tell_in(HttpReply& reply) {
  constexpr std::size_t most = 10;
  return [&reply](const std::string& text) {
    if (reply.headers.size() < most) reply.headers.emplace_back("Condens-Warning", shown(text, 500));
  };
}

std::string text_of(const Model& model) {
  const std::vector<std::string> inputs = names_of(model.encoder.input_columns());
  return std::string(model.density->model_name()) + ", " + list_text(names_of(model.encoder.targets())) +
         (inputs.empty() ? "" : " given " + list_text(inputs));
}

Document column_document(const EncodedColumn& column) {
  Document out;
  out.set("name", column.name);
  if (column.is_categorical()) return out.set("levels", Document(column.levels));
  if (column.is_date()) return out.set("low", format_date(column.low)).set("high", format_date(column.high));
  return out.set("low", column.low).set("high", column.high);
}

Document columns_document(const std::vector<EncodedColumn>& columns) {
  Document::Array out;
  for (const EncodedColumn& column : columns) out.push_back(column_document(column));
  return out;
}

/// A row of what is typical, as an object of JSON, for the help.
std::string typical_row(const Encoder& encoder) {
  std::ostringstream out;
  RowWriter writer(out, true);
  writer.begin(names_of(encoder.input_columns()));
  for (const EncodedColumn& column : encoder.input_columns()) {
    if (column.is_number())
      writer.field(column.typical);
    else
      writer.field(column.is_date() ? format_date(column.typical) : column.typical_level);
  }
  writer.end_row();
  const std::string text = out.str();
  const std::size_t begin = text.find('{');
  return begin == std::string::npos ? "{}" : text.substr(begin);
}

/// The one of the models that the words name, which are left without it.
template <class Models>
const auto& model_named(const Models& models, Words& words) {
  std::vector<std::string> names;
  for (const auto& served : models) names.push_back(served->name);
  const auto word = std::find_if(words.begin(), words.end(), [](const auto& own) { return own.first == "model"; });
  if (word == words.end()) {
    require(models.size() == 1, "model is missing, expected model=NAME with one of ", list_names(names));
    return models.front();
  }
  const auto found = std::find(names.begin(), names.end(), word->second);
  if (found == names.end()) {
    throw Refused(404, message("model = '", word->second, "', expected one of ", list_names(names),
                               did_you_mean(word->second, names)));
  }
  words.erase(word);
  return models[static_cast<std::size_t>(found - names.begin())];
}

}  // namespace

ModelService::ModelService(std::vector<std::string> files, const RequestLimits& limits, HttpMetrics& metrics)
    : files_(std::move(files)), limits_(limits), metrics_(metrics), models_(load()) {}

ModelService::Models ModelService::load() const {
  Models out;
  for (const std::string& file : files_) {
    const std::string name = std::filesystem::path(file).stem().string();
    for (const auto& other : out) {
      require(other->name != name, "the models ", other->file, " and ", file, " are both called '", name,
              "', expected names that differ; rename one of the files");
    }
    Model model = read_model(file);
    std::string description = to_json_text(describe_document(model));
    out.push_back(std::make_shared<Served>(Served{name, file, std::move(model), std::move(description)}));
  }
  return out;
}

ModelService::Models ModelService::models() const {
  const std::lock_guard lock(mutex_);
  return models_;
}

void ModelService::reload() {
  try {
    Models fresh = load();
    const std::lock_guard lock(mutex_);
    models_ = std::move(fresh);
  } catch (const std::exception& error) {
    return say("serve", message("the models stay as they were: ", error.what()));
  }
  say("serve", "the models are read again");
}

std::vector<std::string> ModelService::lines() const {
  std::vector<std::string> out;
  for (const auto& served : models()) out.push_back(served->name + ": " + text_of(served->model));
  return out;
}

std::string ModelService::help() const {
  std::string out = "condens " CONDENS_VERSION ": given x, how is y distributed?\n\nModels\n";
  for (const std::string& line : lines()) out += "  " + line + "\n";
  TextRows rows;
  for (const Endpoint& own : endpoints) rows.push_back({std::string(own.method) + " " + own.path, own.text});
  const auto all = models();
  const Served& first = *all.front();
  out += "\nWhat can be asked\n" + align(rows, 2);
  out += "\nExample\n  curl --json '[" + typical_row(first.model.encoder) + "]' 'ADDRESS/predict?" +
         (all.size() > 1 ? "model=" + first.name + "&" : "") + "mean&quantiles=.05,.5,.95&interval=.9'\n";
  out +=
      "\nRows are a list of JSON objects, or CSV (Content-Type: text/csv); Accept says in which form the answer is.\n";
  return printable_lines(out);
}

HttpReply ModelService::tell(const HttpRequest& request) const {
  return reply_to(request, "GET", [&](const std::string& path) -> HttpReply {
    if (path == "/health") return {.body = "{\"status\": \"ok\"}\n"};
    if (path == "/metrics") return {.type = "text/plain; version=0.0.4; charset=utf-8", .body = metrics_text()};
    if (path == "/models") return {.body = models_text()};
    if (path == "/") return {.type = "text/plain; charset=utf-8", .body = help()};
    Words words = words_of_query(request.query);
    const Models all = models();
    const Served& served = *model_named(all, words);
    require(words.empty(), "unknown word '", words.empty() ? "" : words.front().first, "', expected model=NAME");
    return {.body = served.description};
  });
}

HttpReply ModelService::compute(const HttpRequest& request, const Run& run) const {
  HttpReply out = reply_to(request, "POST", [&](const std::string& path) {
    if (!run.observer("", 0.0)) throw Cancelled();  // it waited too long
    Words words = words_of_query(request.query);
    const Models all = models();
    const auto served = model_named(all, words);
    const Call call{*served, request, std::move(words)};
    return path == "/predict" ? predict(call, run) : score(call, run);
  });
  constexpr std::size_t large = 1 << 20;  // tables are many times larger
  if (request.body.size() > large) release_freed_memory();
  return out;
}

std::string ModelService::metrics_text() const {
  std::string out = metrics_.text();
  out += "# HELP condens_model_info The models that are served.\n# TYPE condens_model_info gauge\n";
  for (const auto& served : models()) {
    out += "condens_model_info{" + metric_label("model", served->name) + "," +
           metric_label("method", served->model.density->model_name()) + "} 1\n";
  }
  return out;
}

std::string ModelService::models_text() const {
  Document::Array list;
  for (const auto& served : models()) {
    const Model& model = served->model;
    Document own;
    own.set("name", served->name).set("method", model.density->model_name());
    own.set("inputs", columns_document(model.encoder.input_columns()));
    own.set("targets", columns_document(model.encoder.targets()));
    list.push_back(own.set("target_kind", model.target ? model.target->kind().text() : "real"));
  }
  return to_json_text(Document::Object{{"models", std::move(list)}});
}

HttpReply ModelService::predict(const Call& call, const Run& run) const {
  AnswerFlags flags;
  flags.dashes = "";
  CsvFlags csv;
  CLI::App words;
  words.set_help_flag();
  flags.add_to(words);
  csv.add_to(words);
  take_words(call.words, words);
  Wanted wanted = Wanted::of(flags);
  wanted.most_numbers = limits_.numbers;
  const Model& model = call.served.model;
  wanted.check(model, call.served.name);

  HttpReply out{.model = call.served.name};
  const Table table = table_in(call.request, csv, limits_);
  const AskedRows asked = asked_rows(wanted, model, table, "request", tell_in(out));
  const bool as_csv = wants_csv(call.request);
  std::ostringstream text;
  write_answers(wanted, model, asked, "request", !as_csv, text, run, [&](Index rows) { out.rows += rows; });
  if (as_csv) out.type = "text/csv; charset=utf-8";
  out.body = std::move(text).str();
  return out;
}

HttpReply ModelService::score(const Call& call, const Run& run) const {
  RowFlags rows;
  CsvFlags csv;
  CLI::App words;
  words.set_help_flag();
  rows.add_to(words);
  csv.add_to(words);
  take_words(call.words, words);
  const Model& model = call.served.model;

  HttpReply out{.model = call.served.name};
  const Table table = table_in(call.request, csv, limits_);
  const std::vector<Index> usable =
      rows.read(model.encoder, table, true, "drop-missing leaves such rows out", tell_in(out));
  const Dataset data = model.encoder.encode(table, usable);
  if (model.target) require_possible(model.target->support(), data.y.row(0).transpose(), places_of(table, usable));
  const bool as_csv = wants_csv(call.request);
  out.body = scores_of(model, data, !as_csv, run);
  if (as_csv) out.type = "text/csv; charset=utf-8";
  out.rows = data.size();
  return out;
}

}  // namespace condens::cli
