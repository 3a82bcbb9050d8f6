#include "traffic.h"

#include <algorithm>
#include <random>

namespace warpmeter::bench {
namespace {

using Random = std::mt19937_64;

constexpr std::size_t kText = std::size_t{1} << 20, kTurn = 4096;
constexpr unsigned kPlanted = 8;
constexpr std::int64_t kStart = 1'600'000'000'000'000'000, kApart = 1'000'000;  // ns
constexpr std::uint32_t kHeaders = 40, kFirst = 1000;

// Of what commands, paths and names of fields have, and nothing that a pattern reads otherwise.
constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/-_:=";

std::string letters(Random& random, std::size_t least, std::size_t most) {
  std::string word(least + random() % (most - least + 1), ' ');
  for (char& c : word) c = kLetters[random() % kLetters.size()];
  return word;
}

std::string pattern(Random& random, unsigned kind) {
  switch (kind % 5) {
    case 2: return letters(random, 5, 8) + "[0-9a-f]{4,12}" + letters(random, 3, 5);
    case 3: return letters(random, 6, 9) + "[ =:]{1,3}(on|off|[0-9]+)";
    case 4: return letters(random, 5, 7) + "[^\\r\\n]{0,40}" + letters(random, 5, 7);
    default: return letters(random, 8, 16);
  }
}

FlowKey key_of(Random& random) {
  FlowKey key;
  key.version = 4;
  key.protocol = kProtocolTcp;
  const std::uint64_t r = random();
  key.source[0] = 10;
  for (int i = 1; i < 4; ++i) key.source[i] = static_cast<std::uint8_t>(r >> 8 * i);
  key.destination[0] = 192;
  key.destination[2] = 2;
  key.destination[3] = static_cast<std::uint8_t>(r >> 32);
  set_port_number(key.source_port, 1024 + static_cast<std::int64_t>((r >> 40) % 60000));
  set_port_number(key.destination_port, 80);
  return key;
}

}  // namespace

std::vector<std::string> patterns_of(unsigned group, unsigned count) {
  constexpr unsigned kOfOne = 100;
  std::vector<std::string> patterns;
  Random random;
  for (unsigned i = 0; i < count; ++i) {
    if (i % kOfOne == 0) random.seed(group + i / kOfOne);
    patterns.push_back(pattern(random, i));
  }
  return patterns;
}

std::string some_payload() {
  Random random(0);
  std::vector<std::string> words;
  for (int i = 0; i < 2000; ++i) words.push_back(letters(random, 2, 9));
  std::string text;
  while (text.size() < kText) {
    text += words[random() % words.size()];
    text += random() % 12 ? " " : "\r\n";
  }
  text.resize(kText);
  for (std::size_t i = 0; i < kText; ++i) {
    if (i / kTurn % 2) text[i] = static_cast<char>(random());
  }
  for (unsigned i = 0; i < kPlanted; ++i) {
    const std::string literal = patterns_of(i + 1, 1).front();
    text.replace(kText / kPlanted * i, literal.size(), literal);  // where a packet begins, of whatever size
  }
  return text;
}

PolicyTraffic::PolicyTraffic(std::string_view text, std::uint32_t payload, const HashSeed& seed, unsigned first_shard,
                             unsigned last_shard)
    : seed_(seed), payload_(payload), greeting_(2 * kConnections), batches_(kBatches, PolicyBatch(kBatchPackets)) {
  Random random(1);
  while (keys_.size() < 2 * kConnections) {
    const FlowKey key = key_of(random);
    const unsigned shard = hash_flow(key, seed_).shard;
    if (shard < first_shard || shard >= last_shard) continue;
    keys_.push_back(key);
    keys_.push_back(swapped(key));
  }
  Segment segment{.time_ns = kStart, .sequence = kFirst, .length = kHeaders, .kind = kTcpSegment};
  for (std::uint32_t d = 0; d < keys_.size(); ++d) {
    segment.flags = static_cast<std::uint8_t>(d % 2 ? kSyn | kAck : kSyn);
    add(greeting_, d, segment, {});
  }
  greeting_.list_by_shard();
  segment.flags = kAck;
  segment.length = kHeaders + payload;
  segment.payload_length = payload;
  // As many pieces of the text as there are packets, or, of large ones, as fit; those with a literal among them.
  const std::size_t part = kText / kPlanted, in_part = std::min<std::size_t>(part / payload, kPackets / kPlanted);
  for (std::uint32_t i = 0; i < kPackets; ++i) {
    const std::size_t place = i % (in_part * kPlanted);
    segment.sequence = kFirst + 1 + i / (2 * kConnections) * payload;
    add(batches_[i / kBatchPackets], direction_of(i), segment,
        text.substr(place / in_part * part + place % in_part * payload, payload));
  }
  for (PolicyBatch& batch : batches_) batch.list_by_shard();
  greeting_.first_number = number_;
  number_ += greeting_.frames;
}

void PolicyTraffic::add(PolicyBatch& batch, std::uint32_t direction, const Segment& segment, std::string_view text) {
  const std::uint32_t at = batch.count;
  batch.push(keys_[direction], hash_flow(keys_[direction], seed_), segment);
  batch.segment[at].frame = batch.frames++;
  const auto length = static_cast<std::uint32_t>(text.size());
  batch.payload[at] = {reinterpret_cast<const std::uint8_t*>(text.data()), length, length, 0, 0};
}

PolicyBatch& PolicyTraffic::next(std::uint32_t b) {
  PolicyBatch& batch = batches_[b];
  const bool is_first = batch.first_number == 0;
  batch.first_number = number_;
  number_ += batch.frames;
  if (is_first) return batch;
  for (std::uint32_t i = 0; i < batch.count; ++i) {
    batch.segment[i].sequence += kInDirection * payload_;
    batch.segment[i].time_ns += kApart;
  }
  return batch;
}

}  // namespace warpmeter::bench
