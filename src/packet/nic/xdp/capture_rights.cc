#include "packet/nic/xdp/capture_rights.h"

#include <dirent.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <set>
#include <string>
#include <vector>

namespace warpmeter::inline packet {
namespace {

constexpr std::chrono::seconds kPatienceWithThreads{10};       // a busy machine may let one wait
constexpr std::chrono::milliseconds kPatienceWithStarts{200};  // a thread that starts lets no signal in yet

struct Capabilities {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {};

  // Of this thread. False: nobody tells.
  bool read() { return syscall(SYS_capget, &header, data) == 0; }
  bool write() { return syscall(SYS_capset, &header, data) == 0; }

  static std::uint32_t bit(int capability) { return std::uint32_t{1} << capability % 32; }
  bool lack(int capability) const { return !(data[capability / 32].effective & bit(capability)); }
};

constexpr int kOfFiles[] = {CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH, CAP_CHOWN, CAP_FOWNER, CAP_LEASE};

// Of the threads that are told by a signal.
std::atomic<KeptRights> kept_by_all = KeptRights::none;
std::atomic<unsigned> answers = 0;

// In a signal handler: nothing but system calls.
void on_signal(int) {
  const int error = errno;
  drop_rights_of_thread(kept_by_all.load(std::memory_order_relaxed));
  answers.fetch_add(1, std::memory_order_release);
  errno = error;
}

std::set<pid_t> threads() {
  std::set<pid_t> found;
  DIR* const entries = opendir("/proc/self/task");
  if (!entries) return found;
  while (const dirent* const entry = readdir(entries)) {
    if (const long number = std::strtol(entry->d_name, nullptr, 10)) found.insert(static_cast<pid_t>(number));
  }
  closedir(entries);
  return found;
}

// proc(5): of a thread of a library that lets no signal in, an allocator's for one. It would never answer.
bool takes_signal(pid_t thread) {
  std::ifstream status("/proc/self/task/" + std::to_string(thread) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with("SigBlk:")) continue;
    const std::uint64_t blocked = std::strtoull(line.c_str() + sizeof "SigBlk:" - 1, nullptr, 16);
    return !(blocked >> (SIGRTMAX - 1) & 1);
  }
  return false;  // it has ended
}

void wait_for_answers(unsigned wanted) {
  const auto deadline = std::chrono::steady_clock::now() + kPatienceWithThreads;
  while (answers.load(std::memory_order_acquire) < wanted && std::chrono::steady_clock::now() < deadline) usleep(200);
}

}  // namespace

// Nothing, if nobody tells: then the kernel will say what it refuses.
std::string missing_rights_for_xdp() {
  Capabilities has;
  if (!has.read()) return "";
  std::vector<std::string> missing;
  if (has.lack(CAP_NET_RAW)) missing.emplace_back("CAP_NET_RAW");
  if (has.lack(CAP_NET_ADMIN)) missing.emplace_back("CAP_NET_ADMIN");
  if (has.lack(CAP_BPF) && has.lack(CAP_SYS_ADMIN)) missing.emplace_back("CAP_BPF");
  std::string text;
  for (std::size_t i = 0; i < missing.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == missing.size() ? " and " : ", ") + missing[i];
  }
  return text;
}

void drop_rights_of_thread(KeptRights kept) {
  Capabilities has;
  if (!has.read()) return;
  std::uint32_t stay[_LINUX_CAPABILITY_U32S_3] = {};
  if (kept == KeptRights::files) {
    for (const int capability : kOfFiles) stay[capability / 32] |= Capabilities::bit(capability);
  }
  for (int i = 0; i < _LINUX_CAPABILITY_U32S_3; ++i) {
    has.data[i].effective &= stay[i];
    has.data[i].permitted &= stay[i];
    has.data[i].inheritable = 0;
  }
  has.write();
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

// Those that are started meanwhile have the rights of the thread that starts them, so all are there once a look finds
// no more.
void drop_rights(KeptRights kept) {
  drop_rights_of_thread(kept);
  kept_by_all = kept;
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  if (sigaction(SIGRTMAX, &action, nullptr) != 0) return;
  std::set<pid_t> told{static_cast<pid_t>(syscall(SYS_gettid))};
  unsigned wanted = 0;
  const auto deadline = std::chrono::steady_clock::now() + kPatienceWithStarts;
  for (bool any = true; any;) {
    any = false;
    for (const pid_t thread : threads()) {
      if (told.contains(thread)) continue;
      if (!takes_signal(thread)) {  // perhaps it starts just now
        any = any || std::chrono::steady_clock::now() < deadline;
        continue;
      }
      told.insert(thread);
      if (syscall(SYS_tgkill, getpid(), thread, SIGRTMAX) != 0) continue;
      ++wanted;
      any = true;
    }
    wait_for_answers(wanted);
    if (any) usleep(1000);
  }
}

WithoutRights::WithoutRights() {
  Capabilities has;
  if (!has.read()) return;
  for (auto& data : has.data) data.effective = 0;
  has.write();
}

WithoutRights::~WithoutRights() {
  Capabilities has;
  if (!has.read()) return;
  for (auto& data : has.data) data.effective = data.permitted;
  has.write();
}

}  // namespace warpmeter::inline packet
