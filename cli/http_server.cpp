#include "http_server.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <csignal>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "arguments.hpp"
#include "condens/core/errors.hpp"
#include "condens/core/parallel.hpp"
#include "core/text.hpp"

namespace condens::cli {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using boost::system::error_code;
using Tcp = asio::ip::tcp;
using Clock = std::chrono::steady_clock;

namespace {

Clock::duration seconds_of(double seconds) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

/// The status with which a request that cannot be read is refused; 0: the client is gone.
int status_of(error_code error) {
  if (error == http::error::body_limit) return 413;
  if (error == http::error::header_limit || error == http::error::buffer_overflow) return 431;
  const bool gone = error == http::error::end_of_stream || error == http::error::partial_message;
  static const boost::system::error_category& of_http = make_error_code(http::error::bad_method).category();
  return !gone && error.category() == of_http ? 400 : 0;
}

}  // namespace

HttpReply http_error(int status, const std::string& text) {
  Document body;
  body.set("error", printable(text)).set("status", status);
  HttpReply out{.status = status, .body = to_json_text(body)};
  if (status == 503) out.headers.emplace_back("Retry-After", "1");
  return out;
}

class HttpServer::Impl {
 public:
  Impl(const HttpLimits& limits, HttpService service, HttpMetrics& metrics)
      : limits_(limits),
        service_(std::move(service)),
        metrics_(metrics),
        pool_(static_cast<std::size_t>(resolve_threads(limits_.threads))) {}

  void listen(const std::string& host, int port);
  void run();
  Tcp::endpoint endpoint() const { return acceptor_.local_endpoint(); }

 private:
  class Connection;

  void accept();
  void wait_for_signal();
  void stop();

  HttpLimits limits_;
  HttpService service_;
  HttpMetrics& metrics_;
  std::set<Connection*> connections_;  // all that are open
  bool stopping_ = false;
  asio::io_context io_{1};
  asio::thread_pool pool_;
  Tcp::acceptor acceptor_{io_};
  asio::signal_set signals_{io_, SIGINT, SIGTERM, SIGHUP};
  asio::steady_timer pause_{io_};
};

/// From one request to the next: idle -> head -> body -> computing -> answering -> idle, or closed. Every step but
/// computing, which the run cancels, has its time.
class HttpServer::Impl::Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(Tcp::socket socket, HttpServer::Impl& server)
      : socket_(std::move(socket)), timer_(server.io_), server_(server) {
    server_.connections_.insert(this);
    server_.metrics_.connections = std::ssize(server_.connections_);
  }
  ~Connection() {
    server_.connections_.erase(this);
    server_.metrics_.connections = std::ssize(server_.connections_);
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void wait_for_request() {
    parser_.emplace();
    parser_->header_limit(static_cast<std::uint32_t>(server_.limits_.head));
    parser_->body_limit(static_cast<std::uint64_t>(server_.limits_.body));
    if (server_.stopping_) return close();
    if (buffer_.size() > 0) return read_head();
    idle_ = true;
    within(server_.limits_.idle);
    socket_.async_read_some(buffer_.prepare(4096), [self = shared_from_this()](error_code error, std::size_t size) {
      self->idle_ = false;
      if (error) return self->close();
      self->buffer_.commit(size);
      self->read_head();
    });
  }

  void close_if_idle() {
    error_code ignored;
    if (idle_) socket_.cancel(ignored);
  }

  /// The answer to a client for whom there is no room; then the end.
  void turn_away() {
    begin_ = Clock::now();
    answer(http_error(503, message(server_.limits_.connections,
                                   " connections are open, expected at most so many (--max-connections)")));
  }

 private:
  void read_head() {
    begin_ = Clock::now();
    keep_alive_ = head_only_ = false;  // as long as nothing else is known
    within(server_.limits_.timeout);
    http::async_read_header(socket_, buffer_, *parser_, [self = shared_from_this()](error_code error, std::size_t) {
      if (error || self->late_) return self->refuse(error);
      if (boost::beast::iequals(self->parser_->get()[http::field::expect], "100-continue")) return self->go_on();
      self->read_body();
    });
  }

  /// Tells a client that asks before it sends its body to do so.
  void go_on() {
    static const std::string text = "HTTP/1.1 100 Continue\r\n\r\n";
    asio::async_write(socket_, asio::buffer(text), [self = shared_from_this()](error_code error, std::size_t) {
      if (error || self->late_) return self->close();
      self->read_body();
    });
  }

  void read_body() {
    http::async_read(socket_, buffer_, *parser_, [self = shared_from_this()](error_code error, std::size_t) {
      if (error) return self->refuse(error);
      self->take(self->parser_->release());
    });
  }

  void refuse(error_code error) {
    if (late_) {
      return answer(http_error(408, message("the request took longer than ", server_.limits_.timeout,
                                            " seconds to come (--timeout), expected all of it by then")));
    }
    const int status = status_of(error);
    if (status == 0) return close();
    std::string text = "not readable as an HTTP request: " + error.message();
    if (status == 413) text = message("the body is longer than ", server_.limits_.body, " bytes (--max-body)");
    if (status == 431) text = message("the headers are longer than ", server_.limits_.head, " bytes (--max-head)");
    answer(http_error(status, text));
  }

  void take(http::request<http::string_body> came) {
    timer_.expires_at(Clock::time_point::max());
    keep_alive_ = came.keep_alive();
    head_only_ = came.method() == http::verb::head;
    const std::string target(came.target());
    const std::size_t mark = std::min(target.find('?'), target.size());
    HttpRequest request{.method = std::string(came.method_string()),
                        .path = target.substr(0, mark),
                        .query = mark < target.size() ? target.substr(mark + 1) : "",
                        .content_type = std::string(came[http::field::content_type]),
                        .content_encoding = std::string(came[http::field::content_encoding]),
                        .accept = std::string(came[http::field::accept]),
                        .body = std::move(came.body())};
    if (head_only_ || came.method() == http::verb::get) return answer(server_.service_.tell(request));
    ++server_.metrics_.in_progress;
    const auto last = Clock::now() + seconds_of(server_.limits_.timeout);
    asio::post(server_.pool_, [self = shared_from_this(), request = std::move(request), last,
                               open = asio::make_work_guard(server_.io_)]() mutable {
      const Run run{.threads = 1, .observer = [last](std::string_view, double) { return Clock::now() < last; }};
      HttpReply reply = self->server_.service_.compute(request, run);
      asio::io_context& io = self->server_.io_;
      asio::post(io, [self = std::move(self), reply = std::move(reply)]() mutable {
        --self->server_.metrics_.in_progress;
        self->answer(std::move(reply));
      });
    });
  }

  void answer(HttpReply reply) {
    const double seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
    server_.metrics_.count(reply.endpoint, reply.status, seconds);
    if (reply.rows > 0) server_.metrics_.count_rows(reply.model, reply.rows);
    keep_alive_ = keep_alive_ && !server_.stopping_;
    reply_ = {};
    reply_.result(static_cast<unsigned>(reply.status));
    reply_.set(http::field::server, "condens/" CONDENS_VERSION);
    reply_.set(http::field::content_type, reply.type);
    reply_.set("X-Content-Type-Options", "nosniff");
    for (const auto& [name, value] : reply.headers) reply_.insert(name, value);
    reply_.keep_alive(keep_alive_);
    reply_.content_length(reply.body.size());
    if (!head_only_) reply_.body() = std::move(reply.body);
    within(server_.limits_.timeout);
    http::async_write(socket_, reply_, [self = shared_from_this()](error_code error, std::size_t) {
      if (error) return self->close();
      self->reply_ = {};  // a connection at rest keeps no answer
      if (self->keep_alive_) return self->wait_for_request();
      self->linger();
    });
  }

  /// Reads what a client still sends, for a moment: a socket that is closed before would reset the connection, and take
  /// the answer from the client.
  void linger() {
    constexpr double moment = 2.0;
    error_code ignored;
    socket_.shutdown(Tcp::socket::shutdown_send, ignored);
    within(moment);
    buffer_.clear();
    discard();
  }
  void discard() {
    socket_.async_read_some(buffer_.prepare(4096), [self = shared_from_this()](error_code error, std::size_t) {
      if (error || self->late_) return self->close();
      self->discard();
    });
  }

  /// What waits on the socket is given up in so many seconds, unless another time is set before. Where it came just
  /// then nothing is given up, and what goes on in the same time asks for late_.
  void within(double seconds) {
    late_ = false;
    timer_.expires_after(seconds_of(seconds));
    timer_.async_wait([self = shared_from_this()](error_code error) {
      if (error || Clock::now() < self->timer_.expiry()) return;
      self->late_ = true;
      error_code ignored;
      self->socket_.cancel(ignored);
    });
  }

  void close() {
    timer_.cancel();
    error_code ignored;
    socket_.close(ignored);
  }

  Tcp::socket socket_;
  asio::steady_timer timer_;
  HttpServer::Impl& server_;
  boost::beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  http::response<http::string_body> reply_;
  Clock::time_point begin_;  // of the request
  bool idle_ = false;
  bool late_ = false;
  bool keep_alive_ = false;
  bool head_only_ = false;
};

void HttpServer::Impl::listen(const std::string& host, int port) {
  error_code error;
  const asio::ip::address address = asio::ip::make_address(host == "localhost" ? "127.0.0.1" : host, error);
  require(!error, "--host = '", host, "', expected an address of this machine, as 127.0.0.1 or 0.0.0.0");
  const Tcp::endpoint place(address, static_cast<std::uint16_t>(port));
  acceptor_.open(place.protocol());
  acceptor_.set_option(Tcp::acceptor::reuse_address(true));
  acceptor_.bind(place, error);
  if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
  if (error) throw std::runtime_error(message("--host ", host, " --port ", port, ": ", error.message()));
}

void HttpServer::Impl::accept() {
  acceptor_.async_accept([this](error_code error, Tcp::socket socket) {
    if (stopping_) return;
    if (error) {  // no file is left, say: connections that close will free some
      pause_.expires_after(std::chrono::milliseconds(100));
      pause_.async_wait([this](error_code) {
        if (!stopping_) accept();
      });
      return;
    }
    error_code ignored;
    socket.set_option(Tcp::no_delay(true), ignored);
    const bool room = std::ssize(connections_) < limits_.connections;
    const auto connection = std::make_shared<Connection>(std::move(socket), *this);
    if (room)
      connection->wait_for_request();
    else
      connection->turn_away();
    accept();
  });
}

void HttpServer::Impl::wait_for_signal() {
  signals_.async_wait([this](error_code error, int signal) {
    if (error) return;
    if (signal != SIGHUP || !service_.reload) return stop();
    asio::post(pool_, [this] { service_.reload(); });
    wait_for_signal();
  });
}

void HttpServer::Impl::stop() {
  stopping_ = true;
  error_code ignored;
  acceptor_.close(ignored);
  pause_.cancel();
  signals_.clear(ignored);  // the next one ends the program
  for (Connection* connection : connections_) connection->close_if_idle();
}

void HttpServer::Impl::run() {
  std::signal(SIGPIPE, SIG_IGN);
  accept();
  wait_for_signal();
  io_.run();
  pool_.join();
}

HttpServer::HttpServer(const std::string& host, int port, const HttpLimits& limits, HttpService service,
                       HttpMetrics& metrics)
    : impl_(std::make_unique<Impl>(limits, std::move(service), metrics)) {
  impl_->listen(host, port);
}

HttpServer::~HttpServer() = default;

int HttpServer::port() const { return impl_->endpoint().port(); }

std::string HttpServer::url() const {
  const Tcp::endpoint place = impl_->endpoint();
  const std::string address = place.address().to_string();
  return message("http://", place.address().is_v6() ? "[" + address + "]" : address, ":", place.port());
}

bool HttpServer::is_local() const { return impl_->endpoint().address().is_loopback(); }

void HttpServer::run() { impl_->run(); }

}  // namespace condens::cli
