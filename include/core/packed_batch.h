// A PackedBatch: what a device is given of a batch of frames, in memory that it copies from fast.
//
// Such memory is slow to get, and while some is got a GPU and its host stand still. So a batch has it from the
// beginning, for all that a device takes at once: a section. What comes beyond that, which is seldom anything, makes
// more sections, in ordinary memory.
//
// In a section words lie before the segments, the first ones last. So both together are one stretch of memory, which is
// copied at once, and no room between them.
//
// Threads: written by one decode task, then read by any number.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "core/packed_segment.h"

namespace warpmeter {

// Words in the memory of a resource that are not written before somebody does. The resource outlives them.
class UnwrittenWords {
 public:
  UnwrittenWords(std::size_t count, std::pmr::memory_resource& memory)
      : count_(count),
        memory_(&memory),
        data_(static_cast<std::uint64_t*>(memory.allocate(count * sizeof(std::uint64_t), alignof(std::uint64_t)))) {}
  UnwrittenWords(UnwrittenWords&& other) noexcept
      : count_(other.count_), memory_(other.memory_), data_(std::exchange(other.data_, nullptr)) {}
  UnwrittenWords(const UnwrittenWords&) = delete;
  UnwrittenWords& operator=(const UnwrittenWords&) = delete;
  ~UnwrittenWords() {
    if (data_) memory_->deallocate(data_, count_ * sizeof(std::uint64_t), alignof(std::uint64_t));
  }

  std::uint64_t* data() const { return data_; }

 private:
  std::size_t count_;
  std::pmr::memory_resource* memory_;
  std::uint64_t* data_;
};

// Neighbouring segments of a batch, as columns that somebody else owns.
struct SegmentSpan {
  std::uint64_t first_number;  // packet number of frame 0 of the batch
  std::uint32_t count;
  const PackedSegment* segment;
  const std::uint64_t* words;  // behind those of the segments that have some
  std::uint64_t word_count;

  bool words_are_before_segments() const { return static_cast<const void*>(words) == segment; }

  KeyedSegment at(std::uint32_t i) const { return unpack(segment[i], words); }
  std::uint64_t number(std::uint32_t i) const { return first_number + frame_of(segment[i], words); }
};

class PackedBatch {
 public:
  // A span lies within one section, of at most so many segments: what they have elsewhere lies together. `memory` must
  // outlive the batch.
  PackedBatch(std::uint32_t section, std::pmr::memory_resource& memory) : section_(section), memory_(&memory) {
    sections_.emplace_back(section, memory);
  }
  // Room would not be copied.
  PackedBatch(const PackedBatch&) = delete;
  PackedBatch& operator=(const PackedBatch&) = delete;
  PackedBatch(PackedBatch&&) noexcept = default;

  // Starts over for frames numbered from `first`.
  void reset(std::uint64_t first) {
    first_number = first;
    frames = 0;
    count = 0;
    latest_ = 0;
    sections_.front().begin_at(0);
  }

  // There is always room. But where more than a section comes at once, as of segment files, more of that size will
  // follow, and it pays that their sections lie in fast memory, too.
  void make_room(std::size_t more) {
    if (more > section_) fast_sections_ = std::max(fast_sections_, (count + more + section_ - 1) / section_);
  }

  void push(const KeyedSegment& segment) {
    const PackedForm form = form_of(segment);
    if (!sections_[latest_].takes(words_of(form))) begin_section();
    Section& to = sections_[latest_];
    to.push(segment, form);
    ++count;
  }

  // REQUIRES: end <= span_end(begin).
  SegmentSpan span(std::uint32_t begin, std::uint32_t end) const {
    const Section& of = section_with(begin);
    const std::uint64_t words = begin == end ? 0 : of.words;
    return {first_number, end - begin, of.segment_begin() + (begin - of.begin), of.words_end(), words};
  }
  // How far a span that begins there can go.
  std::uint32_t span_end(std::uint32_t begin) const {
    const Section& of = section_with(begin);
    return of.begin + of.segments;
  }

  std::uint64_t first_number = 0;  // packet number of frame 0
  std::uint32_t frames = 0;        // that were decoded, to segments or not
  std::uint32_t count = 0;         // segments

 private:
  // Has room for all that it takes.
  struct Section {
    Section(std::uint32_t most, std::pmr::memory_resource& memory)
        : most_segments(most),
          most_words(std::max(std::uint64_t{most} * words_of(PackedForm::ip6), std::uint64_t{kMostPackedWords})),
          room(most_words + std::size_t{most} * (sizeof(PackedSegment) / sizeof(std::uint64_t)), memory) {}
    void begin_at(std::uint32_t at) {
      begin = at;
      segments = 0;
      words = 0;
    }
    bool takes(unsigned more_words) const { return segments < most_segments && most_words - words >= more_words; }
    // REQUIRES: takes(words_of(form)).
    void push(const KeyedSegment& segment, PackedForm form) {
      words += words_of(form);
      const auto place = -static_cast<std::int64_t>(words);
      for (unsigned i = 0; i < words_of(form); ++i) words_end()[place + i] = packed_word(segment, i);
      new (segment_begin() + segments++) PackedSegment(pack(segment, form, place));
    }

    std::uint64_t* words_end() const { return room.data() + most_words; }
    PackedSegment* segment_begin() const { return reinterpret_cast<PackedSegment*>(words_end()); }

    std::uint32_t most_segments;
    std::uint64_t most_words;
    std::uint32_t begin = 0;  // its first segment
    std::uint32_t segments = 0;
    std::uint64_t words = 0;
    UnwrittenWords room;
  };

  void begin_section() {
    if (latest_ + 1 == sections_.size()) {
      const bool fast = sections_.size() < fast_sections_;
      sections_.emplace_back(section_, fast ? *memory_ : *std::pmr::new_delete_resource());
    }
    sections_[++latest_].begin_at(count);
  }

  const Section& section_with(std::uint32_t at) const {
    std::size_t section = latest_;
    while (sections_[section].begin > at) --section;
    return sections_[section];
  }

  std::uint32_t section_;
  std::pmr::memory_resource* memory_;
  std::size_t fast_sections_ = 1;  // the first of all that there may be
  std::vector<Section> sections_;  // those behind the latest are of an earlier use
  std::size_t latest_ = 0;
};

// Appends segments to one batch, or to several that share them by their shards.
class PackedAppender {
 public:
  explicit PackedAppender(std::span<PackedBatch> batches) : batches_(batches) {}

  void push(const KeyedSegment& segment) {
    const bool alone = batches_.size() == 1;
    batches_[alone ? 0 : share_of(shard_of(segment.key), batches_.size())].push(segment);
  }

 private:
  const std::span<PackedBatch> batches_;
};

}  // namespace warpmeter
