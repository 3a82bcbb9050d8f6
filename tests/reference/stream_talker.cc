// What a sender does next, one function each.
#include "stream_talker.h"

#include <algorithm>
#include <utility>

namespace reference {
namespace {

constexpr uint8_t fin_flag = 1, syn_flag = 2, rst_flag = 4, ack_flag = 16;
constexpr uint32_t most_numbers = 1u << 31;

}  // namespace

StreamTalker::StreamTalker(Random& random, const TalkHabits& habits) : random_(random), habits_(habits) { begin(); }

void StreamTalker::begin() {
  for (Sender& end : ends_) {
    const auto near_the_wrap = static_cast<uint32_t>(0 - random_.below(3000));
    const uint32_t any = static_cast<uint32_t>(random_.bits()), after = end.isn + static_cast<uint32_t>(end.said);
    end = {random_.pick({near_the_wrap, near_the_wrap, any, any, after, after + 1, end.isn + 1, end.isn, 0u}), {}, 0};
  }
  if (random_.percent(70)) held_.clear();  // else some of what was held comes into the new connection
  open();
}

// How it is met: with its handshake, with a part of that, with data in it, or in the middle.
void StreamTalker::open() {
  first_.clear();
  const uint64_t way = random_.below(10);
  if (way < 7) first_.push_back(handshake(0, false));
  if (way < 8) first_.push_back(handshake(1, true));
  if (way < 5) first_.push_back(bare());
  if (way == 5) std::swap(first_[0], first_[1]);
  if (way == 9) open_late();
  if (random_.percent(habits_.odd_percent)) {
    for (TalkDraft& draft : first_) {
      if (random_.percent(70) || (draft.flags & syn_flag) == 0) continue;
      const TalkDraft data = this->draft(draft.sender, 0, length());
      draft.payload = data.payload;
      if (random_.percent(50)) ends_[draft.sender].said = draft.payload.size();
    }
  }
}

// The SYN comes behind what it stands below, which may be far above it.
void StreamTalker::open_late() {
  first_.push_back(draft(0, 0, 0));
  const size_t from = random_.below(60);
  for (uint32_t i = 0, far = random_.pick({0u, 0u, 2u, 3u}); i <= far; ++i) {
    first_.push_back(draft(0, from, length()));
    first_.back().sequence += i * (most_numbers - 5000);
  }
  ends_[0].said = from + first_[1].payload.size();
  first_.push_back(handshake(0, false));
}

TalkDraft StreamTalker::next() {
  TalkDraft made;
  if (!first_.empty()) {
    made = std::move(first_.front());
    first_.pop_front();
  } else if (!held_.empty() && random_.percent(25)) {
    std::swap(held_[random_.below(held_.size())], held_.back());
    made = std::move(held_.back());
    held_.pop_back();
  } else if (random_.percent(habits_.restart_percent)) {
    begin();
    return next();
  } else {
    made = random_.percent(habits_.odd_percent) ? odd() : sane();
  }
  if (!made.payload.empty() && random_.percent(habits_.cut_percent))
    made.uncaptured =
        static_cast<uint32_t>(random_.percent(30) ? made.payload.size() : 1 + random_.below(made.payload.size()));
  return made;
}

TalkDraft StreamTalker::sane() {
  const uint64_t kind = random_.below(100);
  if (kind < 8) return bare();
  if (kind < 14) return again();
  if (kind < 16) return closing();
  while (random_.percent(habits_.lose_percent)) go_on();
  while (held_.size() < 40 && random_.percent(habits_.hold_percent)) held_.push_back(go_on());
  return go_on();
}

TalkDraft StreamTalker::odd() {
  switch (random_.below(16)) {
    case 0:
    case 1:
    case 2: return otherwise();
    case 3: return keep_alive();
    case 4: return below_the_start();
    case 5:
    case 6: return opening();
    case 7: return other_answer();
    case 8:
    case 9: return closing();
    case 10: return reset();
    case 11: return random_.percent(20) ? far_away() : go_on();
    default: return again();
  }
}

void StreamTalker::fill(std::vector<uint8_t>& bytes, size_t size) {
  while (bytes.size() < size) {
    if (habits_.words.empty()) {
      bytes.push_back(static_cast<uint8_t>(random_.bits()));
      continue;
    }
    const bool begins = bytes.empty() && !habits_.heads.empty();
    for (const char c : random_.pick(begins ? habits_.heads : habits_.words)) bytes.push_back(static_cast<uint8_t>(c));
    if (begins && bytes.empty()) bytes.push_back('x');
  }
}

size_t StreamTalker::length() {
  const size_t any = 1 + random_.below(habits_.longest), few = 1 + random_.below(10);
  return random_.pick({any, any, any, few, size_t{1}, size_t{habits_.longest}, random_.percent(10) ? 5000 : any});
}

TalkDraft StreamTalker::draft(int sender, size_t from, size_t length) {
  std::vector<uint8_t>& text = ends_[sender].text;
  fill(text, from + length);
  TalkDraft made;
  made.sender = sender;
  made.sequence = number(sender, from);
  made.acknowledgement = any_acknowledgement(sender);
  const auto begin = text.begin() + static_cast<std::ptrdiff_t>(from);
  made.payload.assign(begin, begin + static_cast<std::ptrdiff_t>(length));
  return made;
}

uint32_t StreamTalker::any_acknowledgement(int sender) {
  const int peer = 1 - sender;
  const uint32_t begin = number(peer, 0), end = number(peer, ends_[peer].said);
  return random_.pick({begin, end, end, begin - 1, end + 1, end + 2, end + most_numbers});
}

TalkDraft StreamTalker::handshake(int sender, bool answers) {
  TalkDraft made;
  made.sender = sender;
  made.sequence = ends_[sender].isn;
  made.flags = answers ? syn_flag | ack_flag : syn_flag;
  made.acknowledgement = number(1 - sender, 0);
  return made;
}

TalkDraft StreamTalker::go_on() {
  const int sender = static_cast<int>(random_.below(2));
  Sender& end = ends_[sender];
  TalkDraft made = draft(sender, end.said, length());
  end.said += made.payload.size();
  return made;
}

// Some of what was said, cut otherwise; now and then it runs on into what was not.
TalkDraft StreamTalker::again() {
  const int sender = static_cast<int>(random_.below(2));
  Sender& end = ends_[sender];
  const size_t near = end.said - std::min<size_t>(end.said, random_.below(3 * habits_.longest));
  const size_t from = random_.percent(80) ? near : random_.below(end.said + 1);
  TalkDraft made = draft(sender, from, length());
  if (from + made.payload.size() > end.said && random_.percent(60)) end.said = from + made.payload.size();
  return made;
}

// The same place with other bytes, all or some.
TalkDraft StreamTalker::otherwise() {
  TalkDraft made = again();
  for (uint8_t& byte : made.payload)
    if (random_.percent(40)) byte ^= static_cast<uint8_t>(1 + random_.below(255));
  return made;
}

TalkDraft StreamTalker::keep_alive() {
  const int sender = static_cast<int>(random_.below(2));
  TalkDraft made = draft(sender, ends_[sender].said, random_.below(3));
  made.sequence -= 1;
  return made;
}

TalkDraft StreamTalker::below_the_start() {
  const int sender = static_cast<int>(random_.below(2));
  TalkDraft made = draft(sender, 0, length());
  made.sequence -= static_cast<uint32_t>(1 + random_.below(made.payload.size() + 3));
  return made;
}

// A SYN of this connection, or nearly.
TalkDraft StreamTalker::opening() {
  const int sender = static_cast<int>(random_.below(2));
  TalkDraft made = handshake(sender, random_.percent(50));
  if (random_.percent(40)) made.acknowledgement = any_acknowledgement(sender);
  if (random_.percent(20)) made.payload = draft(sender, 0, length()).payload;
  if (random_.percent(10)) made.flags |= fin_flag;
  if (random_.percent(10)) made.flags |= rst_flag;
  if (random_.percent(10)) made.sequence += static_cast<uint32_t>(random_.pick({-1, 1, 100}));
  return made;
}

// Of two hosts behind one address.
TalkDraft StreamTalker::other_answer() {
  TalkDraft made = handshake(static_cast<int>(random_.below(2)), true);
  made.sequence += static_cast<uint32_t>(random_.pick({1u, ~0u, 5000u, most_numbers}));
  if (random_.percent(30)) made.acknowledgement = any_acknowledgement(made.sender);
  if (random_.percent(20)) fill(made.payload, length());
  if (random_.percent(50)) ends_[made.sender].isn = made.sequence;
  return made;
}

TalkDraft StreamTalker::closing() {
  TalkDraft made = random_.percent(50) ? go_on() : again();
  made.flags |= fin_flag;
  if (random_.percent(50)) {
    made.sequence = number(made.sender, ends_[made.sender].said);
    made.payload.clear();
  }
  return made;
}

TalkDraft StreamTalker::reset() {
  TalkDraft made = random_.percent(30) ? again() : bare();
  made.flags = random_.pick<uint8_t>({rst_flag, rst_flag | ack_flag, rst_flag | fin_flag, rst_flag | syn_flag});
  return made;
}

TalkDraft StreamTalker::far_away() {
  TalkDraft made = again();
  made.sequence += random_.pick(
      {most_numbers, most_numbers - 1, most_numbers + 1, most_numbers / 2, 3 * (most_numbers / 2), 100'000u});
  return made;
}

TalkDraft StreamTalker::bare() {
  const int sender = static_cast<int>(random_.below(2));
  const size_t said = ends_[sender].said;
  return draft(sender, random_.percent(90) ? said : random_.below(said + 1), 0);
}

}  // namespace reference
