#include "policy/control/policy_control.h"

#include <poll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <stop_token>
#include <utility>

#include "base/files/path_owners.h"
#include "base/words/printable.h"
#include "warpmeter/status.h"

namespace warpmeter::inline policy {

std::string apply_request(std::string_view request, RunningPolicy& policy, const std::stop_token& stop) {
  const std::size_t end = std::min(request.find('\n'), request.size());
  // With the end of the first line, which counts as one. As of what is set, whoever compiles it has a share in it.
  const auto text = std::make_shared<const std::string>(request.substr(end));
  const auto set = std::make_shared<GroupId>(0);
  std::string_view word = request.substr(0, end);
  if (word.ends_with('\r')) word.remove_suffix(1);
  if (word == "set_memory") {
    policy.change([=](PolicyMemory& memory) { *set = memory.set_memory(*text); }, stop);
    return "group " + std::to_string(*set) + " set";
  }
  if (word == "set_init") {
    const auto change = [=](PolicyMemory& memory) {
      memory.set_init(*text);
      *set = memory.init().front().to;
    };
    policy.change(change, stop);
    return "an init rule set, to " + (is_end(*set) ? "" : std::string("group ")) + group_word(*set);
  }
  if (word == "replace") {
    policy.replace([=] { return PolicyMemory::load(*text); }, stop);
    return "replaced";
  }
  throw PolicyError("the first line is set_memory, set_init or replace");
}

namespace {

constexpr std::size_t kMostClients = 16;
constexpr std::size_t kMostSent = 16 * PolicyControl::kMostRequest;  // of one who is told that it was too much
constexpr std::size_t kPart = 64 << 10;                              // that is read at once
constexpr std::chrono::milliseconds kRest{100};                      // before another try to accept
constexpr std::chrono::milliseconds kAsksWithin{200};                // who does as clients do

Descriptor event() {
  Descriptor made(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!made) throw Error(std::string("no eventfd for the control socket of the policy: ") + std::strerror(errno));
  return made;
}

// Both of its sides are closed, and not only that which it wrote to.
bool has_gone(int connection) {
  pollfd state{.fd = connection, .events = 0, .revents = 0};
  return poll(&state, 1, 0) > 0 && (state.revents & (POLLHUP | POLLERR)) != 0;
}

bool may_pass(int error) { return error == EAGAIN || error == EINTR || error == ENOBUFS; }

}  // namespace

PolicyControl::PolicyControl(const ControlSocket& socket, RunningPolicy& policy, Tell tell,
                             std::chrono::milliseconds patience)
    : socket_(socket), policy_(policy), tell_(std::move(tell)), patience_(patience), wake_(event()) {
  clients_.reserve(kMostClients);
  thread_ = std::jthread([this](const std::stop_token& stop) { work(stop); });
}

PolicyControl::~PolicyControl() {
  thread_.request_stop();
  eventfd_write(wake_.get(), 1);
  thread_.join();
}

void PolicyControl::work(const std::stop_token& stop) {
  for (;;) {
    wait();
    if (stop.stop_requested()) return;
    for (Client& client : clients_) {
      try {
        go_on(client, stop);
      } catch (const std::bad_alloc&) {
        client.connection.reset();
      }
    }
    std::erase_if(clients_, [](const Client& client) { return !client.connection; });
    accept_clients();
  }
}

// Until there is something to do.
void PolicyControl::wait() {
  std::array<pollfd, kMostClients + 2> states;
  std::size_t count = 0;
  auto next = Clock::time_point::max();
  const auto add = [&](int fd, short events) { states[count++] = {.fd = fd, .events = events, .revents = 0}; };
  add(wake_.get(), POLLIN);
  if (const auto from = accepts_from(); Clock::now() >= from) add(socket_.fd(), POLLIN);
  else next = from;
  for (const Client& client : clients_) {
    add(client.connection.get(), client.is_asking() ? POLLIN : POLLOUT);
    next = std::min(next, client.since + patience_);
  }
  int timeout = -1;
  if (next != Clock::time_point::max()) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(next - Clock::now());
    timeout = static_cast<int>(std::max<std::int64_t>(left.count(), 0));
  }
  poll(states.data(), count, timeout);
}

// One more client.
PolicyControl::Clock::time_point PolicyControl::accepts_from() const {
  if (clients_.size() < kMostClients) return no_descriptors_until_;
  const auto oldest = std::ranges::find_if(clients_, &Client::is_asking);
  return oldest == clients_.end() ? Clock::time_point::max()
                                  : std::max(no_descriptors_until_, oldest->since + kAsksWithin);
}

// REQUIRES: accepts_from() is over.
void PolicyControl::make_room() {
  if (clients_.size() < kMostClients) return;
  const auto oldest = std::ranges::find_if(clients_, &Client::is_asking);
  oldest->answer = "error: others waited, and the end of the request had not come\n";
  send_answer(*oldest);
  clients_.erase(oldest);
}

void PolicyControl::accept_clients() {
  while (Clock::now() >= accepts_from()) {
    Descriptor connection(accept4(socket_.fd(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!connection) {
      if (errno == EINTR || errno == ECONNABORTED) continue;
      if (errno != EAGAIN) no_descriptors_until_ = Clock::now() + kRest;  // or no memory
      return;
    }
    const auto peer = path_owners::peer_of(connection.get());
    if (!peer || !path_owners::is_trusted(peer->uid)) continue;
    make_room();
    clients_.push_back({std::move(connection), peer->pid, Clock::now()});
  }
}

void PolicyControl::go_on(Client& client, const std::stop_token& stop) {
  if (client.is_asking()) receive(client, stop);
  if (!client.is_asking()) send_answer(client);
  if (!client.connection || Clock::now() < client.since + patience_) return;
  if (client.is_asking()) {
    client.answer = "error: the end of the request has not come in time\n";
    send_answer(client);
  }
  client.connection.reset();
}

// What is too long is read all the same: an answer comes to nobody who is still writing.
void PolicyControl::receive(Client& client, const std::stop_token& stop) {
  std::array<char, kPart> part;
  const ssize_t got = recv(client.connection.get(), part.data(), part.size(), MSG_DONTWAIT);
  if (got < 0) {
    if (!may_pass(errno)) client.connection.reset();
    return;
  }
  if (got == 0) {
    if (has_gone(client.connection.get())) client.connection.reset();
    else client.answer = answer_to(client, stop) + "\n";
    return;
  }
  client.size += static_cast<std::size_t>(got);
  if (client.size <= kMostRequest) client.request.append(part.data(), static_cast<std::size_t>(got));
  else client.request = std::string();
  if (client.size > kMostSent) client.connection.reset();
}

void PolicyControl::send_answer(Client& client) {
  if (!client.connection) return;
  const ssize_t sent =
      send(client.connection.get(), client.answer.data(), client.answer.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  if (sent > 0) client.answer.erase(0, static_cast<std::size_t>(sent));
  if (client.answer.empty() || (sent < 0 && !may_pass(errno))) client.connection.reset();
}

// Others are not to blame for the time that it takes.
std::string PolicyControl::answer_to(const Client& client, const std::stop_token& stop) {
  const auto start = Clock::now();
  std::string answer;
  try {
    if (client.size > kMostRequest) {
      throw PolicyError("the request is longer than " + std::to_string(kMostRequest >> 20) + " MiB");
    }
    const std::string done = apply_request(client.request, policy_, stop);
    ++changes_;
    answer = "ok";
    tell_("policy: " + done + ", by process " + std::to_string(client.process));
  } catch (const std::bad_alloc&) {
    answer = "error: there is not so much memory";
  } catch (const std::exception& error) {
    answer = "error: " + printable(error.what());
  }
  if (answer != "ok") ++errors_;
  for (Client& other : clients_) other.since += Clock::now() - start;
  return answer;
}

}  // namespace warpmeter::inline policy
