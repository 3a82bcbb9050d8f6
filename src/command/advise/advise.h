// `warpmeter live --advise IFACE`: says what should be changed before packets are captured from an interface.
#pragma once

#include <string>

#include "command/advise/card_facts.h"
#include "warpmeter/status.h"

namespace warpmeter::inline command {

// To standard output. Changes nothing. Throws Error: there is no such interface.
ExitStatus advise(const std::string& interface);

std::string advice_text(const CardFacts& facts);

}  // namespace warpmeter::inline command
