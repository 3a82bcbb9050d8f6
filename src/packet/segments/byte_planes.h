// Columns of whole numbers as bytes: plane k of a column holds byte k of each of its values. A plane whose bytes are
// all alike is one byte; of one with few bytes but zero these are told. The rest is compressed with zstd, where that
// makes it smaller: a plane by itself, so that what cannot be compressed (checksums) does not hide what can; or several
// together, those that are short, for which a start of the compressor each would take most of the time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "core/unwritten_vector.h"

namespace warpmeter::inline packet {

// How a plane is written, behind one byte that says it.
enum class PlaneForm : std::uint8_t {
  alike = 0,   // one byte, the value of all
  bytes = 1,   // as many as there are values
  packed = 2,  // 4 bytes, how many follow; a zstd frame
  joined = 3,  // nothing: as many bytes of the joined planes as there are values
  sparse = 4,  // 4 bytes, how many follow among the joined planes: pairs, so many zeros (255 and 0: as many, and go on)
               // and the byte behind them; zeros to the end
};

// How a column's planes are to be compressed.
enum class Planes : std::uint8_t { apart, joined };

// Can this build write and read packed planes? Without, columns are larger, and files of other builds unreadable.
bool planes_are_packed();

// The columns of a block: first the joined planes (4 bytes, how many; 4 bytes, how many of a zstd frame follow, or 0,
// then they themselves do), then the forms of all planes.
class PlaneWriter {
 public:
  PlaneWriter();
  ~PlaneWriter();

  // Starts over.
  void clear();

  // `T`: unsigned.
  template <class T>
  void write(std::span<const T> values, Planes how) {
    static_assert(std::is_unsigned_v<T>);
    T any = 0, all = static_cast<T>(~T{0});
    for (const T value : values) {
      any = static_cast<T>(any | value);
      all = static_cast<T>(all & value);
    }
    for (unsigned k = 0; k < sizeof(T) && !values.empty(); ++k) {
      const unsigned shift = 8 * k;
      if (static_cast<std::uint8_t>((any ^ all) >> shift) == 0) {
        write_alike(static_cast<std::uint8_t>(any >> shift));
        continue;
      }
      std::uint8_t* const to = begin_plane(values.size());
      for (std::size_t i = 0; i < values.size(); ++i) to[i] = static_cast<std::uint8_t>(values[i] >> shift);
      end_plane(how);
    }
  }

  // All columns were written. The bytes stay until clear().
  std::span<const std::uint8_t> finish();

 private:
  void write_alike(std::uint8_t value);
  std::uint8_t* begin_plane(std::size_t bytes);
  void end_plane(Planes how);
  void write_sparse(std::size_t count);
  void write_apart();

  std::vector<std::uint8_t> forms_;  // and planes that are apart
  UnwrittenVector<std::uint8_t> joined_;
  UnwrittenVector<std::uint8_t> plane_;
  std::vector<std::uint8_t> bytes_;  // all
  struct Packer;
  std::unique_ptr<Packer> packer_;
};

// Reads what a PlaneWriter has written. Throws Error where that makes no sense.
class PlaneReader {
 public:
  PlaneReader();
  ~PlaneReader();

  // The columns of a block, no larger than so many bytes when unpacked; the bytes must stay.
  void begin(std::span<const std::uint8_t> bytes, std::size_t most);

  // The next column: so many values.
  template <class T>
  void read(std::size_t count, UnwrittenVector<T>& values) {
    static_assert(std::is_unsigned_v<T>);
    values.resize(count);
    if (count == 0) return;
    // Those that are alike are in `alike`; of the others where they are, and by how much to shift them.
    T alike = 0;
    const std::uint8_t* plane[sizeof(T)];
    unsigned shift[sizeof(T)], planes = 0;
    for (unsigned k = 0; k < sizeof(T); ++k) {
      std::uint8_t all = 0;
      plane[planes] = next_plane(count, all, unpacked_planes_[k]);
      shift[planes] = 8 * k;
      if (plane[planes]) ++planes;
      alike = static_cast<T>(alike | static_cast<T>(T{all} << (8 * k)));
    }
    T* const to = values.data();
    if (planes == 0) std::fill_n(to, count, alike);
    const auto byte = [&](unsigned p, std::size_t i) { return static_cast<T>(T{plane[p][i]} << shift[p]); };
    if (planes == 1) {
      for (std::size_t i = 0; i < count; ++i) to[i] = static_cast<T>(alike | byte(0, i));
    } else if (planes > 1) {
      for (std::size_t i = 0; i < count; ++i) to[i] = static_cast<T>(alike | byte(0, i) | byte(1, i));
    }
    for (unsigned p = 2; p < planes; ++p) {
      for (std::size_t i = 0; i < count; ++i) to[i] = static_cast<T>(to[i] | byte(p, i));
    }
  }

  // Has everything been read?
  bool at_end() const { return rest_.empty() && joined_.empty(); }

 private:
  using Bytes = UnwrittenVector<std::uint8_t>;
  // The bytes of the next plane, perhaps in `room`; null if they are all `alike`.
  const std::uint8_t* next_plane(std::size_t count, std::uint8_t& alike, Bytes& room);
  void read_sparse(std::size_t count, Bytes& plane);

  std::span<const std::uint8_t> rest_, joined_;   // that were not read yet
  Bytes unpacked_;                                // joined planes
  Bytes unpacked_planes_[sizeof(std::uint64_t)];  // of a column
  struct Unpacker;
  std::unique_ptr<Unpacker> unpacker_;
};

}  // namespace warpmeter::inline packet
