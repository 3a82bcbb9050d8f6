// A mapped pcap file that several threads read at once, a stretch of its bytes each. Where the first pcap record of a
// stretch begins only the walk through all before it can tell; so every thread guesses, walks, and when the stretches
// before have been settled it turns out whether the guess was right. If not, the stretch is walked again from the true
// place: the result is always that of one walk from the first to the last pcap record.
//
// Threads: claim() by one at a time; walk() by any, each on a stretch of its own; settle() by one at a time and in the
// order of the claims; all three beside each other.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "capture/file_mapping.h"
#include "capture/pages_behind.h"
#include "capture/pcap_cursors.h"
#include "capture/pcap_format.h"
#include "capture/pcap_guess.h"
#include "capture/stretch.h"

namespace warpmeter {

class StretchedPcap : public std::enable_shared_from_this<StretchedPcap> {
 public:
  // From the pcap record at `begin`. `name` is for messages.
  StretchedPcap(std::string name, std::shared_ptr<const FileMapping> mapping, const PcapFormat& format,
                std::uint64_t begin);

  // The next stretch. False if there is none left: all are claimed, or the file is known to be damaged before it. Every
  // file has at least one, be it empty.
  bool claim(Stretch& stretch, const StretchOptions& options);

  // Guesses and walks. Leaves the stretch not walked where nothing looks like a pcap record.
  void walk(Stretch& stretch) const;

  // The frames of the stretch are now those of the file. False if they are others than walk() had found. Damage and
  // bytes read since the last settle() are noted in the stretch.
  bool settle(Stretch& stretch);

  // Gives back the pages that were left behind when the stretch was settled.
  void drop_pages(const Stretch& stretch) const;

 private:
  PcapBytes bytes() const { return {format_, mapping_->data(), size_.load(std::memory_order_relaxed)}; }
  void look_at_first_records();
  std::uint64_t wanted_bytes(const StretchOptions& options) const;
  unsigned suitable_cursors(std::uint64_t stretch_bytes) const;
  bool may_guess() const;
  void walk_from(Stretch& stretch, std::uint64_t start) const;
  std::optional<std::uint64_t> guess(const PcapBytes& bytes, std::uint64_t begin, std::uint64_t end) const;
  unsigned add_guessed_cursors(const PcapBytes& bytes, Stretch& stretch, std::vector<PcapCursor>& cursors) const;
  bool was_cut_off(const Stretch& stretch) const;
  bool nothing_left_for(Stretch& stretch) const;
  bool began_at(std::uint64_t position, Stretch& stretch);
  void judge_guesses(const Stretch& stretch, bool right);
  void learn_from(Stretch& stretch);
  std::string damage_text(const Walked& walked) const;
  std::uint32_t captured_at(std::uint64_t offset) const;

  const std::string name_;
  const std::shared_ptr<const FileMapping> mapping_;
  const PcapFormat format_;
  bool long_captured_ = false;  // some pcap records claim to have captured more than there was

  // Of claim().
  std::uint64_t claimed_;  // all bytes before it are claimed
  std::uint64_t next_index_ = 0;

  // Written by settle(), read by all.
  std::atomic<std::uint64_t> size_;          // of the file, which may shrink
  std::atomic<std::uint64_t> position_;      // of the first pcap record that is not settled
  std::atomic<std::uint64_t> settled_ = 0;   // stretches
  std::atomic<bool> ended_ = false;          // by damage
  std::atomic<std::uint64_t> record_bytes_;  // on average, lately
  std::atomic<std::uint32_t> seconds_ = 0;   // of a settled pcap record
  std::atomic<int> distrust_ = 0;            // in guesses

  // Of settle().
  std::uint64_t told_ = 0;  // bytes read that the trace knows of
  PagesBehind behind_;
};

}  // namespace warpmeter
