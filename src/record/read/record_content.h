// Whether a file holds Flow Records, from its first bytes: for the files of a folder, among which may be anything.
#pragma once

#include <atomic>
#include <string>
#include <string_view>

namespace warpmeter::inline record {

// What a file of such a format begins with.
inline constexpr std::string_view kIpfixStart("\0\x0a", 2);  // the version number of a message (RFC 7011, section 3.1)
inline constexpr std::string_view kParquetStart = "PAR1";

// Of a regular file, compressed or not: does it begin like Flow Records of a format that open_reader() knows? True
// where it seems to be a damaged one, so that opening it tells; of an empty file the name decides. Throws Error, naming
// the file, if it cannot be opened, read or unpacked. Gives up once `stop` turns true.
bool looks_like_records(const std::string& path, const std::atomic<bool>& stop);

// Of what holds none: is it a regular file with packets, to say who reads it?
bool is_capture(const std::string& path);

}  // namespace warpmeter::inline record
