#include "packet/file/link_name.h"

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

}  // namespace warpmeter::inline packet
