// The method as a constant, for the kernels that are made for one.
#pragma once

#include <type_traits>

#include "core/options.h"

namespace warpmeter {

// Calls `use` with a std::integral_constant.
template <class Use>
void for_method(Method method, const Use& use) {
  if (method == Method::exact) use(std::integral_constant<Method, Method::exact>());
  else use(std::integral_constant<Method, Method::five_tuple>());
}

}  // namespace warpmeter
