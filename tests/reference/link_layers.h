// One function a link type (or a few alike), from its first byte to IP. All throw IgnoredFrame.
#pragma once

#include <cstdint>

#include "descent.h"

namespace reference {

// By LINKTYPE_ number, where the numbers that headers of other headers announce come back to. Not IP where unknown.
IpPlace by_link(uint32_t link, Descent descent);

// 802.11: data frames that are not encrypted, alone or behind what a driver reports of their reception.
IpPlace wlan(Descent descent, bool swapped = false);  // swapped: the first two bytes, as some CAPWAP has them
IpPlace radiotap(Descent descent);
IpPlace prism(Descent descent);
IpPlace avs(Descent descent);

// Old local networks and serial lines.
IpPlace token_ring(Descent descent);
IpPlace fddi(Descent descent);
IpPlace arcnet(Descent descent);
IpPlace arcnet_linux(Descent descent);
IpPlace atm_clip(Descent descent);
IpPlace frame_relay(Descent descent);
IpPlace cisco_hdlc(Descent descent);
IpPlace ppp_hdlc(Descent descent);

// What operating systems and switches write before, or instead of, a link header.
IpPlace null(Descent descent);
IpPlace enc(Descent descent);
IpPlace pflog(Descent descent);
IpPlace erf(Descent descent);
IpPlace cooked(Descent descent);
IpPlace cooked2(Descent descent);
IpPlace ipnet(Descent descent);
IpPlace nflog(Descent descent);
IpPlace pktap(Descent descent);
IpPlace ppi(Descent descent);
IpPlace juniper_ethernet(Descent descent);
IpPlace mpacket(Descent descent);

}  // namespace reference
