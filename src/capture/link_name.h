// Link types as a person would name them, for messages.
#pragma once

#include <cstdint>
#include <string>

namespace warpmeter {

// "127 (IEEE802_11_RADIO)"; the number alone where the name is not known.
std::string link_name(std::uint16_t link);

}  // namespace warpmeter
