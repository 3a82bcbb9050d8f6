#include "record/text/value_text.h"

#include <arpa/inet.h>

#include <array>
#include <bit>
#include <chrono>
#include <cstring>

#include "core/byte_order.h"

namespace warpmeter::inline record {
namespace {

// Exactly so many digits, and what stands behind them.
char* write_digits(char* to, unsigned value, int digits, char behind) {
  for (int i = digits - 1; i >= 0; --i, value /= 10) to[i] = static_cast<char>('0' + value % 10);
  to[digits] = behind;
  return to + digits + 1;
}

constexpr int kGroups = 8;

// A byte in decimal with a dot behind it.
struct ByteText {
  char text[4];
  std::uint8_t size;
};

constexpr std::array<ByteText, 256> make_byte_texts() {
  std::array<ByteText, 256> texts{};
  for (unsigned value = 0; value < texts.size(); ++value) {
    ByteText& t = texts[value];
    if (value >= 100) t.text[t.size++] = static_cast<char>('0' + value / 100);
    if (value >= 10) t.text[t.size++] = static_cast<char>('0' + value / 10 % 10);
    t.text[t.size++] = static_cast<char>('0' + value % 10);
    t.text[t.size++] = '.';
  }
  return texts;
}
constexpr std::array<ByteText, 256> kByteTexts = make_byte_texts();

char* write_ip4(char* to, const std::uint8_t* address) {
  for (int i = 0; i < 4; ++i) {
    const ByteText& byte = kByteTexts[address[i]];
    std::memcpy(to, byte.text, sizeof byte.text);
    to += byte.size;
  }
  return to - 1;  // no dot at the end
}

// A byte in hexadecimal, two digits.
constexpr std::array<std::uint16_t, 256> make_hex_texts() {
  constexpr char digits[] = "0123456789abcdef";
  std::array<std::uint16_t, 256> texts{};
  for (unsigned value = 0; value < texts.size(); ++value)
    texts[value] = static_cast<std::uint16_t>(digits[value >> 4] | digits[value & 15] << 8);
  return texts;
}
constexpr std::array<std::uint16_t, 256> kHexTexts = make_hex_texts();

// Without zeros in front. Stores four characters.
char* write_group(char* to, std::uint16_t group) {
  const int zeros = std::countl_zero(static_cast<std::uint16_t>(group | 1)) / 4;
  const std::uint32_t digits = kHexTexts[group >> 8] | std::uint32_t{kHexTexts[group & 0xff]} << 16;
  const std::uint32_t text = digits >> 8 * zeros;
  std::memcpy(to, &text, sizeof text);
  return to + (4 - zeros);
}

struct Zeros {
  int begin = kGroups, end = kGroups;
  int size() const { return end - begin; }
};

// What "::" stands for: the first of the longest sequences of at least two.
Zeros longest_zeros(const std::uint16_t (&groups)[kGroups]) {
  Zeros longest;
  for (int begin = 0; begin < kGroups; ++begin) {
    int end = begin;
    while (end < kGroups && groups[end] == 0) ++end;
    if (end - begin > 1 && end - begin > longest.size()) longest = {begin, end};
    if (end > begin) begin = end;
  }
  return longest;
}

// As inet_ntop() does (RFC 5952), in a tenth of its time.
char* write_ip6(char* to, const std::uint8_t (&address)[16]) {
  std::uint16_t groups[kGroups];
  for (int i = 0; i < kGroups; ++i) groups[i] = load_be16(address + 2 * i);
  const Zeros zeros = longest_zeros(groups);
  if (zeros.begin == 0 && (zeros.end == 6 || (zeros.end == 5 && groups[5] == 0xffff))) {  // an IPv4 address in it
    inet_ntop(AF_INET6, address, to, kAddressText);
    return to + std::strlen(to);
  }
  for (int i = 0; i < kGroups; ++i) {
    if (i == zeros.begin) {
      *to++ = ':';
      i = zeros.end;
      if (i == kGroups) *to++ = ':';
    }
    if (i == kGroups) break;
    if (i) *to++ = ':';
    to = write_group(to, groups[i]);
  }
  return to;
}

}  // namespace

char* write_utc(char* to, std::int64_t ns) {
  using namespace std::chrono;
  const sys_time<nanoseconds> moment{nanoseconds(ns)};
  const sys_time<seconds> second = floor<seconds>(moment);
  const sys_days midnight = floor<days>(second);
  const year_month_day date(midnight);
  const auto of_day = static_cast<unsigned>((second - midnight).count());
  // Not the moment less its second: that may lie before what 64 bits can tell.
  const auto fraction = static_cast<unsigned>(((ns % 1'000'000'000) + 1'000'000'000) % 1'000'000'000);
  to = write_digits(to, static_cast<unsigned>(static_cast<int>(date.year())), 4, '-');
  to = write_digits(to, static_cast<unsigned>(date.month()), 2, '-');
  to = write_digits(to, static_cast<unsigned>(date.day()), 2, 'T');
  to = write_digits(to, of_day / 3600, 2, ':');
  to = write_digits(to, of_day / 60 % 60, 2, ':');
  to = write_digits(to, of_day % 60, 2, '.');
  return write_digits(to, fraction, 9, 'Z');
}

char* write_address(char* to, const std::uint8_t (&address)[16], std::uint8_t version) {
  return version == 6 ? write_ip6(to, address) : write_ip4(to, address);
}

}  // namespace warpmeter::inline record
