// Chunks of partials between the thread that copies them from a device and those that sort and write them.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

#include "core/thread_annotations.h"
#include "flow/runs/sorted_run.h"

namespace warpmeter::inline pipeline {

class ChunkQueue {
 public:
  // Waits while the queue is full. What is pushed after close() is dropped.
  void push(PartialChunk chunk) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return closed_ || chunks_.size() < kMost; });
    if (closed_) return;
    chunks_.push_back(std::move(chunk));
    changed_.notify_all();
  }

  // Nothing when the queue is closed and empty.
  std::optional<PartialChunk> pop() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return closed_ || !chunks_.empty(); });
    if (chunks_.empty()) return std::nullopt;
    PartialChunk chunk = std::move(chunks_.front());
    chunks_.pop_front();
    changed_.notify_all();
    return chunk;
  }

  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }

 private:
  static constexpr std::size_t kMost = 4;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<PartialChunk> chunks_ WARPMETER_GUARDED_BY(mutex_);
  bool closed_ WARPMETER_GUARDED_BY(mutex_) = false;
};

}  // namespace warpmeter::inline pipeline
