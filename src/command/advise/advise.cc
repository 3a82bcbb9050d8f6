#include "command/advise/advise.h"

#include <fmt/format.h>

#include "base/program/messages.h"
#include "base/words/printable.h"
#include "command/advise/advice.h"
#include "command/advise/card_facts.h"

namespace warpmeter::inline command {

std::string advice_text(const CardFacts& facts) {
  std::string text = printable(facts.name) + "\n";
  for (const std::string& line : findings_of(facts)) text += "  " + line + "\n";
  const std::vector<Advice> all = advice_for(facts);
  text += all.empty() ? "nothing to change\n" : "to change\n";
  for (const Advice& one : all) {
    text += "  " + one.what + "\n";
    if (!one.command.empty()) text += "      " + one.command + "\n";
  }
  return text + "Nothing was changed.\n";
}

ExitStatus advise(const std::string& interface) {
  put(advice_text(ask_card(interface)));
  return ExitStatus::ok;
}

}  // namespace warpmeter::inline command
