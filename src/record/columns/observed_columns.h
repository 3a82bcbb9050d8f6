// The columns `interface` and `direction` of a live capture (--interface-columns): where the first packet of a flow was
// observed, by the name of the Observation Point, and which way it went there, as flowDirection of IPFIX.
#pragma once

#include "core/extra_column.h"
#include "core/observed_points.h"

namespace warpmeter::inline record {

// `points` must outlive them.
ExtraColumns observed_columns(const ObservedPoints& points);

}  // namespace warpmeter::inline record
