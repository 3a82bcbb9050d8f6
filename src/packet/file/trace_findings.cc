#include "packet/file/trace_findings.h"

#include "base/words/human_units.h"

namespace warpmeter::inline packet {

std::vector<std::string> messages_of(const std::vector<UnreadableFile>& files) {
  std::vector<std::string> messages;
  for (const UnreadableFile& file : files) messages.push_back(file.message);
  return messages;
}

std::string text_of(const Damage& damage, std::string_view before) {
  const std::string place = " at byte " + std::to_string(damage.offset);
  std::string text = damage.file + ": ";
  if (damage.reason == kDecodingInterrupted) text.append(kDecodingInterrupted).append(place);
  else text += "damaged" + place + ": " + damage.reason;
  if (damage.skipped) return text + "; " + human_number_of(damage.skipped, "byte") + " skipped";
  return before.empty() ? text : text.append("; what came before is ").append(before);
}

std::string text_of(const OddFractions& odd) {
  return odd.file + ": fractions below 0 or of a second and more from byte " + std::to_string(odd.offset) +
         " on; they are taken as they are";
}

std::vector<std::string> warnings_of(const std::vector<Damage>& damage, const Skips& skips,
                                     const std::vector<OddFractions>& odd, std::string_view before) {
  std::vector<std::string> lines;
  for (const Damage& d : damage) lines.push_back(text_of(d, before));
  if (skips.untold) lines.push_back(human_number_of(skips.untold, "more place") + " of damage skipped");
  for (const OddFractions& o : odd) lines.push_back(text_of(o));
  return lines;
}

std::string text_of(const Skips& skips) {
  return human_number_of(skips.bytes, "byte") + " in " + human_number_of(skips.places, "place") + " (--resync)";
}

}  // namespace warpmeter::inline packet
