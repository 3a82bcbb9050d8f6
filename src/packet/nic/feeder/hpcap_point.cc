#include "packet/nic/feeder/hpcap_point.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/words/human_units.h"
#include "base/words/printable.h"
#include "packet/nic/feeder/hpcap_driver.h"
#include "warpmeter/status.h"

namespace warpmeter::inline packet {

HpcapPoint::HpcapPoint(std::string name, std::vector<std::unique_ptr<HpcapDevice>> devices)
    : name_(std::move(name)), end_(std::make_shared<HpcapEnd>()) {
  for (auto& device : devices) {
    const auto number = static_cast<unsigned>(rings_.size());
    rings_.push_back(std::make_unique<HpcapRing>(std::move(device), name_, number, end_));
  }
  lost_ = rings_[0]->device().lost();
}

std::string HpcapPoint::way() const {
  const std::string size = human_bytes(static_cast<double>(rings_[0]->size()));
  if (rings_.size() == 1) return fmt::format("HP-CAP, a ring of {}", size);
  return fmt::format("HP-CAP, {} rings of {}", rings_.size(), size);
}

// A driver that was loaded again begins at 0.
void HpcapPoint::look(const Warn&) {
  const std::uint64_t lost = rings_[0]->device().lost();
  if (lost > lost_) lost_since_ += lost - lost_;
  lost_ = lost;
}

std::unique_ptr<ObservationPoint> open_hpcap_point(const std::string& adapter) {
  const std::string name = "hpcap:" + adapter;
  const bool is_number = !adapter.empty() && adapter.size() <= 2 &&
                         std::ranges::all_of(adapter, [](char c) { return c >= '0' && c <= '9'; });
  if (!is_number) throw Error(printable(name) + ": the number of an adapter, as hpcap:0", ExitStatus::usage);
  try {
    return std::make_unique<HpcapPoint>(name, open_hpcap_driver(static_cast<unsigned>(std::stoul(adapter))));
  } catch (const Error& error) {
    throw Error(name + ": " + error.what(), error.status());
  }
}

}  // namespace warpmeter::inline packet
