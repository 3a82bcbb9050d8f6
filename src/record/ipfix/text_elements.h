// Which Information Elements carry what is noted of flows: labels, and columns of texts, by their names.
//
// Labels are applicationName where a flow has exactly one, and a list of our own (RFC 6313) otherwise; a host of HTTP
// is IANA's, and a server's name in TLS and the name of a DNS query are as YAF exports them. Other columns have
// elements of our own, numbered in each output as they come, whose names are those of the columns: type information in
// the stream (RFC 5610) tells readers. No element of IANA has a name of small letters, which columns need to have for
// that.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "core/extra_column.h"
#include "record/ipfix/ipfix_options.h"

namespace warpmeter::inline record {

struct TextElement {
  std::string_view column;
  const char* element;
  std::uint32_t enterprise;  // 0: IANA
  std::uint16_t number;
};

inline constexpr std::uint32_t kYafNumber = 6871, kOwnNumber = 32473;
inline constexpr TextElement kApplicationName{"labels", "applicationName", 0, 96};
inline constexpr TextElement kApplicationNameList{"labels", "applicationNameList", kOwnNumber, 14};
inline constexpr TextElement kFieldElements[] = {
    {"http_host", "httpRequestHost", 0, 460},
    {"tls_sni", "sslServerName", kYafNumber, 294},
    {"dns_name", "dnsQName", kYafNumber, 179},
};

constexpr bool is_in(IpfixProfile profile, const TextElement& text) {
  return profile == IpfixProfile::everything || text.enterprise == 0;
}

inline constexpr std::uint16_t kFirstOwnText = 1000, kMostOwnTexts = 16;

// The element of a column.
struct ColumnText {
  std::size_t at;  // the column, in the layout
  std::string element;
  std::uint32_t enterprise;
  std::uint16_t number;
  bool is_of_output() const { return enterprise == kOwnNumber; }
};

inline bool may_name_element(std::string_view column) {
  constexpr std::size_t kLongest = 64;
  return column.size() <= kLongest && std::ranges::all_of(column, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
         });
}

// Those of texts: columns that IPFIX has no element for are not among them.
inline std::vector<ColumnText> column_texts(const ExtraColumns& extra, IpfixProfile profile) {
  std::vector<ColumnText> texts;
  std::uint16_t own = kFirstOwnText;
  for (std::size_t i = 0; i < extra.size(); ++i) {
    if (!extra[i]->annotation() || extra[i]->is_list()) continue;
    const auto known = std::ranges::find(kFieldElements, extra[i]->name(), &TextElement::column);
    if (known != std::end(kFieldElements)) {
      if (is_in(profile, *known)) texts.push_back({i, known->element, known->enterprise, known->number});
    } else if (profile == IpfixProfile::everything && own < kFirstOwnText + kMostOwnTexts &&
               may_name_element(extra[i]->name())) {
      texts.push_back({i, std::string(extra[i]->name()), kOwnNumber, own++});
    }
  }
  return texts;
}

}  // namespace warpmeter::inline record
