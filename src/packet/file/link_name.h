// Link types as a person would name them, for messages.
#pragma once

#include <cstdint>
#include <string>

namespace warpmeter::inline packet {

// "IEEE802_11_RADIO"; empty where the name is not known.
std::string bare_link_name(std::uint16_t link);

// "127 (IEEE802_11_RADIO)"; the number alone where the name is not known.
std::string link_name(std::uint16_t link);

}  // namespace warpmeter::inline packet
