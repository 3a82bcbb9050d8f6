// Whether somebody has a file open to write to it, as the kernel knows it: what is asked for is a lease, which is had
// where nobody has (fcntl(2), F_SETLEASE), and given back at once.
#pragma once

namespace warpmeter::inline packet {

// unknown: the file is somebody else's (and there is no CAP_LEASE), or its file system has no leases (NFS).
enum class Writers { none, some, unknown };

// Of a regular file in a folder that is open; links are followed. What cannot be opened has none, but where this
// process has too many files open.
Writers writers_of(int folder, const char* name);

}  // namespace warpmeter::inline packet
