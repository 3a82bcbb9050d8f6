// Groups, rules, conditions.
#include "random_policy.h"

#include <algorithm>

#include "put_bytes.h"
#include "reference_random.h"

namespace reference {
namespace {

const std::vector<std::string> patterns = {"GET",           "HTTP/1\\.[01]", "^GET",
                                           "^SSH-[12]\\.",  "^220[ -]",      "a",
                                           "[a-f]{3}",      "\\x16\\x03",    "\\x00\\x01",
                                           "e.{1,5}e",      "(com|org)",     "Host: [a-z.]+",
                                           "^.{0,4}\\x00",  "\\r\\n\\r\\n",  "[0-9]{4}",
                                           "x|y|zz",        "^\\x16.*org",   "\\.html?",
                                           "(^|\\n)Server", "\\d\\d:\\d\\d", "union +select",
                                           "[^a-z]{6}",     "th.*<script",   "^(GET|POST) [^\\r\\n]{0,40} HTTP"};
const std::vector<std::string> payload_patterns = {"\\n$", "e$", "^the", "^.{1,20}$"};
const std::vector<std::string> labels = {"a", "b", "c", "web", "x:1", "y/2", "z.3-4"};

PrefixDraft prefix(Random& random) {
  PrefixDraft made;
  made.version = random.percent(60) ? 4 : 6;
  made.address[0] = made.version == 4 ? 10 : 0x20;
  made.length = random.pick({0, 1, 7, 8});
  if (made.length < 7) made.address[0] = 0;  // of the first half
  if (random.percent(30)) {
    made.address[0] = made.version == 4 ? 10 : 0x20;
    made.length = made.version == 4 ? 32 : 128;
    made.address[made.version == 4 ? 3 : 15] = random.pick<uint8_t>({1, 2, 200});
  }
  return made;
}

std::vector<PrefixDraft> prefixes(Random& random) {
  std::vector<PrefixDraft> all{prefix(random)};
  while (random.percent(30)) all.push_back(prefix(random));
  return all;
}

class Maker {
 public:
  explicit Maker(uint64_t seed) : random_(seed ^ 0x706f6c696379) {}

  PolicyDraft make() {
    const size_t groups = random_.pick({1u, 2u, 3u, 4u, 6u, 8u});
    for (size_t i = 0; i < groups; ++i) ids_.push_back(static_cast<int>(1 + 7 * i + random_.below(7)));
    for (size_t i = groups; i > 1; --i) std::swap(ids_[i - 1], ids_[random_.below(i)]);
    PolicyDraft policy;
    for (uint64_t i = random_.below(4); i > 0; --i) {
      InitDraft& rule = policy.init.emplace_back();
      conditions(rule.conditions);
      rule.to = random_.percent(80) ? random_.pick(ids_) : random_.pick({to_out, to_out, to_drop});
    }
    policy.init_default = random_.percent(80) ? ids_.front() : random_.percent(80) ? random_.pick(ids_) : to_out;
    for (size_t i = 0; i < groups; ++i) policy.groups.push_back(group(i));
    std::sort(policy.groups.begin(), policy.groups.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
    return policy;
  }

 private:
  // One behind group `i`, or an end.
  int behind(size_t i) {
    if (i + 1 < ids_.size() && random_.percent(75))
      return random_.percent(70) ? ids_[i + 1] : ids_[i + 1 + random_.below(ids_.size() - i - 1)];
    return random_.percent(15) ? to_drop : to_out;
  }

  GroupDraft group(size_t i) {
    GroupDraft made;
    made.id = ids_[i];
    made.all = random_.percent(50);
    made.match = behind(i);
    made.mismatch = random_.percent(55) ? made.match : behind(i);
    for (uint64_t rules = 1 + random_.below(4); rules > 0; --rules) made.rules.push_back(rule(i));
    return made;
  }

  RuleDraft rule(size_t i) {
    RuleDraft made;
    conditions(made.conditions);
    if (random_.percent(30)) some(made.payload, random_.percent(80) ? patterns : payload_patterns);
    if (random_.percent(45)) some(made.stream, patterns);
    if (random_.percent(12)) some(made.label_is, labels);
    if (random_.percent(12)) some(made.label_is_not, labels);
    if (random_.percent(20)) made.after = 1 + static_cast<int64_t>(random_.below(5));
    if (random_.percent(75)) some(made.labels, labels);
    made.of_flow = random_.percent(45);
    if (random_.percent(30)) fields(made);
    if (random_.percent(12)) made.next = behind(i);
    made.final = random_.percent(7);
    return made;
  }

  void some(std::vector<std::string>& to, const std::vector<std::string>& of) {
    to.push_back(random_.pick(of));
    if (random_.percent(25)) to.push_back(random_.pick(of));
    if (to.size() == 2 && to[0] == to[1]) to.pop_back();
  }

  void fields(RuleDraft& to) {
    const std::vector<std::string> kinds = {"tls.sni", "http.host", "dns.name"};
    to.fields.emplace_back(random_.pick<const char*>({"name", "sni", "host"}), random_.pick(kinds));
    if (random_.percent(40)) to.fields.emplace_back("other", random_.pick(kinds));
  }

  void conditions(ConditionsDraft& to) {
    const auto once_in = [&](uint64_t count) { return random_.below(count) == 0; };
    const auto ports = [&] {
      return random_.pick<std::vector<NumberRange>>({{{80, 80}},
                                                     {{80, 80}, {443, 443}},
                                                     {{1000, no_highest}},
                                                     {{0, 1023}},
                                                     {{0, 0}},
                                                     {{53, 80}, {65535, 65535}}});
    };
    if (once_in(4)) to.protocols = random_.pick<std::vector<int>>({{6}, {6}, {17}, {17, 6}, {1, 58}, {132, 17}});
    if (once_in(7)) to.ports = ports();
    if (once_in(14)) to.source_ports = ports();
    if (once_in(14)) to.destination_ports = ports();
    if (once_in(14)) to.sources = prefixes(random_);
    if (once_in(14)) to.destinations = prefixes(random_);
    if (once_in(20)) to.version = random_.pick({4, 6});
    if (once_in(20))
      to.vlans = random_.pick<std::vector<NumberRange>>({{{0, 0}}, {{1, no_highest}}, {{1, 1}, {4095, 4095}}});
    if (once_in(14)) to.lengths = random_.pick<std::vector<NumberRange>>({{{0, 100}}, {{60, no_highest}}, {{40, 40}}});
    if (once_in(10))
      to.payload_lengths =
          random_.pick<std::vector<NumberRange>>({{{0, 0}}, {{1, no_highest}}, {{10, 500}}, {{1, 2}, {40, 80}}});
    if (once_in(14)) to.flags = random_.pick<const char*>({"S", "A", "FA", "R", "SA"});
    if (once_in(14)) to.not_flags = random_.pick<const char*>({"S", "P", "R", "A", "CE"});
    if (once_in(8)) to.way = static_cast<Side>(random_.below(2));
    if (once_in(8))
      to.nth =
          random_.pick<std::vector<NumberRange>>({{{1, 1}}, {{1, 3}}, {{5, no_highest}}, {{2, 2}, {4, 4}}, {{1, 40}}});
  }

  Random random_;
  std::vector<int> ids_;  // in the order in which packets may go through them
};

std::string text_of(const std::vector<uint8_t>& bytes) { return {bytes.begin(), bytes.end()}; }

// A ClientHello that asks for this name, in records of so many bytes.
std::string client_hello(const std::string& name, size_t in_record) {
  std::vector<uint8_t> list;
  put(list, 10, 2), put(list, 4, 2), put(list, 0x00020017, 4);  // groups
  put(list, 0, 2), put(list, name.size() + 5, 2);
  put(list, name.size() + 3, 2), put(list, 0, 1), put(list, name.size(), 2);
  list.insert(list.end(), name.begin(), name.end());
  std::vector<uint8_t> body;
  put(body, 0x0303, 2);
  body.resize(34, 'r');
  put(body, 0, 1), put(body, 2, 2), put(body, 0x1301, 2), put(body, 1, 1), put(body, 0, 1);
  put(body, list.size(), 2);
  put(body, list);
  std::vector<uint8_t> hello, records;
  put(hello, 1, 1), put(hello, body.size(), 3);
  put(hello, body);
  for (size_t at = 0; at < hello.size(); at += in_record) {
    const size_t size = std::min(in_record, hello.size() - at);
    put(records, 0x160301, 3), put(records, size, 2);
    records.insert(records.end(), hello.begin() + static_cast<std::ptrdiff_t>(at),
                   hello.begin() + static_cast<std::ptrdiff_t>(at + size));
  }
  return text_of(records);
}

std::string dns_question(const std::vector<std::string>& names) {
  std::vector<uint8_t> message;
  put(message, 0x12340100, 4), put(message, 1, 2), put(message, 0, 6);
  for (const std::string& name : names) {
    put(message, name.size(), 1);
    message.insert(message.end(), name.begin(), name.end());
  }
  put(message, 0, 1), put(message, 0x00010001, 4);
  return text_of(message);
}

}  // namespace

PolicyDraft random_policy(uint64_t seed) { return Maker(seed).make(); }

std::vector<std::string> policy_words() {
  return {"the ",
          "GET ",
          "com",
          "org ",
          "aaab",
          "e12e ",
          "\r\n\r\n",
          "12:34:56",
          "<script ",
          "\x16\x03\x01",
          std::string("\0\1", 2),
          "union  select ",
          "x",
          "Server: s\r\n",
          ".html",
          "HTTP/1.1\r\n",
          "0000",
          "Host: q.org\r\n",
          "\n",
          "zz y",
          "#%&()+-",
          "efface"};
}

std::vector<std::string> policy_heads() {
  return {"GET /index.html HTTP/1.1\r\nHost: www.example.com\r\n\r\n",
          "POST /a HTTP/1.0\r\nUser-Agent: x\r\nhOST:  b.example:80 \r\nHost: c\r\n\r\n",
          "GET / HTTP/1.1\r\nHost:\r\n\r\n",
          "HTTP/1.1 200 OK\r\nServer: s\r\n\r\n",
          "SSH-2.0-OpenSSH_9.2\r\n",
          "220 ready\r\n",
          client_hello("tls.example.org", 1000),
          client_hello("a,\"\\ \xff", 20),
          client_hello(std::string(300, 'n') + ".org", 400),
          dns_question({"www", "example", "net"}),
          dns_question({"a b", std::string(63, 'l')}),
          "",
          "the "};
}

}  // namespace reference
