#include "export/address_text.h"

#include <arpa/inet.h>

#include <charconv>
#include <cstring>

namespace warpmeter {

char* write_address(char* to, const std::uint8_t (&address)[16], std::uint8_t version) {
  if (version == 6) {
    inet_ntop(AF_INET6, address, to, kAddressText);
    return to + std::strlen(to);
  }
  for (int i = 0; i < 4; ++i) {
    if (i) *to++ = '.';
    to = std::to_chars(to, to + 3, address[i]).ptr;
  }
  return to;
}

}  // namespace warpmeter
