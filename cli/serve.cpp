// condens serve: models behind HTTP.

#include <unistd.h>

#include <iostream>
#include <memory>

#include "arguments.hpp"
#include "condens/core/errors.hpp"
#include "console.hpp"
#include "model_service.hpp"
#include "verbs.hpp"

namespace condens::cli {

namespace {

struct ServeCall {
  std::vector<std::string> models;
  std::string host = "127.0.0.1";
  int port = 8080;
  HttpLimits http;
  RequestLimits request;
};

void check_limits(const ServeCall& call) {
  constexpr int most_port = 65535;
  require(call.port >= 0 && call.port <= most_port, "--port = ", call.port, ", expected 0 to ", most_port);
  const auto at_least = [](const char* option, double value, double least) {
    require(value >= least, option, " = ", value, ", expected at least ", least);
  };
  constexpr Index most_head = Index{1} << 24;
  at_least("--max-body", static_cast<double>(call.http.body), 1);
  at_least("--max-head", static_cast<double>(call.http.head), 256);
  require(call.http.head <= most_head, "--max-head = ", call.http.head, ", expected at most ", most_head);
  at_least("--max-rows", static_cast<double>(call.request.rows), 1);
  at_least("--max-numbers", static_cast<double>(call.request.numbers), 1);
  at_least("--max-connections", static_cast<double>(call.http.connections), 1);
  constexpr double day = 86'400;
  for (const auto& [option, seconds] :
       {std::pair{"--timeout", call.http.timeout}, {"--idle-timeout", call.http.idle}}) {
    require(seconds > 0.0 && seconds <= day, option, " = ", seconds, ", expected seconds, more than 0 and at most ",
            day);
  }
}

void serve(const ServeCall& call) {
  check_limits(call);
  HttpMetrics metrics;
  ModelService models(call.models, call.request, metrics);
  HttpService service{
      .tell = [&](const HttpRequest& request) { return models.tell(request); },
      .compute = [&](const HttpRequest& request, const Run& run) { return models.compute(request, run); }};
  // At a terminal SIGHUP says that it is gone.
  if (::isatty(STDIN_FILENO) == 0) service.reload = [&] { models.reload(); };
  HttpServer server(call.host, call.port, call.http, std::move(service), metrics);
  for (const std::string& line : models.lines()) say("serve", line);
  if (!server.is_local()) {
    say("serve", "warning: whoever reaches " + server.url() +
                     " may ask; put a proxy before it that knows its users and speaks TLS");
  }
  std::cout << server.url() << std::endl;  // NOLINT(performance-avoid-endl): who waits for it reads it now
  server.run();
  say("serve", message("stopped after ", metrics.requests(), " requests"));
}

}  // namespace

void add_serve(CLI::App& app) {
  const auto call = std::make_shared<ServeCall>();
  CLI::App& verb = *app.add_subcommand("serve", "Answer requests over HTTP with what models know of y");
  add_option(verb, "models", call->models, "MODEL", "Model files written by condens fit")->required();
  add_option(verb, "--host", call->host, "ADDRESS", "Where to listen (default: 127.0.0.1, this machine alone)");
  add_option(verb, "--port", call->port, "N", "Port (default: 8080); 0: one that is free. The address is printed");
  add_option(verb, "--threads", call->http.threads, "N", "Requests computed at a time (default: one per core)");
  const std::string limits = "Limits";
  add_option(verb, "--max-rows", call->request.rows, "N", "Rows of a request (default: 10000)", limits);
  add_option(verb, "--max-numbers", call->request.numbers, "N",
             "Values in a request, and numbers in its answer (default: 1000000)", limits);
  add_option(verb, "--max-body", call->http.body, "BYTES", "Of a request (default: 8388608)", limits);
  add_option(verb, "--max-head", call->http.head, "BYTES", "Of its address and headers (default: 16384)", limits);
  add_option(verb, "--max-connections", call->http.connections, "N", "Open at a time (default: 256)", limits);
  add_option(verb, "--timeout", call->http.timeout, "S",
             "Seconds for a request to come, for its answer to be computed, and to be taken (default: 30)", limits);
  add_option(verb, "--idle-timeout", call->http.idle, "S", "Seconds between requests of a connection (default: 60)",
             limits);
  verb.footer(
      "GET / tells what can be asked. Ctrl-C or SIGTERM ends the server when what was asked is answered; a second one\n"
      "at once. SIGHUP reads the model files again, where standard input is no terminal.\n"
      "\nExamples:\n"
      "  condens serve geyser.json\n"
      "  curl --json '[{\"duration\": 4}]' 'http://127.0.0.1:8080/predict?mean&quantiles=.05,.95'\n"
      "  curl -H 'Content-Type: text/csv' --data-binary @new.csv 'http://127.0.0.1:8080/predict?interval=.9'");
  verb.callback([call] { serve(*call); });
}

}  // namespace condens::cli
