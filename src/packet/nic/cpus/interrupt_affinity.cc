#include "packet/nic/cpus/interrupt_affinity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/words/printable.h"
#include "warpmeter/status.h"

namespace warpmeter::inline packet {
namespace {

namespace fs = std::filesystem;

std::string place_of(const std::string& proc, unsigned number) { return fmt::format("{}/irq/{}", proc, number); }

// 0, or what is wrong.
int write_cpus(const std::string& proc, unsigned number, const std::string& cpus) {
  errno = 0;
  std::ofstream out(place_of(proc, number) + "/smp_affinity_list");
  out << cpus << '\n' << std::flush;
  return out ? 0 : errno ? errno : EIO;
}

std::string cpus_of(const std::string& proc, unsigned number) {
  std::string cpus;
  std::ifstream(place_of(proc, number) + "/smp_affinity_list") >> cpus;
  return cpus;
}

// What its handlers are called: each has a folder.
std::vector<std::string> handlers_of(const std::string& proc, unsigned number) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator at(place_of(proc, number), error), end; !error && at != end; at.increment(error)) {
    if (at->is_directory(error)) names.push_back(at->path().filename());
  }
  return names;
}

// Of the card; of a virtio device the card is one further up.
std::vector<unsigned> interrupts_of_card(const std::string& interface, const std::string& sys) {
  std::vector<unsigned> numbers;
  for (const char* const card : {"/device", "/device/.."}) {
    std::error_code error;
    const fs::path folder = sys + "/class/net/" + interface + card + "/msi_irqs";
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
      const std::string name = at->path().filename();
      unsigned number = 0;
      if (std::from_chars(name.data(), name.data() + name.size(), number).ec == std::errc()) numbers.push_back(number);
    }
    if (!numbers.empty()) break;
  }
  std::ranges::sort(numbers);
  return numbers;
}

}  // namespace

std::optional<unsigned> queue_of_interrupt(const std::string& whole) {
  std::string name = whole.substr(0, whole.find('@'));
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const std::size_t digits = name.find_last_not_of("0123456789") + 1;
  if (digits == name.size()) return {};
  const std::string what = name.substr(0, digits);
  const auto has = [&what](const char* part) { return what.find(part) != std::string::npos; };
  const bool receives = has("rx") || has("input") || has("comp") || has("queue") || has("fp");
  const bool sends_only = (has("tx") && !has("rx")) || has("output");
  // Without a word for it: the name of the interface and a number.
  const bool is_other = has("async") || has("config") || has("mgmnt") || has("misc") || has("ptp") || has("event");
  if (is_other || sends_only || (!receives && !what.ends_with('-'))) return {};
  unsigned queue = 0;
  const bool fits = std::from_chars(name.data() + digits, name.data() + name.size(), queue).ec == std::errc();
  return fits ? std::optional(queue) : std::nullopt;
}

std::vector<QueueInterrupt> queue_interrupts(const std::string& interface, const std::string& sys,
                                             const std::string& proc) {
  std::vector<QueueInterrupt> found;
  for (const unsigned number : interrupts_of_card(interface, sys)) {
    for (const std::string& name : handlers_of(proc, number)) {
      const auto queue = queue_of_interrupt(name);
      if (!queue) continue;
      found.push_back({number, name, *queue, cpus_of(proc, number)});
      break;
    }
  }
  std::ranges::stable_sort(found, {}, &QueueInterrupt::queue);
  return found;
}

InterruptAffinity::InterruptAffinity(const std::string& interface, const CpuList& cpus, const std::string& sys,
                                     const std::string& proc)
    : proc_(proc) {
  const std::vector<QueueInterrupt> interrupts = queue_interrupts(interface, sys, proc);
  const std::string about = printable(interface) + ": --set-irq-affinity: ";
  if (interrupts.empty()) throw Error(about + "no interrupts of its queues are known (it is no card, or shares one)");
  for (const QueueInterrupt& one : interrupts) {
    const std::string to = std::to_string(cpus[one.queue % cpus.size()]);
    if (one.cpus == to) continue;
    if (const int error = write_cpus(proc_, one.number, to)) {
      put_back();
      throw Error(fmt::format("{}interrupt {} ({}) cannot be moved to CPU {}: {}{}", about, one.number,
                              printable(one.name), to, std::strerror(error),
                              error == EACCES || error == EPERM ? "; root may" : ""));
    }
    moved_.push_back(one);
    changes_.push_back(fmt::format("interrupt {} ({}): CPU {}, was {}", one.number, printable(one.name), to, one.cpus));
  }
}

std::vector<std::string> InterruptAffinity::put_back() {
  std::vector<std::string> stay;
  for (const QueueInterrupt& one : moved_) {
    const int error = write_cpus(proc_, one.number, one.cpus);
    if (!error) continue;
    stay.push_back(fmt::format("interrupt {} ({}) cannot be put back to CPU {}: {}", one.number, printable(one.name),
                               one.cpus, std::strerror(error)));
  }
  moved_.clear();
  return stay;
}

}  // namespace warpmeter::inline packet
