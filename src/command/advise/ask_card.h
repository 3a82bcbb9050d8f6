// Asks the kernel, the driver and the machine for the facts of an interface. Changes nothing, and needs no rights.
#pragma once

#include <string>

#include "command/advise/card_facts.h"

namespace warpmeter::inline command {

// Throws Error: there is no such interface.
CardFacts ask_card(const std::string& interface);

}  // namespace warpmeter::inline command
