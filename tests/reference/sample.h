// Which flows --sample-flows takes, by the text of docs/definitions.md.
#pragma once

#include <cstdint>

#include "reference_key.h"

namespace reference {

bool is_sampled(const FlowKey& key, uint64_t one_in);

}  // namespace reference
