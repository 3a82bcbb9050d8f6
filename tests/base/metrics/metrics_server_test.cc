// The HTTP side of --metrics: what it answers, and that clients who do as they like cost nothing.
#include "base/metrics/metrics_server.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "warpmeter/status.h"

namespace warpmeter {
namespace {

// One connection; reads at most ten seconds.
class HttpClient {
 public:
  explicit HttpClient(std::uint16_t port) : fd_(socket(AF_INET, SOCK_STREAM, 0)) {
    const timeval patience{.tv_sec = 10, .tv_usec = 0};
    setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = connect(fd_, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0;
  }
  ~HttpClient() { close(fd_); }
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  bool connected() const { return connected_; }
  bool send(const std::string& text) const {
    return ::send(fd_, text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size());
  }
  // Until the other side closes.
  std::string read() const {
    std::string all;
    char some[4096];
    for (ssize_t n; (n = recv(fd_, some, sizeof some, 0)) > 0;) all.append(some, static_cast<std::size_t>(n));
    return all;
  }

 private:
  int fd_;
  bool connected_;
};

class MetricsServerTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!built_with_metrics()) GTEST_SKIP() << "apt-get install libmicrohttpd-dev and a new build run this";
    server_ = std::make_unique<MetricsServer>(
        MetricsAddress{.other_names = {"metrics.example"}},
        [this] {
          ++made_;
          return std::string("a 1\n");
        },
        std::chrono::milliseconds(500));
  }
  std::uint16_t port() const { return server_->address().port; }
  std::string asked(const std::string& request) const {
    const HttpClient client(port());
    EXPECT_TRUE(client.send(request));
    return client.read();
  }
  std::string get() const { return asked("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"); }

  std::atomic<int> made_ = 0;
  std::unique_ptr<MetricsServer> server_;
};

TEST_F(MetricsServerTest, AnswersGetAndHeadOfTwoPages) {
  const std::string metrics = get();
  EXPECT_TRUE(metrics.starts_with("HTTP/1.1 200 ")) << metrics;
  EXPECT_NE(metrics.find("text/plain; version=0.0.4"), std::string::npos);
  EXPECT_TRUE(metrics.ends_with("\r\n\r\na 1\n")) << metrics;
  const std::string head = asked("HEAD /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_TRUE(head.starts_with("HTTP/1.1 200 ") && head.ends_with("\r\n\r\n")) << head;
  EXPECT_TRUE(asked("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").ends_with("are at /metrics\n"));
  EXPECT_TRUE(asked("GET /other HTTP/1.1\r\nHost: localhost\r\n\r\n").starts_with("HTTP/1.1 404 "));
  const std::string post = asked("POST /metrics HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nabc");
  EXPECT_TRUE(post.starts_with("HTTP/1.1 405 ")) << post;
}

// As a page in a browser asks whose name leads here (DNS rebinding).
TEST_F(MetricsServerTest, WhoAsksForAnotherHostGetsNothing) {
  const auto ask = [this](const std::string& host, const std::string& url = "/metrics") {
    return asked("GET " + url + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
  };
  for (const char* own : {"127.0.0.1", "LocalHost:1", "[::1]:9100", "metrics.example"}) {
    EXPECT_TRUE(ask(own).ends_with("\r\n\r\na 1\n")) << own;
  }
  EXPECT_TRUE(asked("GET /metrics HTTP/1.0\r\n\r\n").ends_with("a 1\n"));
  made_ = 0;
  for (const char* other : {"evil.example", "evil.example:9100", "192.0.2.1", "x", "[::1"}) {
    for (const char* url : {"/metrics", "/", "/other"}) {
      const std::string got = ask(other, url);
      EXPECT_TRUE(got.starts_with("HTTP/1.1 421 ")) << got;
      EXPECT_NE(got.find("another host"), std::string::npos) << got;
    }
  }
  EXPECT_EQ(made_, 0);
}

TEST_F(MetricsServerTest, WhoAsksOftenGetsTheSameText) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 50; ++i) get();
  const auto took = std::chrono::steady_clock::now() - start;
  EXPECT_LE(made_, 2 + took / std::chrono::milliseconds(100));
}

TEST_F(MetricsServerTest, HugeRequestsAreRefused) {
  const HttpClient client(port());
  client.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\nX: " + std::string(1 << 20, 'x') + "\r\n\r\n");
  EXPECT_EQ(client.read().find(" 200 "), std::string::npos);
  const HttpClient other(port());
  other.send("GET /" + std::string(1 << 20, 'x') + " HTTP/1.1\r\n\r\n");
  EXPECT_EQ(other.read().find(" 200 "), std::string::npos);
  EXPECT_TRUE(get().ends_with("a 1\n"));
}

TEST_F(MetricsServerTest, WhatIsNoHttpIsNoMatter) {
  const HttpClient binary(port()), short_one(port());
  binary.send(std::string("\0\1\2\xff\r\n\r\n", 8));
  short_one.send("GET\r\n\r\n");
  asked("\r\n\r\n\r\n GET /metrics HTTP/9.9\r\n\r\n");
  EXPECT_TRUE(get().ends_with("a 1\n"));
}

// More than are served at once, each with half a request, kept alive by a byte now and then: they are gone in seconds.
TEST_F(MetricsServerTest, SlowClientsAreEnded) {
  std::vector<std::unique_ptr<HttpClient>> slow;
  for (int i = 0; i < 20; ++i) {
    slow.push_back(std::make_unique<HttpClient>(port()));
    ASSERT_TRUE(slow.back()->connected());
    slow.back()->send("GET /metrics HTTP/1.1\r\nX: ");
  }
  const HttpClient honest(port());
  ASSERT_TRUE(honest.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"));
  std::atomic<bool> done = false;
  std::thread dripping([&] {
    while (!done) {
      for (const auto& client : slow) client->send("x");
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
  });
  const std::string got = honest.read();
  done = true;
  dripping.join();
  EXPECT_TRUE(got.ends_with("a 1\n")) << got;
}

// Many that never end their requests, and come again when they are ended, keep no place that somebody else asks for.
TEST_F(MetricsServerTest, UnfinishedRequestsKeepNobodyAway) {
  server_ = std::make_unique<MetricsServer>(
      MetricsAddress{}, [] { return std::string("a 1\n"); }, std::chrono::seconds(60));
  std::vector<std::unique_ptr<HttpClient>> half(49);
  const auto fill = [&] {
    for (auto& client : half) {
      client = std::make_unique<HttpClient>(port());
      client->send("GET /metrics HTTP/1.1\r\nX: ");
    }
  };
  for (int i = 0; i < 5; ++i) {
    fill();
    const auto start = std::chrono::steady_clock::now();
    EXPECT_TRUE(get().ends_with("a 1\n"));
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
  }
}

// Nor do those that ask and take no answer. The server's thread has the lowest priority: a busy machine lets others
// wait, but never as long as these could stay.
TEST_F(MetricsServerTest, AnswersThatNobodyTakesKeepNobodyAway) {
  server_ = std::make_unique<MetricsServer>(
      MetricsAddress{}, [] { return std::string(8 << 20, 'x'); }, std::chrono::seconds(600));
  std::vector<std::unique_ptr<HttpClient>> unread(20);
  for (auto& client : unread) {
    client = std::make_unique<HttpClient>(port());
    client->send("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n");
  }
  const auto start = std::chrono::steady_clock::now();
  bool is_answered = false;
  for (int i = 0; i < 10 && !is_answered; ++i) {
    is_answered = asked("HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n").starts_with("HTTP/1.1 200 ");
  }
  EXPECT_TRUE(is_answered);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(250));
}

TEST_F(MetricsServerTest, EndsAtOnceWhoeverIsConnected) {
  const HttpClient idle(port()), half(port());
  half.send("GET /metr");
  get();
  const auto start = std::chrono::steady_clock::now();
  server_.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2));
}

TEST_F(MetricsServerTest, PortInUseIsOneClearError) {
  try {
    const MetricsServer second(server_->address(), [] { return std::string(); });
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("another program has this port"), std::string::npos) << error.what();
  }
}

TEST(MetricsServerWithout, SaysThatItIsNotBuiltIn) {
  if (built_with_metrics()) GTEST_SKIP() << "a build without libmicrohttpd runs this";
  EXPECT_THROW(MetricsServer(MetricsAddress{}, [] { return std::string(); }), Error);
}

}  // namespace
}  // namespace warpmeter
