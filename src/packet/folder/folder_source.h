// The captures of a folder that grows as a source.
//
// Time passes by packets alone: with a chunk all frames are given that are earlier than the latest so far by more than
// kSlack. A clock says nothing: what a file holds that is not complete yet, and when it comes, nobody knows.
//
// Where the folder wants a pause, the source ends, and goes on behind that.
//
// Threads: see PacketSource.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>

#include "packet/file/packet_source.h"
#include "packet/folder/growing_folder.h"

namespace warpmeter::inline packet {

class FolderSource : public PacketSource {
 public:
  // How far the time of packets may run back, in a file or from one to the next, as it does where several queues of a
  // card are captured: as much as TimeOrder takes for none.
  static constexpr std::chrono::nanoseconds kSlack{TimeOrder::kMuch};

  // `folder` must outlive it. `tell_every`: how often others hear at most that time has passed.
  FolderSource(GrowingFolder& folder, std::chrono::nanoseconds tell_every);
  ~FolderSource() override;

  bool ends() const override { return folder_.ends(); }
  bool repeatable() const override { return false; }

 private:
  struct FolderChunk;

  std::unique_ptr<Chunk> make_chunk() const override;
  bool claim(Chunk& chunk, const ChunkOptions& options) override;
  bool read(Chunk& chunk, FileView& view) override;
  bool commit(Chunk& chunk, FileView& view) override;

  bool claim_in_round(FolderChunk& chunk, const ChunkOptions& options);
  static void look_at_times(FolderChunk& chunk);
  void tell_time(FolderChunk& chunk);

  GrowingFolder& folder_;
  const std::chrono::nanoseconds tell_every_;
  std::atomic<std::int64_t> told_ = 0;  // when time was told last, by the steady clock
  // Of claim().
  std::shared_ptr<FolderRound> round_;
  unsigned pushes_left_ = 0;
  bool behind_round_ = false;
};

}  // namespace warpmeter::inline packet
