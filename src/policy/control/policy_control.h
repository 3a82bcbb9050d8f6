// Takes changes of a policy that is in use: at a ControlSocket clients write a request (apply_request()), end their
// side and read the answer, one line: "ok", or "error: " and why.
//
// A thread of its own serves all. Whoever connects costs little, whatever he does: few clients at once, each with one
// request, a limit to it and a few seconds for all that he sends and reads. Where one more waits, the oldest goes whose
// request is not whole, once he has had the time that clients take: so those who never ask keep nobody away. A request
// counts only once its end was sent and its sender is still there: of one who was killed in between nothing is taken.
//
// Threads: as said at each. Errors: clients are told theirs; nothing else can fail.
#pragma once

#include <sys/socket.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/files/descriptor.h"
#include "policy/control/control_socket.h"
#include "policy/rounds/running_policy.h"

namespace warpmeter::inline policy {

// What is asked of a policy while it is in use: a line that says what, and a text in TOML.
//
//   set_memory   one [[group]], as policy files have it: takes the place of the group of its id, or is added
//   set_init     one [[init.rule]]: goes before those there are
//   replace      a whole file
//
// Source: docs/policies.md, "The control socket"; setInit and setMemory of the paper.
//
// Returns what was done, for people. Throws PolicyError, with the line of the request where that is to blame, or
// PatternError; the policy in force stays. `stop`: nobody waits any more.
std::string apply_request(std::string_view request, RunningPolicy& policy, const std::stop_token& stop = {});

class PolicyControl {
 public:
  static constexpr std::size_t kMostRequest = std::size_t{1} << 20;  // bytes

  struct Counts {
    std::uint64_t changes = 0, errors = 0;  // requests that were whole: made, and refused
  };

  using Tell = std::function<void(const std::string&)>;

  // Serves until its end. `tell` gets a line of each change that was made, from the thread that serves. Socket and
  // policy must live as long.
  PolicyControl(const ControlSocket& socket, RunningPolicy& policy, Tell tell,
                std::chrono::milliseconds patience = std::chrono::seconds(5));
  ~PolicyControl();
  PolicyControl(const PolicyControl&) = delete;
  PolicyControl& operator=(const PolicyControl&) = delete;

  // From any thread.
  Counts counts() const { return {changes_, errors_}; }

 private:
  using Clock = std::chrono::steady_clock;

  struct Client {
    Descriptor connection;  // none: it is done with
    pid_t process;
    Clock::time_point since;
    std::string request = {};
    std::size_t size = 0;     // of the request, what was too much of it too
    std::string answer = {};  // what is still to be sent

    bool is_asking() const { return answer.empty(); }
  };

  void work(const std::stop_token& stop);
  void wait();
  Clock::time_point accepts_from() const;
  void accept_clients();
  void make_room();
  void go_on(Client& client, const std::stop_token& stop);
  void receive(Client& client, const std::stop_token& stop);
  static void send_answer(Client& client);
  std::string answer_to(const Client& client, const std::stop_token& stop);

  const ControlSocket& socket_;
  RunningPolicy& policy_;
  const Tell tell_;
  const std::chrono::milliseconds patience_;
  std::atomic<std::uint64_t> changes_ = 0, errors_ = 0;
  const Descriptor wake_;  // an eventfd(2)
  std::vector<Client> clients_;
  Clock::time_point no_descriptors_until_{};
  std::jthread thread_;
};

}  // namespace warpmeter::inline policy
