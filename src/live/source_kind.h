// What a word after -i names: "eth0", "shm:NAME", "hpcap:N" or "folder:PATH".
#pragma once

#include <string_view>

namespace warpmeter {

enum class SourceKind { network, feeder, hpcap, folder };

inline constexpr std::string_view kFeederWord = "shm:", kHpcapWord = "hpcap:", kFolderWord = "folder:";

inline SourceKind source_kind_of(std::string_view word) {
  if (word.starts_with(kFeederWord)) return SourceKind::feeder;
  if (word.starts_with(kHpcapWord)) return SourceKind::hpcap;
  return word.starts_with(kFolderWord) ? SourceKind::folder : SourceKind::network;
}

}  // namespace warpmeter
