#pragma once
// HTTP/1.1 by Boost.Beast (RFC 9110, RFC 9112): one thread reads and writes all connections, others compute. Whatever a
// client does - half a request, a slow one, a huge one, none at all - costs it its own connection, never a thread.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "condens/core/run.hpp"
#include "condens/core/types.hpp"
#include "http_metrics.hpp"

namespace condens::cli {

struct HttpLimits {
  Index body = Index{8} << 20;   ///< bytes
  Index head = Index{16} << 10;  ///< bytes of the first line and the headers
  Index connections = 256;       ///< open at a time
  double timeout = 30.0;         ///< seconds to send a request, to wait for and compute its answer, and to take that
  double idle = 60.0;            ///< seconds between the requests of a connection
  int threads = 0;               ///< requests that are computed at a time; 0: one per core
};

struct HttpRequest {
  std::string method;
  std::string path;
  std::string query;  ///< what follows "?", as it came
  std::string content_type;
  std::string content_encoding;
  std::string accept;
  std::string body;
};

struct HttpReply {
  int status = 200;
  std::string type = "application/json";
  std::string body = {};
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::string endpoint = "other";  ///< the path, where it is one of the service's: for metrics
  std::string model = {};          ///< that was asked, and for how many rows
  Index rows = 0;
};

/// {"error": text, "status": status}
HttpReply http_error(int status, const std::string& text);

/// What is behind the server. Both must not throw.
struct HttpService {
  /// A request without a body (GET), answered at once by the thread that reads and writes.
  std::function<HttpReply(const HttpRequest&)> tell;
  /// Any other, on one of the threads that compute. The run has one thread, and cancels when time is over.
  std::function<HttpReply(const HttpRequest&, const Run&)> compute;
  /// SIGHUP, on one of the threads that compute; empty: it ends the server.
  std::function<void()> reload = {};
};

class HttpServer {
 public:
  /// Listens from now on. Throws std::invalid_argument for a host that has no address, std::runtime_error for a port
  /// that cannot be had. Port 0: one that is free.
  HttpServer(const std::string& host, int port, const HttpLimits& limits, HttpService service, HttpMetrics& metrics);
  ~HttpServer();

  int port() const;
  std::string url() const;  ///< "http://127.0.0.1:8080"
  bool is_local() const;    ///< whether only this machine reaches it

  /// Serves until SIGINT or SIGTERM; what has been asked by then is answered. A second signal ends the program.
  void run();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace condens::cli
