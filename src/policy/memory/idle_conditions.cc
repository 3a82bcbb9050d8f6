#include "policy/memory/policy_file.h"

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string_view>

#include "policy/memory/rule_values.h"
#include "policy/memory/toml_section.h"

namespace warpmeter::inline policy {
namespace {

constexpr std::size_t kMostTold = 20;

constexpr std::uint64_t kNoMost = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kMostOfLength = std::numeric_limits<std::uint32_t>::max();  // a packet that no card has cut yet

// A number that packets have, from `least` to `most`; no header tells more than `most_told`.
struct Numbers {
  std::string_view key;
  std::uint64_t least, most, most_told;
};
constexpr std::array<Numbers, 7> kNumbers = {{{"src_port", 0, 65535, 65535},
                                              {"dst_port", 0, 65535, 65535},
                                              {"port", 0, 65535, 65535},
                                              {"vlan", 0, 4095, 4095},
                                              {"length", 20, kMostOfLength, 65575},
                                              {"payload_length", 0, kMostOfLength, 65535},
                                              {"nth", 1, kNoMost, kNoMost}}};

std::string text_of(const toml::node& node) {
  return node.is_integer() ? std::to_string(node.ref<std::int64_t>()) : in_quotes(node.ref<std::string>());
}

std::string words_of(const Numbers& numbers) {
  const std::string least = std::to_string(numbers.least);
  return numbers.most == kNoMost ? least + " is the least" : "it is " + least + " to " + std::to_string(numbers.most);
}

// What is wrong with a range, behind its value; empty: nothing.
std::string remark_on(const ValueRange& range, const Numbers& numbers) {
  if (range.high < numbers.least || range.low > numbers.most) return " never holds: " + words_of(numbers);
  if (range.low <= numbers.least && range.high >= numbers.most) return " always holds";
  if (range.low <= numbers.most_told) return {};
  return " holds only for packets that a card cuts later: no IP header tells more than " +
         std::to_string(numbers.most_told);
}

class Finder {
 public:
  explicit Finder(const TomlSection& file) : file_(file) {}

  std::vector<std::string> find() {
    each_group([this](const TomlSection& group) { note_labels(group); });
    each_group([this](const TomlSection& group) {
      group.tables("rule", [&](const toml::table& table, std::size_t number) {
        const TomlSection rule(table, rule_place(group.place(), number));
        look_at_conditions(rule);
        for (const char* const key : {"payload", "stream", "label_is", "label_is_not"}) look_at_list(rule, key);
        look_at_labels(rule, group.place());
      });
    });
    look_at_init();
    if (more_ > 0) told_.push_back("and " + std::to_string(more_) + " more conditions that never or always hold");
    return std::move(told_);
  }

 private:
  template <class Take>
  void each_group(const Take& take) const {
    file_.tables("group", [&](const toml::table& table, std::size_t) {
      take(TomlSection(table, "group " + std::to_string(table["id"].value_or(std::int64_t{0}))));
    });
  }

  void tell(const TomlSection& rule, const std::string& what, const toml::node& at) {
    if (told_.size() < kMostTold) told_.push_back(rule.place() + ": " + what + line_words(at.source()));
    else ++more_;
  }

  // As the keys of the file say what an empty list means.
  void look_at_list(const TomlSection& rule, std::string_view key, bool none_holds = false) {
    const toml::node* const node = rule.find(key);
    if (!node || !node->is_array() || !node->as_array()->empty()) return;
    tell(rule, std::string(key) + (none_holds ? ": an empty list never holds" : ": an empty list is no condition"),
         *node);
  }

  void look_at_conditions(const TomlSection& rule) {
    look_at_list(rule, "protocol");
    for (const char* const key : {"src", "dst"}) look_at_list(rule, key, true);
    for (const Numbers& numbers : kNumbers) {
      look_at_list(rule, numbers.key, true);
      rule.each(numbers.key, [&](const toml::node& node) {
        const std::string remark = remark_on(range_of(node), numbers);
        if (!remark.empty()) tell(rule, std::string(numbers.key) + ' ' + text_of(node) + remark, node);
      });
    }
    look_at_flags(rule);
  }

  void look_at_flags(const TomlSection& rule) {
    const toml::node *const set = rule.find("flags"), *const unset = rule.find("not_flags");
    if (!set && !unset) return;
    const toml::node& one = set ? *set : *unset;
    if (set && unset && (parse_flags(set->ref<std::string>()) & parse_flags(unset->ref<std::string>())) != 0) {
      tell(rule, "flags and not_flags: they never hold together", one);
    }
    bool any = false, tcp = false;
    rule.each("protocol", [&](const toml::node& node) {
      any = true;
      tcp = tcp || (node.is_integer() ? node.ref<std::int64_t>() == kTcp : node.ref<std::string>() == "tcp");
    });
    if (any && !tcp)
      tell(rule, std::string(set ? "flags" : "not_flags") + " never holds: the protocol is not tcp", one);
  }

  // Of labels, who sets them.
  void note_labels(const TomlSection& group) {
    group.tables("rule", [&](const toml::table& table, std::size_t) {
      TomlSection(table, {}).each("label", [&](const toml::node& label) {
        const auto [known, is_new] = setters_.try_emplace(label.ref<std::string>(), group.place());
        if (!is_new && known->second != group.place()) known->second.reset();
      });
    });
  }

  bool is_set_elsewhere(const std::string& label, const std::string& group) const {
    const auto setter = setters_.find(label);
    return setter != setters_.end() && setter->second != group;
  }

  void look_at_labels(const TomlSection& rule, const std::string& group) {
    for (const char* const key : {"label_is", "label_is_not"}) {
      const char* const holds = std::string_view(key) == "label_is" ? " never holds" : " always holds";
      rule.each(key, [&](const toml::node& label) {
        if (is_set_elsewhere(label.ref<std::string>(), group)) return;
        tell(rule, key + (' ' + label.ref<std::string>()) + holds + ": no other group sets that label", label);
      });
    }
  }

  void look_at_init() {
    const toml::node* const node = file_.find("init");
    if (!node) return;
    const TomlSection init(*node->as_table(), "init");
    init.tables("rule", [&](const toml::table& table, std::size_t number) {
      look_at_conditions({table, rule_place("init", number)});
    });
  }

  static constexpr std::int64_t kTcp = 6;

  const TomlSection& file_;
  std::map<std::string, std::optional<std::string>, std::less<>> setters_;  // the group; nothing: several
  std::vector<std::string> told_;
  std::size_t more_ = 0;
};

}  // namespace

std::vector<std::string> idle_conditions(const TomlSection& file) { return Finder(file).find(); }

}  // namespace warpmeter::inline policy
