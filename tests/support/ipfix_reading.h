// Everything that the reader finds in a file.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "record/ipfix/ipfix_reader.h"
#include "support/scratch_folder.h"

namespace warpmeter::test {

struct IpfixContent {
  std::vector<Biflow> flows;
  RecordLayout layout;
  std::optional<ReadDamage> damage;
  std::uint64_t no_flows = 0;

  std::string damage_text() const { return damage ? std::to_string(damage->offset) + ": " + damage->reason : ""; }
};

inline IpfixContent ipfix_content_of(const std::string& path) {
  IpfixReader reader(path);
  IpfixContent content;
  for (Biflow flow; reader.next(flow);) content.flows.push_back(flow);
  content.layout = reader.layout();
  content.damage = reader.damage();
  content.no_flows = reader.no_flows();
  return content;
}

inline IpfixContent ipfix_content(const Bytes& file) {
  const ScratchFolder folder;
  return ipfix_content_of(folder.write("x.ipfix", file));
}

}  // namespace warpmeter::test
