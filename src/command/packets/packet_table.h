// The table of packets: a row a packet, with its verdict, as CSV, JSON lines, Parquet or an Arrow file, or for a
// program that takes rows.
//
// Threads: sections by any, each by one at a time; the rest by one at a time.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/output_file.h"
#include "core/segment.h"
#include "core/verdict.h"
#include "record/arrow/arrow_export.h"
#include "record/parquet/parquet_files.h"
#include "warpmeter/arrow_c_data.h"
#include "warpmeter/flow_key.h"
#include "warpmeter/status.h"

namespace warpmeter::inline command {

enum class PacketVerdict : std::uint8_t {
  fresh,  // a TCP segment of which nothing else is to be said, with payload or without
  retransmitted,
  duplicate,
  out_of_order,
  keep_alive,
  stray,
  no_segment,  // of another protocol than TCP, or its TCP header is cut short or malformed
};

inline constexpr std::array<std::string_view, 7> kVerdictWords = {
    "new", "retransmitted", "duplicate", "out_of_order", "keep_alive", "stray", "no_segment"};

inline std::string_view word_of(PacketVerdict verdict) { return kVerdictWords[static_cast<std::size_t>(verdict)]; }

// As count_kind() counts (core/apply.h): bytes seen before go before all but a keep-alive. `has_strays`: Flow Records
// count them, which those of method five-tuple do not.
inline PacketVerdict packet_verdict(const Verdict& verdict, bool has_strays = true) {
  using Kind = Verdict::Kind;
  switch (verdict.kind) {
    case Kind::no_numbers: return PacketVerdict::no_segment;
    case Kind::duplicate: return PacketVerdict::duplicate;
    case Kind::keep_alive: return PacketVerdict::keep_alive;
    default: break;
  }
  if (verdict.seen_before > 0) return PacketVerdict::retransmitted;
  if (verdict.kind == Kind::out_of_order) return PacketVerdict::out_of_order;
  return verdict.kind == Kind::stray && has_strays ? PacketVerdict::stray : PacketVerdict::fresh;
}

// Some of them.
class VerdictSet {
 public:
  static VerdictSet all() { return VerdictSet((1u << kVerdictWords.size()) - 1); }
  // Words with commas between them. Throws Error (usage).
  static VerdictSet named(const std::string& words) {
    unsigned bits = 0;
    for (std::size_t at = 0; at <= words.size();) {
      const std::size_t end = std::min(words.find(',', at), words.size());
      const std::string_view word = std::string_view(words).substr(at, end - at);
      const auto found = std::ranges::find(kVerdictWords, word);
      if (found == kVerdictWords.end()) {
        throw Error(fmt::format("-w {}: '{}' is no verdict; there are {}", words, word, fmt::join(kVerdictWords, ", ")),
                    ExitStatus::usage);
      }
      bits |= 1u << (found - kVerdictWords.begin());
      at = end + 1;
    }
    return VerdictSet(bits);
  }

  bool has(PacketVerdict verdict) const { return bits_ >> static_cast<unsigned>(verdict) & 1; }
  bool has_all() const { return bits_ == all().bits_; }

 private:
  explicit VerdictSet(unsigned bits) : bits_(bits) {}
  unsigned bits_;
};

enum class TableForm : std::uint8_t { csv, json, parquet, arrow };

// A program in this process that takes rows, as Arrow arrays. Called by one thread at a time; each may throw.
struct RowsTaker {
  std::function<void(const std::vector<ArrowField>& columns)> begin;  // once, before the first rows
  std::function<void(ArrowArray& rows)> take;                         // which it takes over
};

// Rows for it, or to a file of that form, which must outlive this. Throws Error where Parquet cannot be had.
std::unique_ptr<RowsWriter> make_taken_rows(const std::vector<ArrowField>& columns, const RowsTaker& taker);
std::unique_ptr<RowsWriter> make_written_rows(const std::vector<ArrowField>& columns, TableForm form, OutputFile& file,
                                              unsigned threads);

// What is told of a packet. `number`: of its frame.
struct PacketRow {
  const FlowKey& key;
  const Segment& segment;
  const JudgedPacket& judged;
  std::uint64_t number;
  PacketVerdict verdict;
};

class PacketTable {
 public:
  // Consecutive rows, encoded as far as they can be without those before.
  class Section {
   public:
    virtual ~Section() = default;
    // REQUIRES: it is empty.
    virtual void put(std::span<const PacketRow> rows) = 0;
  };

  virtual ~PacketTable() = default;
  // From any thread. It must not outlive the table.
  virtual std::unique_ptr<Section> new_section() const = 0;

  // Once, before the first append().
  virtual void begin() {}
  // Writes the rows of a section, and leaves it empty. Sections come in the order of their rows. Throws Error.
  virtual void append(Section& section) = 0;
  // Once, last.
  virtual void end() {}
};

// `key_vlan`: the VLAN id is part of the Flow Key, and has a column. `threads` may encode. The file must outlive the
// table. Throws Error where Parquet cannot be had.
std::unique_ptr<PacketTable> make_packet_table(TableForm form, bool key_vlan, OutputFile& file, unsigned threads);
std::unique_ptr<PacketTable> make_packet_table(bool key_vlan, const RowsTaker& taker);

}  // namespace warpmeter::inline command
