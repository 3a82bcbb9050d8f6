// The link types that are decoded, by their LINKTYPE number in capture files.
// Source: the registry of the tcpdump group; numbers 12 and 14 are DLT_RAW of some systems, found in old files.
#pragma once

#include <cstdint>

namespace warpmeter {

enum LinkType : std::uint16_t {
  kLinkEthernet = 1,
  kLinkRawBsd = 12,
  kLinkRawOpenBsd = 14,
  kLinkRaw = 101,
  kLinkCooked = 113,
  kLinkIpv4 = 228,
  kLinkIpv6 = 229,
  kLinkCooked2 = 276,
};

inline bool is_known_link(std::uint32_t link) {
  switch (link) {
    case kLinkEthernet:
    case kLinkRawBsd:
    case kLinkRawOpenBsd:
    case kLinkRaw:
    case kLinkCooked:
    case kLinkIpv4:
    case kLinkIpv6:
    case kLinkCooked2: return true;
    default: return false;
  }
}

}  // namespace warpmeter
