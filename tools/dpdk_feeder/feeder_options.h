// What users of dpdk_feeder say behind `--`.
#pragma once

#include <stdint.h>

struct options {
  const char* name;  // of shm:NAME
  uint16_t port;     // of DPDK
  uint16_t queues;
  uint32_t snaplen;     // bytes of a frame
  uint64_t ring_bytes;  // of each queue
  long idle_ms;         // ends when nothing came for so long; 0: never
  int wait;             // polls nothing before a meter has come
  long user;            // may have the packets, besides this one and root; -1: nobody
};

// Ends the program with a line where they make no sense.
struct options read_options(int argc, char** argv);
