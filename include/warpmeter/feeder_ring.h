// The ring of frames in shared memory through which another program feeds `warpmeter live -i shm:NAME`: its layout,
// version 1, and what is said when it is handed over. For C11 and C++; docs/feeders.md tells the rules in full,
// feeder_writer.h is a feeder's side of them.
//
// A ring is a sealed memfd: a header of WMF_HEADER_BYTES, then data_bytes for records. One feeder writes it, one meter
// reads it, each writes only its own part of the header. There are no pointers in it; numbers are little-endian.
#pragma once

#include <assert.h>
#include <stdint.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the ring is of little-endian machines"
#endif

#define WMF_MAGIC UINT64_C(0x31676e6972666d77)        // "wmfring1"
#define WMF_HELLO_MAGIC UINT64_C(0x6f6c6c6568666d77)  // "wmfhello"
#define WMF_VERSION 1u
#define WMF_HEADER_BYTES 4096u
#define WMF_LEAST_DATA UINT64_C(65536)     // bytes
#define WMF_MOST_DATA (UINT64_C(1) << 36)  // bytes
#define WMF_MOST_CAPTURED 262144u          // bytes of a frame
#define WMF_MOST_RINGS 64u                 // of a feeder
#define WMF_ADDRESS "warpmeter/feeder/"    // of an abstract Unix socket; the NAME of shm:NAME follows
#define WMF_MOST_NAME 64u                  // bytes of NAME
#define WMF_MOST_TEXT 200u                 // bytes of an answer

// Positions count bytes of records from the beginning on and never run back: position modulo data_bytes is a place.
struct wmf_header {
  // Written before the ring is handed over, and never again.
  uint64_t magic;         // WMF_MAGIC
  uint32_t version;       // WMF_VERSION
  uint32_t header_bytes;  // WMF_HEADER_BYTES: where the first record is
  uint64_t data_bytes;    // a power of two
  uint32_t ring;          // 0, 1, ...: one for each queue
  uint32_t rings;         // of this feeder
  uint32_t snaplen;       // no frame has more captured bytes
  uint8_t reserved_before[28];

  // The feeder's.
  uint64_t write;         // position behind the last complete record; stored with release, behind all that it covers
  int64_t passed_ns;      // no frame from here on was captured before, ns since 1970 UTC; 0: nothing is said of that
  uint64_t offered;       // frames that the feeder had for this ring: those in it, and `dropped`
  uint64_t dropped;       // frames for which the ring had no room
  uint64_t times_full;    // how often it became full
  uint64_t missed;        // frames that were lost before the feeder had them: by the card, for lack of buffers
  uint64_t heartbeat_ns;  // CLOCK_MONOTONIC, when it last looked after this ring
  uint32_t ended;         // 1: the feeder ended as it should, there will be no more
  uint8_t reserved_feeder[68];

  // The meter's. A later meter goes on from here.
  uint64_t read;          // position behind the last record that was taken; stored with release
  uint64_t taken;         // frames
  uint64_t dropped_told;  // of `dropped`, `times_full` and `missed`: what a meter has counted
  uint64_t times_full_told;
  uint64_t missed_told;
  uint8_t reserved_meter[24];
};

#define WMF_FILLER 1u  // flags: nothing until the end of the data, the next record is at its beginning

// Followed by the captured bytes. Begins at a multiple of 8, and never goes on at the beginning of the data: where it
// would, a filler stands, or nothing if less than a record's header is left.
struct wmf_record {
  int64_t time_ns;    // since 1970 UTC, within +-2^62
  uint32_t captured;  // bytes; 0 in a filler
  uint32_t original;  // bytes on the wire, `captured` or more
  uint16_t link;      // LINKTYPE number: 1 is Ethernet
  uint16_t flags;     // 0 or WMF_FILLER
  uint32_t reserved;  // 0
};

// The one message of a feeder, with the descriptors of its rings (SCM_RIGHTS), in their order.
struct wmf_hello {
  uint64_t magic;    // WMF_HELLO_MAGIC
  uint32_t version;  // WMF_VERSION
  uint32_t rings;
};

static_assert(sizeof(struct wmf_header) == 256, "as documented");
static_assert(sizeof(struct wmf_record) == 24, "as documented");
static_assert(sizeof(struct wmf_hello) == 16, "as documented");
