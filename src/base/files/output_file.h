// Where Flow Records are written to: a file that appears under its name only when it is complete, or a pipe, device or
// standard output, written directly.
//
// A regular file is a PartFile until commit() gives it its name. Without commit() nothing is left behind, and what had
// the name before is as it was. All errors are Errors that name the file; PipeClosed, if nobody reads it any more.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/files/descriptor.h"
#include "base/files/packer.h"
#include "base/files/part_file.h"
#include "core/byte_sink.h"

namespace warpmeter::inline base {

class OutputFile : public ByteSink {
 public:
  // "-" is standard output; it and /dev/fd/N are written where the shell's descriptor stands. Waits for the reader of a
  // named pipe, but once `*interrupted` is true, throws Error of that status. Once `*gives_up` is true, a pipe, or a
  // terminal, that takes nothing gets nothing any more: see is_given_up().
  explicit OutputFile(const std::string& name, const std::atomic<bool>* interrupted = nullptr,
                      const std::atomic<bool>* gives_up = nullptr, Readers readers = Readers::by_umask);
  ~OutputFile() override;
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(const void* bytes, std::size_t count) override;
  void write(std::string_view text) { write(text.data(), text.size()); }
  void write_parts(std::span<const BytePart> parts) override;

  // From the first byte on, what is written is compressed, by so many threads. REQUIRES: nothing was written yet, and
  // why_not_packed() is empty.
  void pack(Packing packing, unsigned threads);

  // Writes what was taken, as far as packing has given it out.
  void flush();

  // Taken so far, written or not, before it was compressed.
  std::uint64_t bytes() const { return flushed_ + fill_; }

  // Nobody took what was written, and nobody is waited for: the rest is lost.
  bool is_given_up() const { return given_up_; }
  std::uint64_t taken() const { return taken_; }            // bytes, by the reader, or the file
  std::uint64_t lost_lines() const { return lost_lines_; }  // those that it has no end of

  // A regular file, whose end can be moved.
  bool is_regular() const { return is_regular_; }
  // Room on the disk for what was taken and not yet written, and so many bytes behind it: then writing them does not
  // fail for want of room. 0, or the errno that says why there is none. It is given back with finish(). Of what is no
  // part file, always 0.
  int reserve(std::uint64_t bytes);
  // Forgets what is behind the first `bytes` that were written, which it had taken. Throws Error. REQUIRES: regular,
  // not packed, and bytes <= taken().
  void cut_to(std::uint64_t bytes);

  // Writes what is left: only the file's name may still be missing. Nothing may be written after it.
  void finish();

  // Writes what is left and gives the file its name, if name_for_now() has not.
  void commit();

  // Writes what is left and gives the file its name, which take_back() undoes until commit() is called.
  void name_for_now();
  void take_back();

 private:
  static constexpr std::size_t kBuffer = 1 << 20;
  static constexpr std::size_t kLarge = kBuffer / 8;  // not worth gathering
  void open_at(const std::string& name, const OutputPlace& place, const std::atomic<bool>* interrupted,
               Readers readers);
  void put(const char* from, std::size_t bytes);
  void write_all(const char* from, std::size_t bytes);
  std::span<const BytePart> write_some(std::span<const BytePart> parts);
  std::uint64_t most_held() const;
  int reserve_up_to(std::uint64_t end);
  bool wait_for_room() const;
  [[noreturn]] void fail(int error) const;

  const std::string name_;                   // for messages
  const std::atomic<bool>* const gives_up_;  // null: who reads is waited for
  bool given_up_ = false, is_regular_ = false;
  std::uint64_t taken_ = 0, lost_lines_ = 0;
  std::uint64_t reserved_ = 0;      // of the part file; where that is more than was written, it is that long
  std::unique_ptr<PartFile> part_;  // none if written directly
  bool named_ = false;              // for now
  Descriptor own_;                  // what is written directly
  int fd_ = -1;                     // its, or the part file's
  std::unique_ptr<char[]> buffer_;
  std::size_t fill_ = 0;
  std::uint64_t flushed_ = 0;
  std::unique_ptr<Packer> packer_;  // null: nothing is compressed, or finish() was called
};

}  // namespace warpmeter::inline base
