// What a word after -i names: "eth0", "any" or "veth*", "shm:NAME", "hpcap:N" or "folder:PATH".
#pragma once

#include <string_view>

#include "packet/nic/ring/interface_pattern.h"

namespace warpmeter::inline command {

enum class SourceKind { network, pattern, feeder, hpcap, folder };

inline constexpr std::string_view kFeederWord = "shm:", kHpcapWord = "hpcap:", kFolderWord = "folder:";

inline SourceKind source_kind_of(std::string_view word) {
  if (word.starts_with(kFeederWord)) return SourceKind::feeder;
  if (word.starts_with(kHpcapWord)) return SourceKind::hpcap;
  if (word.starts_with(kFolderWord)) return SourceKind::folder;
  return is_interface_pattern(word) ? SourceKind::pattern : SourceKind::network;
}

}  // namespace warpmeter::inline command
