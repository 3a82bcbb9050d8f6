#include "simulator/launch_counts.h"

#include <unistd.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <string_view>

#include "simulator/launch.h"
#include "simulator/settings.h"

namespace cuda_machine {
namespace {

constexpr std::array kKinds = {"arithmetic", "multiply64", "global", "shared", "local",
                               "param",      "atomic",     "warp",   "branch", "barrier"};
enum Kind : std::size_t { arithmetic, multiply64, global, shared, local, param, atomic, warp, branch, barrier };

Kind kind_of_access(const MemoryAccess& memory) {
  switch (memory.space) {
    case Space::shared: return shared;
    case Space::local: return local;
    case Space::param: return param;
    default: return memory.atomic != AtomicOperation::none ? atomic : global;
  }
}

Kind kind_of(const Instruction& i) {
  if (i.control == Control::branch || i.control == Control::exit || i.control == Control::sleep) return branch;
  if (i.control == Control::warp_wide) return warp;
  if (i.control == Control::barrier || i.fence) return barrier;
  if (i.memory.size) return kind_of_access(i.memory);
  const std::string_view text = i.text;
  const bool multiplies = text.find("mul.") != text.npos || text.find("mad.") != text.npos;
  return multiplies && text.find("64") != text.npos ? multiply64 : arithmetic;
}

// One object of numbers.
class Line {
 public:
  explicit Line(std::ostream& out) : out_(out) { out_ << '{'; }
  ~Line() { out_ << "}\n"; }
  template <class T>
  Line& operator()(std::string_view name, const T& value) {
    out_ << (first_ ? "" : ", ") << '"' << name << "\": " << value;
    first_ = false;
    return *this;
  }

 private:
  std::ostream& out_;
  bool first_ = true;
};

}  // namespace

LaunchCounts* LaunchCounts::instance() {
  static LaunchCounts* const all = [] {
    if (settings().counts_folder.empty()) return static_cast<LaunchCounts*>(nullptr);
    auto* const counts = new LaunchCounts;  // until the very end of the process
    std::atexit(write_all);
    return counts;
  }();
  return all;
}

void LaunchCounts::begin(const Launch& wanted) {
  KernelCounts& counts = kernels_[wanted.kernel];
  ++counts.launches;
  counts.blocks += wanted.grid.count();
  counts.threads += wanted.grid.count() * wanted.block.count();
  counts.block_threads = wanted.block.count();
  counts.shared_bytes = wanted.kernel->shared_bytes + wanted.dynamic_shared;
  traffic.begin_launch(counts.memory);
}

void LaunchCounts::write_all() {
  const LaunchCounts& all = *instance();
  std::ofstream out(settings().counts_folder + "/" + std::to_string(::getpid()) + ".counts", std::ios::app);
  for (const auto& [kernel, counts] : all.kernels_) all.write_kernel(out, *kernel, counts);
  all.write_streams(out);
}

void LaunchCounts::write_kernel(std::ostream& out, const Kernel& kernel, const KernelCounts& counts) const {
  std::array<std::uint64_t, kKinds.size()> by_kind{};
  for (const Instruction& i : kernel.code) by_kind[kind_of(i)] += i.executed;
  const MemoryCounts& m = counts.memory;
  Line line(out);
  line("kernel", '"' + kernel.name + '"')("launches", counts.launches)("blocks", counts.blocks);
  line("threads", counts.threads)("block_threads", counts.block_threads)("shared_bytes", counts.shared_bytes);
  for (std::size_t k = 0; k < kKinds.size(); ++k) line(kKinds[k], by_kind[k]);
  line("lanes", m.lanes)("reads", m.reads)("writes", m.writes)("atomics", m.atomics);
  line("read_sectors", m.read_sectors)("l2_read_sectors", m.l2_read_sectors);
  line("l2_write_sectors", m.l2_write_sectors)("atomic_sectors", m.atomic_sectors);
  line("dram_read_sectors", m.dram_read_sectors)("dram_write_sectors", m.dram_write_sectors);
  line("atomic_operations", m.atomic_operations)("atomics_in_a_row", m.atomics_in_a_row);
}

void LaunchCounts::write_streams(std::ostream& out) const {
  const StreamCounts& s = streams;
  Line line(out);
  line("launches", s.launches)("events", s.events)("waits", s.waits);
  line("copies_in", s.in.number)("bytes_in", s.in.bytes)("copies_out", s.out.number)("bytes_out", s.out.bytes);
  line("copies_on_device", s.on_device.number)("bytes_on_device", s.on_device.bytes);
  line("fills", s.fills.number)("bytes_filled", s.fills.bytes);
}

}  // namespace cuda_machine
