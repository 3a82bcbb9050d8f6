#include "policy/patterns/pattern_set.h"

#include <hs/hs.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <new>
#include <utility>

namespace warpmeter::inline policy {
namespace {

constexpr std::string_view kNeverMatches = "Pattern can never match.";

struct FreeError {
  void operator()(hs_compile_error_t* error) const { hs_free_compile_error(error); }
};
using CompileError = std::unique_ptr<hs_compile_error_t, FreeError>;

std::string words_of(const CompileError& error) {
  std::string words = error && error->message ? error->message : "it cannot be compiled";
  if (words.ends_with('.')) words.pop_back();
  return words;
}

// Throws where the library has failed; `status` is none of what callers wait for.
void demand(hs_error_t status) {
  if (status == HS_SUCCESS) return;
  if (status == HS_NOMEM) throw std::bad_alloc();
  if (status == HS_ARCH_ERROR) throw PatternError("patterns need a CPU with SSSE3");
  throw PatternError("the search for patterns failed: " + std::to_string(status));
}

unsigned flags_of(PatternMode mode) {
  return HS_FLAG_DOTALL | (mode == PatternMode::block ? static_cast<unsigned>(HS_FLAG_SINGLEMATCH) : 0);
}

// Of a stream the library looks only at every fourth byte if all literals of its patterns are long. With many patterns
// that costs more than it saves: text resembles too many of them there (400 patterns took three times as long). One
// literal of three bytes makes it look more often. Its match is found once in a stream, and nobody learns of it.
constexpr std::size_t kManyPatterns = 128;
constexpr const char* kShortLiteral = "\\xfe\\xf1\\xc0";
constexpr unsigned kNobodys = std::numeric_limits<unsigned>::max();

struct Look {
  bool never_matches = false;
  bool empty = false;    // may match no bytes
  bool unknown = false;  // what follows a match decides whether it is one
};

// Throws PatternError.
Look look_at(const std::string& pattern, PatternMode mode) {
  hs_expr_info_t* info = nullptr;
  hs_compile_error_t* failed = nullptr;
  const hs_error_t status = hs_expression_info(pattern.c_str(), flags_of(mode), &info, &failed);
  const CompileError error(failed);
  if (status == HS_COMPILER_ERROR) {
    if (error && error->message == kNeverMatches) return {true};
    throw PatternError(words_of(error));
  }
  demand(status);
  const Look look{false, info->min_width == 0, info->unordered_matches != 0 || info->matches_at_eod != 0};
  std::free(info);
  return look;
}

PatternSyntax checked(const std::string& pattern, PatternMode mode) {
  if (pattern.empty()) throw PatternError("matches the empty string");
  if (pattern.find('\0') != pattern.npos) throw PatternError("a byte of 0 is written as \\x00");
  PatternSyntax syntax = read_pattern(pattern, mode);
  const Look look = look_at(pattern, mode);
  if (look.never_matches) throw PatternError("it can never match");
  if (look.empty) throw PatternError("matches the empty string");
  if (mode == PatternMode::stream && look.unknown) {
    throw PatternError("what follows decides whether it matches, which a stream does not know yet");
  }
  if (syntax.anchored && !syntax.never_inside) syntax.never_inside = look_at(syntax.inside, mode).never_matches;
  return syntax;
}

struct Told {
  bool (*tell)(unsigned, std::uint64_t, void*);
  void* found;
};

int on_match(unsigned id, unsigned long long, unsigned long long end, unsigned, void* context) {
  if (id == kNobodys) return 0;
  const Told& told = *static_cast<Told*>(context);
  return told.tell(id, end, told.found) ? 0 : 1;
}

}  // namespace

void PatternSet::Free::operator()(hs_database* database) const { hs_free_database(database); }
void PatternScratch::Free::operator()(hs_scratch* scratch) const { hs_free_scratch(scratch); }
void PatternStream::Close::operator()(hs_stream* stream) const { hs_close_stream(stream, nullptr, nullptr, nullptr); }

PatternSet::PatternSet(const std::vector<std::string>& patterns, PatternMode mode)
    : mode_(mode), size_(patterns.size()) {
  std::vector<std::string> inside;
  std::vector<unsigned> places, places_inside;
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    try {
      PatternSyntax syntax = checked(patterns[i], mode);
      places.push_back(static_cast<unsigned>(i));
      same_inside_ = same_inside_ && !syntax.anchored;
      if (syntax.never_inside) continue;
      inside.push_back(std::move(syntax.inside));
      places_inside.push_back(static_cast<unsigned>(i));
    } catch (const PatternError& error) {
      throw PatternError(error.what(), i);
    }
  }
  compile(patterns, places, database_);
  if (!same_inside_) compile(inside, places_inside, inside_);
  measure();
}

void PatternSet::compile(const std::vector<std::string>& patterns, const std::vector<unsigned>& places,
                         Database& database) {
  if (patterns.empty()) return;
  std::vector<const char*> texts;
  for (const std::string& pattern : patterns) texts.push_back(pattern.c_str());
  std::vector<unsigned> flags(patterns.size(), flags_of(mode_)), ids = places;
  if (mode_ == PatternMode::stream && patterns.size() >= kManyPatterns) {
    texts.push_back(kShortLiteral);
    flags.push_back(flags_of(mode_) | HS_FLAG_SINGLEMATCH);
    ids.push_back(kNobodys);
  }
  hs_database_t* made = nullptr;
  hs_compile_error_t* failed = nullptr;
  const unsigned mode = mode_ == PatternMode::block ? HS_MODE_BLOCK : HS_MODE_STREAM;
  const hs_error_t status = hs_compile_multi(texts.data(), flags.data(), ids.data(),
                                             static_cast<unsigned>(texts.size()), mode, nullptr, &made, &failed);
  const CompileError error(failed);
  if (status == HS_COMPILER_ERROR) {
    // Of what is too large it says not which: perhaps one is too large by itself.
    for (std::size_t i = 0; i < patterns.size() && patterns.size() > 1; ++i) {
      Database alone;
      compile({patterns[i]}, {places[i]}, alone);
    }
    throw PatternError(words_of(error), patterns.size() == 1 ? places.front() : PatternError::kNoPlace);
  }
  demand(status);
  database.reset(made);
}

void PatternSet::measure() {
  for (const Database* each : {&database_, &inside_}) {
    if (!*each) continue;
    std::size_t bytes = 0;
    demand(hs_database_size(each->get(), &bytes));
    database_bytes_ += bytes;
  }
  if (mode_ == PatternMode::block) return;
  for (const TextStart start : {TextStart::stream, TextStart::inside}) {
    if (const hs_database* automaton = database(start)) {
      demand(hs_stream_size(automaton, &stream_bytes_[static_cast<std::size_t>(start)]));
    }
  }
}

const hs_database* PatternSet::database(TextStart start) const {
  return start == TextStart::stream || same_inside_ ? database_.get() : inside_.get();
}

void PatternScratch::prepare(const PatternSet& set) {
  for (const hs_database* each : {set.database_.get(), set.inside_.get()}) {
    if (!each) continue;
    hs_scratch_t* grown = scratch_.release();  // it is another one afterwards, also where it fails
    const hs_error_t status = hs_alloc_scratch(each, &grown);
    scratch_.reset(grown);
    demand(status);
  }
}

PatternStream::PatternStream(const PatternSet& set, TextStart start) : start_(start) { open(set.database(start)); }

void PatternStream::open(const hs_database* database) {
  hs_stream_t* opened = nullptr;
  if (database) demand(hs_open_stream(database, 0, &opened));
  stream_.reset(opened);
}

void PatternStream::restart(const PatternSet& set, TextStart start) {
  const bool same = set.database(start) == set.database(start_);
  start_ = start;
  if (!same) open(set.database(start));
  else if (stream_) demand(hs_reset_stream(stream_.get(), 0, nullptr, nullptr, nullptr));
}

void PatternSearch::search_block(const PatternSet& set, std::span<const std::uint8_t> payload, Tell tell, void* found) {
  const hs_database* const automaton = set.database(TextStart::stream);
  if (!automaton || payload.empty()) return;
  Told told{tell, found};
  const hs_error_t status = hs_scan(automaton, reinterpret_cast<const char*>(payload.data()),
                                    static_cast<unsigned>(payload.size()), 0, scratch_.scratch_.get(), on_match, &told);
  if (status != HS_SCAN_TERMINATED) demand(status);
}

void PatternSearch::search_stream(PatternStream& stream, std::span<const std::uint8_t> bytes, Tell tell, void* found) {
  constexpr std::size_t kMostAtOnce = std::size_t{1} << 30;  // the library counts with 32 bits
  if (!stream.stream_) return;
  Told told{tell, found};
  while (!bytes.empty()) {
    const std::span<const std::uint8_t> part = bytes.first(std::min(bytes.size(), kMostAtOnce));
    demand(hs_scan_stream(stream.stream_.get(), reinterpret_cast<const char*>(part.data()),
                          static_cast<unsigned>(part.size()), 0, scratch_.scratch_.get(), on_match, &told));
    bytes = bytes.subspan(part.size());
  }
}

}  // namespace warpmeter::inline policy
