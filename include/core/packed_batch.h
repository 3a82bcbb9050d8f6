// A PackedBatch: what a device is given of a batch of frames, in memory that it copies from fast.
//
// Threads: written by one decode task, then read by any number.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <vector>

#include "core/packed_segment.h"

namespace warpmeter {

// Neighbouring segments of a batch, as columns that somebody else owns.
struct SegmentSpan {
  std::uint64_t first_number;  // packet number of frame 0 of the batch
  std::uint32_t count;
  const PackedSegment* segment;
  const std::uint64_t* words;  // of the segments that have some
  std::uint64_t word_count;

  KeyedSegment at(std::uint32_t i) const { return unpack(segment[i], words); }
  std::uint64_t number(std::uint32_t i) const { return first_number + frame_of(segment[i], words); }
};

class PackedBatch {
 public:
  // A span lies within one section of so many segments: what they have elsewhere lies together. `memory` must outlive
  // the batch.
  PackedBatch(std::uint32_t section, std::pmr::memory_resource& memory)
      : section_(section), segment_(section, &memory), words_(&memory) {
    // Of a half with IPv6 addresses: memory that a device copies from fast is slow to get, and to give back.
    words_.reserve(std::size_t{section} * 2);
  }

  // Starts over for frames numbered from `first`.
  void reset(std::uint64_t first) {
    first_number = first;
    frames = 0;
    count = 0;
    words_.clear();
    begins_.clear();
    next_section_ = 0;
  }

  // Grows if it cannot take `more` segments beside those that it holds.
  void make_room(std::size_t more) {
    if (more <= segment_.size() - count) return;
    segment_.resize(std::max(count + more, segment_.size() + segment_.size() / 4));
  }

  // REQUIRES: room.
  void push(const KeyedSegment& segment) {
    if (count == next_section_) begin_section();
    const PackedForm form = form_of(segment);
    segment_[count++] = pack(segment, form, words_.size() - begins_.back());
    for (unsigned i = 0; i < words_of(form); ++i) words_.push_back(packed_word(segment, i));
  }

  // REQUIRES: end <= span_end(begin).
  SegmentSpan span(std::uint32_t begin, std::uint32_t end) const {
    if (begin == end) return {first_number, 0, segment_.data() + begin, words_.data(), 0};
    const std::size_t section = begin / section_;
    const std::uint64_t words = begins_[section];
    const std::uint64_t words_end = section + 1 < begins_.size() ? begins_[section + 1] : words_.size();
    return {first_number, end - begin, segment_.data() + begin, words_.data() + words, words_end - words};
  }
  // How far a span that begins there can go.
  std::uint32_t span_end(std::uint32_t begin) const { return std::min(count, (begin / section_ + 1) * section_); }

  std::uint64_t first_number = 0;  // packet number of frame 0
  std::uint32_t frames = 0;        // that were decoded, to segments or not
  std::uint32_t count = 0;         // segments

 private:
  void begin_section() {
    begins_.push_back(words_.size());
    next_section_ += section_;
  }

  std::uint32_t section_;
  std::uint32_t next_section_ = 0;
  std::pmr::vector<PackedSegment> segment_;
  std::pmr::vector<std::uint64_t> words_;
  std::vector<std::uint64_t> begins_;  // of the sections' words
};

// Appends segments to one batch, or to several that share them by their shards.
class PackedAppender {
 public:
  explicit PackedAppender(std::span<PackedBatch> batches) : batches_(batches) {}

  // REQUIRES: room in the batch.
  void push(const KeyedSegment& segment) {
    const bool alone = batches_.size() == 1;
    batches_[alone ? 0 : share_of(shard_of(segment.key), batches_.size())].push(segment);
  }

 private:
  const std::span<PackedBatch> batches_;
};

}  // namespace warpmeter
