// A log of what the host asks of streams and of memory, in the order of its calls: what a replay of them with the times
// of a GPU takes (bench/gpu/replay).
//
// With the setting log=FOLDER every process appends to a file PROCESS.operations, a JSON object a line:
//
//   {"call": "launch", "thread": 1, "device": 0, "stream": 2, "number": 7, "after": [[1, 3]], "bytes": 0, "what":
//   "..."}
//       the 7th work of stream 2; it comes after the 3rd of stream 1, whatever else its own stream says
//       call: launch, copy_in, copy_out, copy_on_device, fill, event (recorded), wait (of the stream, for an event),
//       host_function
//       what: the kernel; pinned: which pinned allocation a copy reads or writes; graph: it came by which launch of one
//   {"call": "graph_launch", "thread": 1, "stream": 2, "graph": 1, "nodes": 30}
//       one call; what it gives to streams follows
//   {"call": "wait_on_host", "how": "event", "thread": 2, "stream": 2, "number": 7}
//       the thread goes on when that work is done; how: event, stream, copy (one that had to wait for its end)
//   {"call": "query", "thread": 2, "stream": 2, "number": 7, "done": 0}
//   {"call": "allocate", "of": "pinned", "thread": 1, "number": 3, "bytes": 4096}, {"call": "free", ...}
//       of: device, pinned, or registered (pinned, too); the 3rd allocation of its kind
//
// Threads: under the lock of the runtime. They are numbered by their first calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "simulator/stream_order.h"

namespace cuda_machine {

class Stream;
struct Operation;

enum class HostWait : std::uint8_t { event, stream, copy };
enum class MemoryKind : std::uint8_t { device, pinned, registered };

class OperationLog {
 public:
  // Null while the settings want none.
  static OperationLog* wanted();

  void add(const Stream& stream, const Operation& operation, Work work, const std::vector<Work>& after);
  void host_waits(HostWait how, Work work);
  void queries(Work work, bool done);
  // Before what it gives to streams.
  void launches_graph(const Stream& stream, std::uint64_t launch, std::size_t nodes);
  void allocated(MemoryKind kind, std::uint64_t address, std::size_t bytes);
  void freed(MemoryKind kind, std::uint64_t address);

 private:
  void write(const std::string& members);

  std::string folder_;
  std::ofstream out_;
  std::map<std::uint64_t, std::uint64_t> numbers_;  // of allocations, by address: no two kinds share one
  std::uint64_t allocations_[3] = {};               // so far
};

}  // namespace cuda_machine
