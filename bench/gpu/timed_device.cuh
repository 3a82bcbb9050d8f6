// A device of the Engine that also tells how long each kernel took, by its name: an event after every operation, and
// what lies between two is the later one's. Events cost time of their own, so the sum is not what a batch takes without
// them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "device_memory.cuh"

namespace warpmeter::bench {

// Without namespace and template arguments.
template <class Kernel>
std::string name_of() {
  std::string_view text = __PRETTY_FUNCTION__;
  constexpr std::string_view kBefore = "Kernel = ";
  if (const auto at = text.find(kBefore); at != text.npos) text.remove_prefix(at + kBefore.size());
  text = text.substr(0, text.find_first_of("<;]"));
  if (const auto at = text.rfind(':'); at != text.npos) text.remove_prefix(at + 1);
  return std::string(text);
}

template <class Device>
class TimedDevice : public Device {
 public:
  using Device::Device;
  using typename Device::Event;

  struct Time {
    std::string name;
    double seconds;
  };

  bool timed = false;  // off: as without all this

  // Nothing can be between the nodes of a graph.
  bool has_graphs() const { return false; }

  // Adds the times of what was launched since the last call. REQUIRES: all of it is through.
  void add_times(std::vector<Time>& to) {
    for (std::size_t i = 1; i < used_; ++i) {
      const Operation& operation = operations_[i];
      if (operation.name.empty()) continue;
      const double seconds = this->seconds_between(operations_[i - 1].end, operation.end);
      auto known = to.begin();
      while (known != to.end() && known->name != operation.name) ++known;
      if (known == to.end()) to.push_back({operation.name, seconds});
      else known->seconds += seconds;
    }
    used_ = 0;
  }

  template <class Kernel, class... More>
  void launch(const Kernel& kernel, std::uint32_t items, const More&... more) {
    Device::launch(kernel, items, more...);
    if (timed) mark(name_of<Kernel>());
  }
  template <class Kernel, class... More>
  void launch_counted(const Kernel& kernel, std::uint32_t most, const std::uint32_t* count, const More&... more) {
    Device::launch_counted(kernel, most, count, more...);
    if (timed) mark(name_of<Kernel>());
  }
  void sort(const PairsToSort& pairs, std::uint32_t count, unsigned bits) {
    Device::sort(pairs, count, bits);
    if (timed) mark("sort after " + last_kernel_);
  }
  void fill(void* memory, std::uint8_t byte, std::size_t bytes) {
    Device::fill(memory, byte, bytes);
    if (timed) mark("fill");
  }
  // The Engine's own points in time: what the queue waited for before them is nobody's.
  void record(Queue queue, Event& event) {
    Device::record(queue, event);
    if (timed && queue == Queue::compute) mark("");
  }

 private:
  struct Operation {
    std::string name;
    Event end;
  };

  void mark(std::string name) {
    if (used_ == operations_.size()) operations_.emplace_back();
    Operation& operation = operations_[used_++];
    Device::record(Queue::compute, operation.end);
    if (!name.empty() && name.find(' ') == name.npos) last_kernel_ = name;
    operation.name = std::move(name);
  }

  std::vector<Operation> operations_;
  std::size_t used_ = 0;
  std::string last_kernel_;
};

}  // namespace warpmeter::bench
