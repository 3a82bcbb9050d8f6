#include "base/metrics/metrics_server.h"

#include "warpmeter/status.h"

#if WARPMETER_HAVE_MICROHTTPD
#include <microhttpd.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <map>
#include <mutex>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>

#include "base/metrics/metrics_address.h"
#include "core/thread_annotations.h"
#endif

namespace warpmeter::inline base {

#if WARPMETER_HAVE_MICROHTTPD
namespace {

constexpr int kLowestPriority = 19;
constexpr std::chrono::milliseconds kAsksWithin{200};  // who does as clients do

constexpr std::size_t kPlaces = 16;
constexpr unsigned kMostConnections = 4 * kPlaces;   // while those that are ended are still being closed
constexpr std::size_t kConnectionMemory = 16 << 10;  // a larger request is refused
constexpr unsigned kSilence = 3;                     // seconds
constexpr std::chrono::milliseconds kTextLasts{100};

constexpr unsigned kMisdirected = 421;  // RFC 9110

constexpr const char* kContentType = "text/plain; version=0.0.4; charset=utf-8";
constexpr std::string_view kFrontPage = "warpmeter live: its metrics are at /metrics\n";
constexpr std::string_view kOtherHost =
    "the request is for another host: --metrics-name tells warpmeter live that it is this one\n";

MHD_Result answer(MHD_Connection* connection, unsigned status, std::string_view body) {
  MHD_Response* response =
      MHD_create_response_from_buffer(body.size(), const_cast<char*>(body.data()), MHD_RESPMEM_MUST_COPY);
  if (!response) return MHD_NO;
  MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, kContentType);
  MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
  if (status == MHD_HTTP_METHOD_NOT_ALLOWED) MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
  const MHD_Result queued = MHD_queue_response(connection, status, response);
  MHD_destroy_response(response);
  return queued;
}

}  // namespace

// Ends connections that have lived for too long: a client that sends or takes a byte now and then is never silent. And
// of more than there are places for, the oldest: at first one that has had the time to ask something and has not, so
// that clients that never do keep nobody away who does.
//
// The thread that serves is given the lowest priority on its first connection: metering comes first.
class ConnectionTimes {
 public:
  // Has a thread of its own, which shuts down both sides of the sockets of such connections.
  ConnectionTimes(std::size_t places, std::chrono::milliseconds longest);

  // From the thread that serves: `socket` is open until ended() has returned.
  void began(int socket);
  void asked(int socket);  // its request is complete
  void ended(int socket);

 private:
  using Clock = std::chrono::steady_clock;
  struct Connection {
    Clock::time_point since;
    bool has_asked = false;
    bool is_ending = false;  // shut down
  };
  void watch(const std::stop_token& stop);
  void make_room();  // REQUIRES: mutex_ is held.
  static void end(int socket, Connection& connection);

  const std::size_t places_;
  const std::chrono::milliseconds longest_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::map<int, Connection> open_ WARPMETER_GUARDED_BY(mutex_);  // by socket
  bool is_nice_ WARPMETER_GUARDED_BY(mutex_) = false;
  std::jthread thread_;
};

ConnectionTimes::ConnectionTimes(std::size_t places, std::chrono::milliseconds longest)
    : places_(places), longest_(longest), thread_([this](const std::stop_token& stop) { watch(stop); }) {}

void ConnectionTimes::began(int socket) {
  const std::lock_guard lock(mutex_);
  if (!std::exchange(is_nice_, true)) setpriority(PRIO_PROCESS, 0, kLowestPriority);  // on Linux, of this thread
  open_[socket] = {.since = Clock::now()};
  make_room();
  changed_.notify_one();
}

void ConnectionTimes::asked(int socket) {
  const std::lock_guard lock(mutex_);
  if (const auto found = open_.find(socket); found != open_.end()) found->second.has_asked = true;
}

void ConnectionTimes::ended(int socket) {
  const std::lock_guard lock(mutex_);
  open_.erase(socket);
}

void ConnectionTimes::end(int socket, Connection& connection) {
  connection.is_ending = true;
  shutdown(socket, SHUT_RDWR);
}

void ConnectionTimes::make_room() {
  const Clock::time_point recently = Clock::now() - kAsksWithin;
  const auto rank = [recently](const auto& entry) {
    const Connection& connection = entry.second;
    return std::tuple(connection.is_ending, connection.since >= recently, connection.has_asked, connection.since);
  };
  const auto stay = std::ranges::count_if(open_, [](const auto& entry) { return !entry.second.is_ending; });
  if (static_cast<std::size_t>(stay) <= places_) return;
  const auto oldest = std::ranges::min_element(open_, {}, rank);
  end(oldest->first, oldest->second);
}

void ConnectionTimes::watch(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, stop, [this] { return !open_.empty(); })) {
    changed_.wait_for(lock, stop, longest_ / 4, [] { return false; });
    for (auto& [socket, connection] : open_) {
      if (Clock::now() - connection.since >= longest_) end(socket, connection);
    }
  }
}

struct MetricsServer::Http {
  using Clock = std::chrono::steady_clock;

  Http(std::vector<std::string> host_names, std::function<std::string()> text_of,
       std::chrono::milliseconds longest_connection)
      : names(std::move(host_names)), metrics(std::move(text_of)), times(kPlaces, longest_connection) {}

  const std::string& text() {
    if (made.empty() || Clock::now() - made_at >= kTextLasts) {
      made = metrics();
      made_at = Clock::now();
    }
    return made;
  }

  // A browser always says whom it asks; who says nothing is none.
  bool is_asked(MHD_Connection* connection) const {
    const char* const header = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST);
    return !header || is_own_host(host_of(header), socket_of(connection), names);
  }

  static int socket_of(MHD_Connection* connection) {
    const MHD_ConnectionInfo* const info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
  }

  MHD_Result serve(MHD_Connection* connection, std::string_view url, std::string_view method) {
    times.asked(socket_of(connection));
    if (!is_asked(connection)) return answer(connection, kMisdirected, kOtherHost);
    if (method != MHD_HTTP_METHOD_GET && method != MHD_HTTP_METHOD_HEAD) {
      return answer(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "GET or HEAD\n");
    }
    if (url == "/metrics") return answer(connection, MHD_HTTP_OK, text());
    if (url == "/") return answer(connection, MHD_HTTP_OK, kFrontPage);
    return answer(connection, MHD_HTTP_NOT_FOUND, "not found\n");
  }

  // libmicrohttpd's callbacks, C functions: nothing may be thrown through them.
  static MHD_Result on_request(void* self, MHD_Connection* connection, const char* url, const char* method, const char*,
                               const char*, std::size_t*, void**) {
    try {
      return static_cast<Http*>(self)->serve(connection, url, method);
    } catch (...) {
      return MHD_NO;  // the connection is closed
    }
  }
  static void on_connection(void* self, MHD_Connection* connection, void**, MHD_ConnectionNotificationCode what) {
    const int socket = socket_of(connection);
    if (socket < 0) return;
    if (what == MHD_CONNECTION_NOTIFY_STARTED) static_cast<Http*>(self)->times.began(socket);
    else static_cast<Http*>(self)->times.ended(socket);
  }

  const std::vector<std::string> names;
  const std::function<std::string()> metrics;
  std::string made;
  Clock::time_point made_at;
  ConnectionTimes times;
  MHD_Daemon* daemon = nullptr;
};

bool built_with_metrics() { return true; }

MetricsServer::MetricsServer(const MetricsAddress& address, std::function<std::string()> metrics,
                             std::chrono::milliseconds longest_connection)
    : address_(address), http_(std::make_unique<Http>(address.other_names, std::move(metrics), longest_connection)) {
  ListeningSocket socket(address_);
  address_.port = socket.port();
  http_->daemon =
      MHD_start_daemon(MHD_USE_AUTO_INTERNAL_THREAD, 0, nullptr, nullptr, &Http::on_request, http_.get(),
                       MHD_OPTION_LISTEN_SOCKET, socket.fd(), MHD_OPTION_CONNECTION_LIMIT, kMostConnections,
                       MHD_OPTION_CONNECTION_MEMORY_LIMIT, kConnectionMemory, MHD_OPTION_CONNECTION_TIMEOUT, kSilence,
                       MHD_OPTION_NOTIFY_CONNECTION, &Http::on_connection, http_.get(), MHD_OPTION_END);
  if (!http_->daemon) throw Error("--metrics " + address_.name() + ": libmicrohttpd does not start");
  socket.release();  // closed by libmicrohttpd
}

MetricsServer::~MetricsServer() { MHD_stop_daemon(http_->daemon); }

#else

struct MetricsServer::Http {};

bool built_with_metrics() { return false; }

MetricsServer::MetricsServer(const MetricsAddress&, std::function<std::string()>, std::chrono::milliseconds) {
  throw Error("--metrics is not built in: libmicrohttpd was not there (tools/setup build gets it)", ExitStatus::usage);
}

MetricsServer::~MetricsServer() = default;

#endif

}  // namespace warpmeter::inline base
