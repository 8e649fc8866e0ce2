// condens serve: wrong calls, and one life of a server. What clients can do to it is in python/tests/test_serve.py.

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <chrono>
#include <thread>

#include "command.hpp"

namespace condens::tests::serve_test {
namespace {

sockaddr_in local_address(int port) {
  sockaddr_in out{};
  out.sin_family = AF_INET;
  out.sin_port = htons(static_cast<std::uint16_t>(port));
  out.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return out;
}

class Serve : public CommandTest {
 protected:
  Serve() {
    write("t.csv", small_table(30));
    good("fit t.csv --target y -o m.json" + quick);
  }

  void expect_refusal(const std::string& arguments, int code, const std::vector<std::string>& words) const {
    const Outcome outcome = run("serve " + arguments + " </dev/null");
    EXPECT_EQ(outcome.code, code) << arguments << "\n" << outcome.err;
    EXPECT_EQ(outcome.out, "") << arguments;
    expect_in(outcome.err, words);
  }

  /// Starts a server in the background, whose address comes to be in the file "url".
  int start(const std::string& arguments, const std::string& address = "http://127.0.0.1:") const {
    shell("\"$CONDENS\" serve " + arguments + " --port 0 </dev/null >url 2>said & echo $! >pid");
    for (int i = 0; i < 1000 && read("url").find('\n') == std::string::npos; ++i) wait_a_moment();
    const std::string url = read("url");
    EXPECT_TRUE(url.starts_with(address)) << url << read("said");
    return url.empty() ? 0 : std::stoi(url.substr(url.rfind(':') + 1));
  }

  /// Ends it, and waits until it has.
  std::string stop() const {
    shell("kill -TERM $(cat pid)");
    for (int i = 0; i < 1000 && read("said").find("stopped after") == std::string::npos; ++i) wait_a_moment();
    return read("said");
  }

  /// Sends a request of HTTP/1.0 and returns all that comes back.
  static std::string ask(int port, const std::string& first_line, const std::string& body = "") {
    const int connection = ::socket(AF_INET, SOCK_STREAM, 0);
    const sockaddr_in address = local_address(port);
    EXPECT_EQ(::connect(connection, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    const std::string text =
        first_line + " HTTP/1.0\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
        "\r\n\r\n" + body;
    EXPECT_EQ(::send(connection, text.data(), text.size(), MSG_NOSIGNAL), static_cast<ssize_t>(text.size()));
    std::string out;
    char buffer[4096];
    for (ssize_t size = 0; (size = ::read(connection, buffer, sizeof buffer)) > 0;) out.append(buffer, size);
    ::close(connection);
    return out;
  }

 private:
  static void wait_a_moment() { std::this_thread::sleep_for(std::chrono::milliseconds(30)); }
};

TEST_F(Serve, RefusesWrongCalls) {
  expect_refusal("", 2, {"MODEL is missing", "condens serve --help"});
  expect_refusal("none.json", 2, {"none.json", "No such file"});
  expect_refusal("t.csv", 2, {"t.csv"});
  shell("mkdir other && cp m.json other/m.json");
  expect_refusal("m.json other/m.json", 2, {"m.json and other/m.json are both called 'm'", "rename"});
  expect_refusal("m.json --port 70000", 2, {"--port = 70000, expected 0 to 65535"});
  expect_refusal("m.json --port http", 2, {"--port = 'http', expected a whole number"});
  expect_refusal("m.json --host nowhere", 2, {"--host = 'nowhere'", "expected an address"});
  expect_refusal("m.json --host 192.0.2.1 --port 0", 1, {"--host 192.0.2.1 --port 0: "});
  expect_refusal("m.json --threads -1", 2, {"threads", "-1"});
  expect_refusal("m.json --max-rows 0", 2, {"--max-rows = 0, expected at least 1"});
  expect_refusal("m.json --max-numbers 0", 2, {"--max-numbers = 0"});
  expect_refusal("m.json --max-body -1", 2, {"--max-body = -1"});
  expect_refusal("m.json --max-head 10", 2, {"--max-head = 10, expected at least 256"});
  expect_refusal("m.json --max-head 100000000", 2, {"--max-head = 100000000, expected at most 16777216"});
  expect_refusal("m.json --max-connections 0", 2, {"--max-connections = 0"});
  expect_refusal("m.json --timeout 0", 2, {"--timeout = 0, expected seconds, more than 0"});
  expect_refusal("m.json --idle-timeout nan", 2, {"--idle-timeout"});
}

TEST_F(Serve, SaysThatThePortIsTaken) {
  const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = local_address(0);
  socklen_t size = sizeof address;
  ASSERT_EQ(::bind(listener, reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(::listen(listener, 1), 0);
  ASSERT_EQ(::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size), 0);
  expect_refusal("m.json --port " + std::to_string(ntohs(address.sin_port)), 1, {"Address already in use"});
  ::close(listener);
}

TEST_F(Serve, AnswersAsPredictDoesAndEndsWell) {
  const int port = start("m.json");
  write("x.csv", "x\n1\n2.5\n");
  const std::string expected = good("predict m.json x.csv --json --mean --quantiles .1,.9 --cdf-at 0:10:3").out;
  const std::string answer =
      ask(port, "POST /predict?mean&quantiles=.1,.9&cdf-at=0:10:3", "[{\"x\": 1}, {\"x\": 2.5}]");
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 200 OK\r\n")) << answer;
  EXPECT_TRUE(answer.ends_with("\r\n\r\n" + expected)) << answer << "\nexpected\n" << expected;
  expect_in(ask(port, "POST /predict", "[{\"z\": 1}]"), {"HTTP/1.1 400 ", "'x'", "\"status\": 400"});
  expect_in(ask(port, "POST /predict", "[{"), {"HTTP/1.1 400 ", "not readable as JSON"});
  expect_in(ask(port, "GET /predict"), {"HTTP/1.1 405 ", "Allow: POST"});
  expect_in(ask(port, "GET /metrics"), {"condens_requests_total{endpoint=\"/predict\",status=\"400\"} 2\n"});
  expect_in(stop(), {"m: lscde, y given x", "stopped after 5 requests"});
}

TEST_F(Serve, WarnsWhereOthersReachIt) {
  start("m.json --host 0.0.0.0", "http://0.0.0.0:");
  expect_in(stop(), {"warning: whoever reaches http://0.0.0.0:", "proxy"});
}

TEST_F(Serve, PredictHasTheSameWords) {
  write("x.csv", "x\n1\n");
  expect_in(good("predict m.json x.csv --density-at 1,2.5 --cdf-at 0:4:3").out,
            {"density_at_1,density_at_2.5,cdf_at_0,cdf_at_2,cdf_at_4\n"});
  expect_in(good("predict m.json x.csv --distribution --json").out,
            {"{\"distribution\": {", "\"weights\": [", "\"means\": [", "\"scales\": ["});
  const auto refused = [&](const std::string& options, const std::vector<std::string>& words) {
    const Outcome outcome = run("predict m.json x.csv " + options);
    EXPECT_EQ(outcome.code, 2) << options;
    EXPECT_EQ(outcome.out, "") << options;
    expect_in(outcome.err, words);
  };
  refused("--distribution", {"--distribution: a list of components has no place in CSV, expected JSON"});
  refused("--density-at some", {"--density-at = 'some', expected a number, or LOW:HIGH:COUNT"});
  refused("--density-at 2:1:5", {"--density-at = '2:1:5'"});
  refused("--cdf-at 1:2:1", {"--cdf-at = '1:2:1'", "2 to 100000 values"});
  refused("--cdf-at 1:2:2.5", {"--cdf-at = '1:2:2.5'"});
  refused("--cdf-at 1,0:2:3", {"--cdf-at has '1' twice"});
  refused("--mass-at 1", {"--mass-at: the target was fitted as any real number"});
}

}  // namespace
}  // namespace condens::tests::serve_test
