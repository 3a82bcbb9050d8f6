// Questions to an interface's driver, as ethtool(8) asks them. Nothing is changed. What a driver does not answer is
// empty.
//
// Threads: one at a time.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/files/descriptor.h"
#include "command/advise/card_facts.h"

namespace warpmeter::inline command {

class Ethtool {
 public:
  explicit Ethtool(const std::string& interface);

  std::string driver() const;
  CardQueues queues() const;
  NowAndMost rx_ring() const;
  std::map<std::string, CardFeature> features() const;
  std::optional<CardHash> hash() const;
  std::map<std::string, HashFields> fields() const;
  std::uint32_t steering_rules() const;

 private:
  // `question` begins with its number, and has the answer if this is true.
  bool ask(void* question) const;

  const std::string interface_;
  const Descriptor socket_;
};

}  // namespace warpmeter::inline command
