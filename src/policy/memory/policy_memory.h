// The policy memory: groups of rules, the graph between them, and the initial table that says where a packet begins. A
// packet meets one group a round, and each group says by match or mismatch which comes next, until it leaves (OUT) or
// is dropped.
//
// The graph has no cycle, and no path from the initial table is longer than max_rounds: check() refuses all else, so
// every packet ends, and groups can be run in topological order. Group ids stand for groups everywhere here; names are
// resolved when a file is loaded.
//
// Source: "Mobius: packet re-processing for rich policy handling on a network processor", J. Netw. Syst. Manag. 2021:
// policy memory, initial table, setInit and setMemory; docs/policies.md.
//
// Threads: one changes it while nobody reads; any number read. Errors: PolicyError.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "policy/fields/field_kind.h"

namespace warpmeter::inline policy {

// A policy that cannot be used. what(): where and why, without the name of the file.
class PolicyError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// 1 to 65535, or one of these two ends.
using GroupId = std::uint32_t;
inline constexpr GroupId kOut = 0;
inline constexpr GroupId kDrop = 65536;
inline bool is_end(GroupId id) { return id == kOut || id == kDrop; }
std::string group_word(GroupId id);  // "OUT", "DROP" or the number

// Both ends belong to it.
struct ValueRange {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  bool operator==(const ValueRange&) const = default;
};

struct AddressPrefix {
  std::uint8_t version = 4;
  std::uint8_t length = 0;                    // bits
  std::array<std::uint8_t, 16> address = {};  // of IPv4 the first 4
  bool operator==(const AddressPrefix&) const = default;
};

enum class Way : std::uint8_t { any, client, server };

// Of the header and the place of a packet. All that are given hold together; of a list one element suffices, so an
// empty list, where one is given, never holds; but an empty list of protocols is none given.
struct Conditions {
  template <class T>
  using Given = std::optional<std::vector<T>>;

  std::optional<std::int64_t> version;
  Given<std::uint8_t> protocol;
  Given<AddressPrefix> source, destination;
  Given<ValueRange> source_port, destination_port, port;  // port: either of them
  Given<ValueRange> vlan, length, payload_length, nth;
  std::uint8_t flags = 0, not_flags = 0;  // all of these set, none of these
  bool has_flags = false;                 // flags or not_flags are given, be they empty: it holds for TCP alone
  Way way = Way::any;

  bool operator==(const Conditions&) const = default;
};

struct RuleField {
  std::string column;  // its name in the output
  FieldKind kind;
  bool operator==(const RuleField&) const = default;
};

enum class LabelScope : std::uint8_t { connection, flow };

struct Rule {
  std::string name;  // as given, or where it stands
  Conditions conditions;
  std::vector<std::string> labels_all, labels_none;  // label_is, label_is_not
  std::vector<std::string> payload, stream;          // patterns, as bytes; none: no condition
  std::uint64_t after = 1;
  std::vector<std::string> labels;
  LabelScope scope = LabelScope::connection;
  std::vector<RuleField> fields;
  std::optional<GroupId> next;
  bool final = false;

  bool operator==(const Rule&) const = default;
};

enum class GroupMode : std::uint8_t { first, all };

struct Group {
  GroupId id = 0;
  std::string name;  // the id, where none is given
  GroupMode mode = GroupMode::first;
  std::vector<Rule> rules;
  GroupId match = kOut, mismatch = kOut;

  std::vector<GroupId> followers() const;  // match, mismatch, and next of its rules
  bool operator==(const Group&) const = default;
};

struct InitRule {
  Conditions conditions;
  GroupId to = kOut;
  bool operator==(const InitRule&) const = default;
};

// In place of a file: the policy that the program has with it, data/policies/stock.toml.
inline constexpr std::string_view kStockPolicyWord = "stock";

class PolicyMemory {
 public:
  // From the text of a policy file (TOML), checked. Throws PolicyError.
  static PolicyMemory load(std::string_view text);
  // From the file, or kStockPolicyWord; errors of reading it are an Error, those of its content a PolicyError.
  static PolicyMemory load_file(const std::string& path);
  // The same of a regular file alone: of anything else, as a named pipe, nobody knows whether it is to be waited for.
  static PolicyMemory load_regular_file(const std::string& path);

  // setInit: packets of these conditions begin with this group; goes before the rules there are. All or nothing.
  void set_init(InitRule rule);
  // `rule`: TOML, one [[init.rule]] as files have it.
  void set_init(std::string_view rule);
  // setMemory: a group takes the place of the one of its id, or is added. All or nothing.
  void set_memory(Group group);
  // `group`: TOML, one [[group]] as files have it; it may name groups there are. Which it was.
  GroupId set_memory(std::string_view group);

  const std::map<GroupId, Group>& groups() const { return groups_; }
  const std::vector<InitRule>& init() const { return init_; }
  GroupId init_default() const { return default_; }
  unsigned max_rounds() const { return max_rounds_; }

  // Groups, each before those that may follow it.
  std::vector<GroupId> order() const;
  // Rounds of the longest path from each group, the group counted.
  std::map<GroupId, unsigned> longest() const;
  unsigned longest_path() const;  // from the initial table
  // Those that no packet comes to.
  std::vector<GroupId> unreachable() const;
  // Columns of fields of all rules, each once, by name.
  std::vector<std::string> field_columns() const;
  // Of the text that it was loaded from: lines for its author, of what is right and hardly meant so.
  const std::vector<std::string>& remarks() const { return remarks_; }

 private:
  void check() const;

  std::map<GroupId, Group> groups_;
  std::vector<InitRule> init_;
  GroupId default_ = kOut;
  unsigned max_rounds_ = 16;
  std::vector<std::string> remarks_;
};

// Groups that the same packets pass, one behind the other, whatever matches in them: their patterns can be looked for
// at once, since each would be given the same bytes.
//
// Returns all groups, in the order in which they run; of each chain its groups, of another group itself alone. A chain
// goes on where match, mismatch and all `next` lead to one group, and nothing else leads there: no other group that
// packets come to, and not the initial table. It ends before it has more than 18 patterns that begin with the payload,
// of which the library makes one automaton, whose states multiply: 36 took half a second, in three chains a sixth.
std::vector<std::vector<GroupId>> merged_groups(const PolicyMemory& memory);

}  // namespace warpmeter::inline policy
