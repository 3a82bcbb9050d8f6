// `warpmeter live --advise IFACE`: says what should be changed at an interface and its machine before packets are
// captured from it, so that a capture is exact and fast; by its facts alone.
//
// Threads: any.
#pragma once

#include <string>
#include <vector>

#include "command/advise/card_facts.h"
#include "warpmeter/status.h"

namespace warpmeter::inline command {

// Something that should be changed.
struct Advice {
  std::string what;     // how it is, and why that is not well: one line
  std::string command;  // that changes it
};

// In the order in which it is best done. What changes counts comes before what changes speed.
std::vector<Advice> advice_for(const CardFacts& facts);

// What is as it should be, and what nobody told: a line each.
std::vector<std::string> findings_of(const CardFacts& facts);

// Do both directions of a conversation come to the same queue?
bool is_symmetric(const CardHash& hash);

// To standard output. Changes nothing. Throws Error: there is no such interface.
ExitStatus advise(const std::string& interface);

std::string advice_text(const CardFacts& facts);

}  // namespace warpmeter::inline command
