#include "packet/file/left_out.h"

#include "packet/file/link_name.h"
#include "warpmeter/status.h"

namespace warpmeter::inline packet {
namespace {

std::string line(const std::string& file, std::uint16_t link, const std::string& refusal) {
  return file + ": link type " + link_name(link) + ": " + refusal;
}

}  // namespace

void require_link(const std::string& file, std::uint16_t link, const CaptureOptions& options) {
  if (!options.refusal) return;
  if (const std::string refusal = options.refusal(link); !refusal.empty()) throw Error(line(file, link, refusal));
}

bool LinksOfFile::is_refused(std::uint16_t link) {
  if (!options_.refusal || taken_.contains(link)) return false;
  if (refused_.contains(link)) return true;
  const bool refused = !options_.refusal(link).empty();
  (refused ? refused_ : taken_).insert(link);
  return refused;
}

void LinksOfFile::leave_out(std::uint16_t link) {
  if (taken_.empty()) require_link(file_, link, options_);
  if (!left_out_.insert(link).second || !options_.left_out) return;
  options_.left_out->add(line(file_, link, options_.refusal(link)) + "; its packets are left out");
}

}  // namespace warpmeter::inline packet
