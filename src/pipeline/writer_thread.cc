#include "pipeline/writer_thread.h"

#include <utility>

namespace warpmeter {

WriterThread::WriterThread(std::unique_ptr<RecordWriter> writer) : writer_(std::move(writer)) {}

WriterThread::~WriterThread() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    last_ = abandoned_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void WriterThread::begin() {
  writer_->begin();
  thread_ = std::thread([this] { run(); });
}

void WriterThread::write(const FlowRecord& record, const FlowRecord* reverse) {
  filling_.records.push_back(record);
  if (reverse) filling_.records.push_back(*reverse);
  filling_.paired.push_back(reverse != nullptr);
  if (filling_.paired.size() >= kChunk) hand_over(false);
}

void WriterThread::hand_over(bool last) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return failure_ || waiting_.size() < kWaiting; });
  rethrow_failure();
  waiting_.push_back(std::move(filling_));
  last_ = last;
  filling_ = {};
  if (!empty_.empty()) {
    filling_ = std::move(empty_.back());
    empty_.pop_back();
  }
  lock.unlock();
  changed_.notify_all();
}

void WriterThread::end() {
  hand_over(true);
  thread_.join();
  rethrow_failure();
  writer_->end();
}

void WriterThread::rethrow_failure() {
  if (failure_) std::rethrow_exception(failure_);
}

void WriterThread::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return last_ || !waiting_.empty(); });
    if (abandoned_ || waiting_.empty()) return;
    Chunk chunk = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    changed_.notify_all();
    std::exception_ptr failure;
    try {
      write_chunk(chunk);
    } catch (...) {
      failure = std::current_exception();
    }
    chunk.records.clear();
    chunk.paired.clear();
    lock.lock();
    empty_.push_back(std::move(chunk));
    if (!failure) continue;
    failure_ = failure;
    lock.unlock();
    changed_.notify_all();
    return;
  }
}

void WriterThread::write_chunk(const Chunk& chunk) {
  const FlowRecord* record = chunk.records.data();
  for (const std::uint8_t paired : chunk.paired) {
    writer_->write(record[0], paired ? &record[1] : nullptr);
    record += paired ? 2 : 1;
  }
}

}  // namespace warpmeter
