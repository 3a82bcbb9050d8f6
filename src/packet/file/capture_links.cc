#include "packet/file/capture_links.h"

#include "warpmeter/status.h"

#if WARPMETER_HAVE_PCAP
#include <pcap/pcap.h>
#endif

namespace warpmeter::inline packet {
namespace {

// For private use, which is why libpcap has no names for them.
constexpr std::uint16_t kUser0 = 147, kUser15 = 162;

}  // namespace

std::string bare_link_name(std::uint16_t link) {
  if (link >= kUser0 && link <= kUser15) return "USER" + std::to_string(link - kUser0);
#if WARPMETER_HAVE_PCAP
  // LINKTYPE and DLT numbers are the same for all but a few; where libpcap has no name, the number says it.
  if (const char* name = pcap_datalink_val_to_name(link)) return name;
#endif
  return {};
}

std::string link_name(std::uint16_t link) {
  const std::string name = bare_link_name(link);
  return std::to_string(link) + (name.empty() ? "" : " (" + name + ")");
}

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
