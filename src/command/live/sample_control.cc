#include "command/live/sample_control.h"

#include <algorithm>
#include <bit>

namespace warpmeter::inline command {

std::uint32_t SampleControl::look(const Look& look) {
  const LoadControl::Step step = control_.look(look, one_in_<rarest_, one_in_> 1);
  if (step == LoadControl::Step::less) one_in_ = std::min(2 * one_in_, rarest_);
  if (step == LoadControl::Step::more) one_in_ = std::bit_ceil(one_in_) / 2;
  return one_in_;
}

}  // namespace warpmeter::inline command
