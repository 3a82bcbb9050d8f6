// Two ends that talk over TCP, with all that spoils it: what they send is cut anywhere, comes late, again, otherwise,
// or never; connections begin in the middle, end early, and begin once more. What is sent has random bytes, so that no
// two places of a stream are alike.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "reference_random.h"

namespace reference {

struct TalkDraft {
  int sender = 0;  // 0 or 1
  uint32_t sequence = 0;
  uint32_t acknowledgement = 0;
  uint8_t flags = 0x10;
  std::vector<uint8_t> payload;
  uint32_t uncaptured = 0;  // bytes of the payload, at its end
};

struct TalkHabits {
  uint32_t odd_percent = 20;              // of what no sane sender does
  uint32_t hold_percent = 10;             // segments that come late
  uint32_t lose_percent = 3;              // segments that never come
  uint32_t cut_percent = 5;               // segments whose end is not captured
  uint32_t longest = 400;                 // bytes of most segments
  uint32_t restart_percent = 3;           // connections that begin anew
  std::vector<std::string> heads, words;  // what each direction begins with, and goes on with; no words: random bytes
};

class StreamTalker {
 public:
  StreamTalker(Random& random, const TalkHabits& habits);

  TalkDraft next();

 private:
  struct Sender {
    uint32_t isn = 0;
    std::vector<uint8_t> text;  // all that it has to say
    size_t said = 0;            // of it
  };

  void begin();
  void open();
  void open_late();
  TalkDraft sane();
  TalkDraft odd();
  TalkDraft go_on();
  TalkDraft again();
  TalkDraft otherwise();
  TalkDraft keep_alive();
  TalkDraft below_the_start();
  TalkDraft opening();
  TalkDraft other_answer();
  TalkDraft closing();
  TalkDraft reset();
  TalkDraft far_away();
  TalkDraft bare();

  TalkDraft draft(int sender, size_t from, size_t length);
  TalkDraft handshake(int sender, bool answers);
  uint32_t number(int sender, size_t at) const { return ends_[sender].isn + 1 + static_cast<uint32_t>(at); }
  uint32_t any_acknowledgement(int sender);
  size_t length();
  void fill(std::vector<uint8_t>& bytes, size_t size);

  Random& random_;
  const TalkHabits habits_;
  std::array<Sender, 2> ends_;
  std::deque<TalkDraft> first_;  // before all others, in order
  std::vector<TalkDraft> held_;
};

}  // namespace reference
