// The link types that are decoded, by their LINKTYPE number in capture files.
// Source: the registry of the tcpdump group; numbers 12 and 14 are DLT_RAW of some systems, found in old files.
#pragma once

#include <cstdint>

namespace warpmeter {

enum LinkType : std::uint16_t {
  kLinkNull = 0,
  kLinkEthernet = 1,
  kLinkTokenRing = 6,
  kLinkArcnet = 7,
  kLinkSlip = 8,
  kLinkPpp = 9,
  kLinkFddi = 10,
  kLinkRawBsd = 12,
  kLinkRawOpenBsd = 14,
  kLinkPppHdlc = 50,
  kLinkPppEthernet = 51,
  kLinkAtmLlc = 100,
  kLinkRaw = 101,
  kLinkCiscoHdlc = 104,
  kLinkWlan = 105,
  kLinkAtmClip = 106,
  kLinkFrameRelay = 107,
  kLinkLoop = 108,
  kLinkEnc = 109,
  kLinkCooked = 113,
  kLinkPflog = 117,
  kLinkPrism = 119,
  kLinkRadiotap = 127,
  kLinkArcnetLinux = 129,
  kLinkAvs = 163,
  kLinkJuniperEthernet = 178,
  kLinkPpi = 192,
  kLinkErf = 197,  // whole records of ERF files
  kLinkIpnet = 226,
  kLinkIpv4 = 228,
  kLinkIpv6 = 229,
  kLinkNflog = 239,
  kLinkIpoib = 242,
  kLinkPktap = 258,
  kLinkMpacket = 274,
  kLinkCooked2 = 276,
  kLinkBroadcomTag = 281,  // of a switch, between the MAC addresses and the EtherType
  kLinkBroadcomPrepended = 282,
  kLinkDsaTag = 284,
  kLinkEdsaTag = 285,
};

inline bool is_known_link(std::uint32_t link) {
  switch (link) {
    case kLinkNull:
    case kLinkEthernet:
    case kLinkTokenRing:
    case kLinkArcnet:
    case kLinkSlip:
    case kLinkPpp:
    case kLinkFddi:
    case kLinkRawBsd:
    case kLinkRawOpenBsd:
    case kLinkPppHdlc:
    case kLinkPppEthernet:
    case kLinkAtmLlc:
    case kLinkRaw:
    case kLinkCiscoHdlc:
    case kLinkWlan:
    case kLinkAtmClip:
    case kLinkFrameRelay:
    case kLinkLoop:
    case kLinkEnc:
    case kLinkCooked:
    case kLinkPflog:
    case kLinkPrism:
    case kLinkRadiotap:
    case kLinkArcnetLinux:
    case kLinkAvs:
    case kLinkJuniperEthernet:
    case kLinkPpi:
    case kLinkErf:
    case kLinkIpnet:
    case kLinkIpv4:
    case kLinkIpv6:
    case kLinkNflog:
    case kLinkIpoib:
    case kLinkPktap:
    case kLinkMpacket:
    case kLinkCooked2:
    case kLinkBroadcomTag:
    case kLinkBroadcomPrepended:
    case kLinkDsaTag:
    case kLinkEdsaTag: return true;
    default: return false;
  }
}

}  // namespace warpmeter
