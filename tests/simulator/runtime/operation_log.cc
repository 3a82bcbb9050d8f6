#include "simulator/runtime/operation_log.h"

#include <unistd.h>

#include <array>

#include "simulator/runtime/runtime.h"
#include "simulator/settings.h"

namespace cuda_machine {
namespace {

constexpr std::array kKinds = {"launch", "copy_in", "copy_out", "copy_on_device",
                               "fill",   "event",   "wait",     "host_function"};
constexpr std::array kHostWaits = {"event", "stream", "copy"};
constexpr std::array kMemoryKinds = {"device", "pinned", "registered"};

// The calling one's.
unsigned thread_number() {
  static unsigned threads = 0;
  thread_local const unsigned number = ++threads;
  return number;
}

std::string member(const char* name, std::uint64_t value) {
  return std::string(", \"") + name + "\": " + std::to_string(value);
}
std::string member(const char* name, std::string_view value) {
  return std::string(", \"") + name + "\": \"" + std::string(value) + '"';
}

std::string list_of(const std::vector<Work>& works) {
  std::string list;
  for (const Work& work : works) {
    if (work.number == 0) continue;
    list += (list.empty() ? "[" : ", [") + std::to_string(work.stream) + ", " + std::to_string(work.number) + ']';
  }
  return '[' + list + ']';
}

}  // namespace

OperationLog* OperationLog::wanted() {
  static OperationLog& log = *new OperationLog;  // until the very end of the process
  const std::string& folder = settings().log_folder;
  if (folder.empty()) return nullptr;
  if (folder != log.folder_) {  // tests have one after the other
    log.folder_ = folder;
    log.out_ = std::ofstream(folder + "/" + std::to_string(::getpid()) + ".operations", std::ios::app);
  }
  return &log;
}

// At once: a process may end in many ways.
void OperationLog::write(const std::string& members) { out_ << '{' << members << "}\n" << std::flush; }

void OperationLog::add(const Stream& stream, const Operation& operation, Work work, const std::vector<Work>& after) {
  std::string line = "\"call\": \"" + std::string(kKinds[static_cast<std::size_t>(operation.kind)]) + '"';
  line += member("thread", thread_number()) + member("device", static_cast<std::uint64_t>(stream.device.number));
  line += member("stream", work.stream) + member("number", work.number);
  line += ", \"after\": " + list_of(after) + member("bytes", operation.bytes) + member("what", operation.what);
  const Allocation* const pinned =
      operation.host ? runtime().pinned.find(reinterpret_cast<std::uint64_t>(operation.host)) : nullptr;
  if (pinned) line += member("pinned", numbers_[pinned->address()]);
  if (graph_launch_going_on()) line += member("graph", graph_launch_going_on());
  write(line);
}

void OperationLog::host_waits(HostWait how, Work work) {
  write("\"call\": \"wait_on_host\"" + member("how", kHostWaits[static_cast<std::size_t>(how)]) +
        member("thread", thread_number()) + member("stream", work.stream) + member("number", work.number));
}

void OperationLog::queries(Work work, bool done) {
  write("\"call\": \"query\"" + member("thread", thread_number()) + member("stream", work.stream) +
        member("number", work.number) + member("done", std::uint64_t{done}));
}

void OperationLog::launches_graph(const Stream& stream, std::uint64_t launch, std::size_t nodes) {
  write("\"call\": \"graph_launch\"" + member("thread", thread_number()) + member("stream", stream.number) +
        member("graph", launch) + member("nodes", nodes));
}

void OperationLog::allocated(MemoryKind kind, std::uint64_t address, std::size_t bytes) {
  const auto of = static_cast<std::size_t>(kind);
  const std::uint64_t number = numbers_[address] = ++allocations_[of];
  write("\"call\": \"allocate\"" + member("of", kMemoryKinds[of]) + member("thread", thread_number()) +
        member("number", number) + member("bytes", bytes));
}

void OperationLog::freed(MemoryKind kind, std::uint64_t address) {
  write("\"call\": \"free\"" + member("of", kMemoryKinds[static_cast<std::size_t>(kind)]) +
        member("thread", thread_number()) + member("number", numbers_[address]));
}

}  // namespace cuda_machine
