// A walk into a packet that may be a tunnel's: steps of tunnel.h.
#pragma once

#include <cstdint>
#include <optional>

#include "core/unread_layers.h"
#include "packet/decode/layers.h"
#include "packet/decode/tunnel.h"

namespace warpmeter::inline packet {

struct TunnelEntry {
  Walk walk;                           // stands behind the IP header, then where the packet within begins
  TunnelKind kind = TunnelKind::none;  // none: no tunnel, or a message of its protocol that carries no packet
  std::optional<Unopened> why = {};    // nothing: what is within tells

  Layer is(TunnelKind which, Layer next) {
    kind = which;
    why.reset();
    return next;
  }
  Layer closed(TunnelKind which, Unopened reason) {
    kind = which;
    why = reason;
    return Layer::nothing;
  }
  Layer cut_short(TunnelKind which) { return closed(which, Unopened::cut_short); }
  Layer behind(TunnelKind which, std::uint64_t header, Layer next) {
    walk.skip(header);
    return is(which, next);
  }
};

// These move the walk to what lies within, and return what that is. Layer::nothing: see `kind` and `why`.

// RFC 2784 and its kin; `kind`: what carries it.
Layer enter_gre(TunnelEntry& entry, TunnelKind kind);

// Tunnels known by their ports. Servers have theirs at either end where both sides send from it.
Layer enter_udp(TunnelEntry& entry, const TunnelKinds& kinds);

}  // namespace warpmeter::inline packet
