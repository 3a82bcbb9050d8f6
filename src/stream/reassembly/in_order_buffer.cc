#include "stream/reassembly/in_order_buffer.h"

#include <algorithm>

namespace warpmeter::inline stream {

// At the position.
void BlockBuilder::begin_sub_block(const Stream& stream, StreamSide side, std::uint64_t gap) {
  parts_.sub_blocks.push_back({side, static_cast<std::uint64_t>(stream.position - stream.base), gap, 0, {}});
  parts_.first_piece.push_back(parts_.pieces.size());
}

// At the position.
void BlockBuilder::give_up(Stream& stream, std::uint64_t gap) {
  StreamExtras& extras = extras_of(stream, memory_);
  extras.gaps.push_back({static_cast<std::uint64_t>(stream.position - stream.base), gap});
  stream.counters.gap_bytes += gap;
  extras.gap_sums.push_back(stream.counters.gap_bytes);
}

void BlockBuilder::give_up_end(Stream& stream) {
  if (!stream.state.has_fin() || !stream.state.has_position() || stream.fin <= stream.position) return;
  give_up(stream, static_cast<std::uint64_t>(stream.fin - stream.position));
}

void BlockBuilder::add(Stream& stream, StreamSide side, std::int64_t start, const std::uint8_t* data,
                       std::uint32_t length) {
  if (!stream.state.has_position()) {
    stream.base = stream.position = start;
    stream.state.place();
  }
  const auto gap = static_cast<std::uint64_t>(start - stream.position);
  if (gap > 0) give_up(stream, gap);
  stream.position = start;
  if (parts_.sub_blocks.empty() || parts_.sub_blocks.back().side != side || gap > 0) begin_sub_block(stream, side, gap);
  const bool has_piece = parts_.first_piece.back() < parts_.pieces.size();
  if (has_piece && parts_.pieces.back().data() + parts_.pieces.back().size() == data) {
    parts_.pieces.back() = {parts_.pieces.back().data(), parts_.pieces.back().size() + length};
  } else {
    parts_.pieces.emplace_back(data, length);
  }
  parts_.sub_blocks.back().length += length;
  stream.position += length;
  stream.counters.submitted_bytes += length;
}

std::span<const SubBlock> BlockBuilder::finish(bool in_one_piece) {
  parts_.first_piece.push_back(parts_.pieces.size());
  if (in_one_piece && parts_.pieces.size() > parts_.sub_blocks.size()) {
    std::uint64_t bytes = 0;
    for (const SubBlock& sub_block : parts_.sub_blocks) bytes += sub_block.length;
    parts_.gathered.resize(std::max<std::size_t>(parts_.gathered.size(), bytes));
  }
  std::uint8_t* to = parts_.gathered.data();
  for (std::size_t i = 0; i < parts_.sub_blocks.size(); ++i) {
    std::span<StreamPiece> pieces(parts_.pieces.data() + parts_.first_piece[i],
                                  parts_.pieces.data() + parts_.first_piece[i + 1]);
    if (in_one_piece && pieces.size() > 1) {
      const std::uint8_t* const begin = to;
      for (const StreamPiece& piece : pieces) to = std::copy(piece.begin(), piece.end(), to);
      pieces.front() = {begin, to};
      pieces = pieces.first(1);
    }
    parts_.sub_blocks[i].pieces = pieces;
  }
  return parts_.sub_blocks;
}

}  // namespace warpmeter::inline stream
