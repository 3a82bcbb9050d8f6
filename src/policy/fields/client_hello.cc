#include "policy/fields/client_hello.h"

#include <algorithm>

namespace warpmeter::inline policy {
namespace {

using Bytes = std::span<const std::uint8_t>;

constexpr std::uint8_t kHandshakeRecord = 22;
constexpr std::size_t kRecordHeader = 5;  // bytes
constexpr std::uint8_t kClientHello = 1;
constexpr std::size_t kMessageHeader = 4;    // bytes: type and length
constexpr std::size_t kSessionId = 38;       // where its length stands: behind type, length, version and random
constexpr std::size_t kShortestHello = 42;   // bytes
constexpr std::size_t kExtensionHeader = 4;  // bytes
constexpr std::size_t kServerName = 0;       // kinds of extensions
constexpr std::size_t kAlpn = 16;
constexpr std::size_t kManyExtensions = 16, kManyProtocols = 4;  // most clients have fewer

bool is_handshake_record(Bytes head) { return head.size() >= kRecordHeader && head[0] == kHandshakeRecord; }

// Two bytes, the higher one first. Those behind the end are not there: of one byte, the number is that byte.
std::size_t number16(Bytes bytes, std::size_t at) {
  std::size_t number = 0;
  for (const std::size_t end = std::min(bytes.size(), at + 2); at < end; ++at) number = number << 8 | bytes[at];
  return number;
}

// Where the length of the extensions stands; behind the end: it is not there.
std::size_t extensions_at(Bytes hello) {
  std::size_t at = kSessionId + 1 + hello[kSessionId];
  at += 2 + number16(hello, at);                                 // cipher suites
  return at < hello.size() ? at + 1 + hello[at] : hello.size();  // compression methods
}

// The first extension of this kind, from its header on to the end of all that is there; empty: there is none.
Bytes find_extension(Bytes hello, std::size_t kind) {
  if (hello.size() < kShortestHello || hello[0] != kClientHello) return {};
  std::size_t at = extensions_at(hello);
  const std::size_t end = std::min(at + 2 + number16(hello, at), hello.size());
  for (at += 2; at + kExtensionHeader <= end; at += kExtensionHeader + number16(hello, at + 2)) {
    if (number16(hello, at) == kind) return hello.subspan(at);
  }
  return {};
}

// Takes vectors, as TLS calls them: content behind its length. What is not all there is none.
class VectorReader {
 public:
  explicit VectorReader(Bytes bytes) : left_(bytes) {}

  bool failed() const { return failed_; }
  bool is_at_end() const { return left_.empty(); }
  std::size_t size() const { return left_.size(); }

  Bytes take(std::size_t size) {
    failed_ = failed_ || size > left_.size();
    const Bytes taken = left_.first(failed_ ? 0 : size);
    left_ = left_.subspan(taken.size());
    return taken;
  }
  std::size_t take_number(std::size_t size) {
    std::size_t number = 0;
    for (const std::uint8_t byte : take(size)) number = number << 8 | byte;
    return number;
  }
  Bytes take_vector(std::size_t length_bytes) { return take(take_number(length_bytes)); }

 private:
  Bytes left_;
  bool failed_ = false;
};

}  // namespace

Bytes handshake_bytes(Bytes head, std::vector<std::uint8_t>& joined) {
  joined.clear();
  while (is_handshake_record(head)) {
    const std::size_t size = number16(head, 3);
    head = head.subspan(kRecordHeader);
    const Bytes content = head.first(std::min(size, head.size()));
    head = head.subspan(content.size());
    if (joined.empty() && !is_handshake_record(head)) return content;
    joined.insert(joined.end(), content.begin(), content.end());
  }
  return joined;
}

std::string server_name(Bytes hello) {
  constexpr std::size_t kName = kExtensionHeader + 5;  // behind the lengths of the list and the name, and its kind
  const Bytes extension = find_extension(hello, kServerName);
  const std::size_t size = number16(extension, kName - 2);
  if (extension.size() <= kName || size > extension.size() - kName) return {};
  const Bytes name = extension.subspan(kName, size);
  return {name.begin(), name.end()};
}

std::vector<std::string_view> alpn_protocols(Bytes hello) {
  const Bytes extension = find_extension(hello, kAlpn);
  if (extension.empty()) return {};
  VectorReader reader(extension.subspan(2));
  VectorReader outer(reader.take_vector(2));
  VectorReader list(outer.take_vector(2));
  std::vector<std::string_view> protocols;
  protocols.reserve(kManyProtocols);
  while (!list.is_at_end() && !list.failed()) {
    const Bytes name = list.take_vector(1);
    protocols.emplace_back(reinterpret_cast<const char*>(name.data()), name.size());
  }
  if (reader.failed() || outer.failed() || list.failed()) protocols.clear();
  return protocols;
}

std::vector<std::uint16_t> number_list(Bytes content, std::size_t length_bytes) {
  VectorReader reader(content);
  VectorReader list(reader.take_vector(length_bytes));
  std::vector<std::uint16_t> numbers;
  while (!list.is_at_end() && !list.failed()) numbers.push_back(static_cast<std::uint16_t>(list.take_number(2)));
  if (reader.failed() || list.failed()) numbers.clear();
  return numbers;
}

std::optional<WholeHello> whole_hello(Bytes bytes) {
  if (bytes.size() < kMessageHeader || bytes[0] != kClientHello) return std::nullopt;
  VectorReader message(bytes.subspan(1));
  VectorReader reader(message.take_vector(3));
  WholeHello hello;
  hello.version = static_cast<std::uint16_t>(reader.take_number(2));
  reader.take(kSessionId - kMessageHeader - 2);  // random
  reader.take_vector(1);                         // session id
  VectorReader suites(reader.take_vector(2));
  hello.cipher_suites.reserve(suites.size() / 2);
  while (!suites.is_at_end() && !suites.failed()) {
    hello.cipher_suites.push_back(static_cast<std::uint16_t>(suites.take_number(2)));
  }
  reader.take_vector(1);                                                          // compression methods
  VectorReader extensions(reader.is_at_end() ? Bytes() : reader.take_vector(2));  // a hello may end without any
  hello.extensions.reserve(kManyExtensions);
  while (!extensions.is_at_end() && !extensions.failed()) {
    const auto kind = static_cast<std::uint16_t>(extensions.take_number(2));
    hello.extensions.push_back({kind, extensions.take_vector(2)});
  }
  if (message.failed() || reader.failed() || suites.failed() || extensions.failed()) return std::nullopt;
  return hello;
}

}  // namespace warpmeter::inline policy
