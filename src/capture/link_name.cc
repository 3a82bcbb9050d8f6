#include "capture/link_name.h"

#if WARPMETER_HAVE_PCAP
#include <pcap/pcap.h>
#endif

namespace warpmeter {

std::string link_name(std::uint16_t link) {
  std::string text = std::to_string(link);
#if WARPMETER_HAVE_PCAP
  // LINKTYPE and DLT numbers are the same for all but a few; where libpcap has no name, the number says it.
  if (const char* name = pcap_datalink_val_to_name(link)) text += " (" + std::string(name) + ")";
#endif
  return text;
}

}  // namespace warpmeter
