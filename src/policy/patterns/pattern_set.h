// Many patterns as one automaton (Hyperscan, on other CPUs Vectorscan), which looks for all of them at once.
//
// A set is of payloads (block), each of which is searched as a whole, or of streams, which are searched piece by piece,
// with a PatternStream that keeps where the automaton stands. A match is told by the place of its pattern in the set
// and the offset where it ends; where it began is not known. `.` stands for any byte.
//
// A stream whose beginning was not seen is searched with the same patterns without their `^`: there is a second
// automaton for that where a pattern has one.
//
// Threads: a set may be used by any number at once, each with a PatternScratch of its own; one thread at a time uses a
// PatternStream. Errors: PatternError of what cannot be compiled; std::bad_alloc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "policy/patterns/pattern_syntax.h"

struct hs_database;
struct hs_scratch;
struct hs_stream;

namespace warpmeter::inline policy {

// Where a text begins: with the stream, or somewhere inside of it.
enum class TextStart : std::uint8_t { stream, inside };

class PatternSet {
 public:
  // Of a stream, a pattern is refused as well if what follows it decides whether it matches, as `\b` at its end.
  PatternSet(const std::vector<std::string>& patterns, PatternMode mode);

  PatternMode mode() const { return mode_; }
  std::size_t size() const { return size_; }                      // patterns
  std::size_t database_bytes() const { return database_bytes_; }  // of both automata
  // That a PatternStream takes, if it begins with its stream or not.
  std::size_t stream_bytes(TextStart start) const { return stream_bytes_[static_cast<std::size_t>(start)]; }

 private:
  friend class PatternScratch;
  friend class PatternStream;
  friend class PatternSearch;

  struct Free {
    void operator()(hs_database* database) const;
  };
  using Database = std::unique_ptr<hs_database, Free>;

  void compile(const std::vector<std::string>& patterns, const std::vector<unsigned>& places, Database& database);
  void measure();
  const hs_database* database(TextStart start) const;  // null: nothing can match

  PatternMode mode_;
  std::size_t size_, database_bytes_ = 0;
  bool same_inside_ = true;
  std::size_t stream_bytes_[2] = {0, 0};
  Database database_, inside_;
};

// What a thread needs to search. It grows to what the largest of its sets needs.
class PatternScratch {
 public:
  PatternScratch() = default;
  // Before the first search with a set.
  void prepare(const PatternSet& set);

 private:
  friend class PatternSearch;
  struct Free {
    void operator()(hs_scratch* scratch) const;
  };
  std::unique_ptr<hs_scratch, Free> scratch_;
};

// Where the automaton stands in one stream. It may move, and goes before its set does.
class PatternStream {
 public:
  PatternStream(const PatternSet& set, TextStart start);
  // A new text, of the same set.
  void restart(const PatternSet& set, TextStart start);

 private:
  friend class PatternSearch;
  struct Close {
    void operator()(hs_stream* stream) const;
  };
  void open(const hs_database* database);

  TextStart start_;
  std::unique_ptr<hs_stream, Close> stream_;  // null: nothing can match
};

// Searches. `found(place, end)` must not throw; `end` counts from where the text began.
class PatternSearch {
 public:
  explicit PatternSearch(PatternScratch& scratch) : scratch_(scratch) {}

  // Of a payload each pattern is told once. `found` gives whether to go on.
  template <class Found>
  void block(const PatternSet& set, std::span<const std::uint8_t> payload, Found&& found) {
    using Function = std::remove_reference_t<Found>;
    search_block(
        set, payload,
        [](unsigned place, std::uint64_t end, void* f) { return (*static_cast<Function*>(f))(place, end); },
        const_cast<void*>(static_cast<const void*>(&found)));
  }

  // The next bytes of a stream: each match that ends in them.
  template <class Found>
  void stream(PatternStream& stream, std::span<const std::uint8_t> bytes, Found&& found) {
    using Function = std::remove_reference_t<Found>;
    search_stream(
        stream, bytes,
        [](unsigned place, std::uint64_t end, void* f) { return (*static_cast<Function*>(f))(place, end), true; },
        const_cast<void*>(static_cast<const void*>(&found)));
  }

 private:
  using Tell = bool (*)(unsigned place, std::uint64_t end, void* found);
  void search_block(const PatternSet& set, std::span<const std::uint8_t> payload, Tell tell, void* found);
  void search_stream(PatternStream& stream, std::span<const std::uint8_t> bytes, Tell tell, void* found);

  PatternScratch& scratch_;
};

}  // namespace warpmeter::inline policy
