// A feeder: gives the frames of a pcap file, or ones that it makes, to `warpmeter live -i shm:NAME`.
//
//   feeder [-b BYTES] [-d] [-k] [-q RINGS] [-s SNAPLEN] [-t TIMES] NAME FILE.pcap|COUNT
//
//   -b  memory of each ring (default 1 MiB)      -d  drop what finds no room (default: wait for it)
//   -k  stay when all is given, until SIGTERM    -q  rings, between which connections are shared out (default 1)
//   -s  bytes to keep of a frame (262144)        -t  give the file so often (1)
//
// Prints at its end what it offered and dropped. Its meter may come before or after it, go, and come again.
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "warpmeter/feeder_writer.h"

static struct wmf_writer rings[WMF_MOST_RINGS];
static uint32_t count = 1;
static int dropping, meter = -1;
static const char* name;
static volatile sig_atomic_t stop;

static void on_signal(int number) { (void)number, stop = 1; }

static void fail(const char* what) {
  fprintf(stderr, "feeder: %s: %s\n", what, errno ? strerror(errno) : "no pcap file of a little-endian machine");
  exit(1);
}

// Shows what was put, and looks for the meter: a new one is handed the rings.
static void look_after(void) {
  char why[WMF_MOST_TEXT + 1];
  for (uint32_t i = 0; i < count; ++i) wmf_flush(&rings[i], 0);
  const int state = meter < 0 ? 0 : wmf_look(meter, why);
  if (state > 0) return;
  if (meter >= 0) close(meter);
  if (state < 0) {
    fprintf(stderr, "feeder: refused: %s\n", why);
    exit(1);
  }
  meter = wmf_connect(name, rings, count, geteuid());
  if (meter < 0 && errno != ECONNREFUSED && errno != EAGAIN) fail("the meter");
}

static void wait_a_little(void) {
  const struct timespec time = {0, 1000000};
  nanosleep(&time, NULL);
}

static void give(const uint8_t* frame, uint32_t captured, uint32_t original, uint16_t link, int64_t time_ns) {
  static unsigned given;
  uint32_t hash = 0;  // the same in both directions of a connection over IPv4 without tags
  for (unsigned i = 26; count > 1 && i < 34 && i < captured; ++i) hash += frame[i];
  struct wmf_writer* const ring = &rings[hash % count];
  while (!dropping && !stop && !wmf_has_room(ring, captured)) look_after(), wait_a_little();
  wmf_put(ring, frame, captured, original, link, time_ns);
  if (++given % 64 == 0) look_after();
}

static void replay(const char* path) {
  static uint8_t frame[WMF_MOST_CAPTURED];
  struct {
    uint32_t magic, version, zone, accuracy, snaplen, link;
  } file;
  struct {
    uint32_t seconds, fraction, captured, original;
  } record;
  errno = 0;
  FILE* const in = fopen(path, "rb");
  if (!in || fread(&file, sizeof file, 1, in) != 1) fail(path);
  if (file.magic != 0xa1b2c3d4 && file.magic != 0xa1b23c4d) fail(path);
  const int64_t ns = file.magic == 0xa1b23c4d ? 1 : 1000;
  while (!stop && fread(&record, sizeof record, 1, in) == 1) {
    if (record.captured > sizeof frame || fread(frame, 1, record.captured, in) != record.captured) fail(path);
    give(frame, record.captured, record.original, (uint16_t)file.link,
         (int64_t)record.seconds * 1000000000 + (int64_t)record.fraction * ns);
  }
  fclose(in);
}

// Datagrams of UDP over IPv4 and Ethernet, of a few flows.
static void make(long frames) {
  uint8_t frame[60] = {2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 8, 0, 0x45, 0, 0, 46, 0, 0, 0, 0, 64, 17};
  for (long i = 0; i < frames && !stop; ++i) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    frame[26] = frame[30] = 10, frame[29] = (uint8_t)(1 + i % 7), frame[33] = 9;
    frame[35] = 53, frame[37] = 54, frame[39] = 26;
    give(frame, sizeof frame, sizeof frame, 1, (int64_t)now.tv_sec * 1000000000 + now.tv_nsec);
  }
}

int main(int argc, char** argv) {
  uint64_t bytes = 1 << 20;
  uint32_t snaplen = WMF_MOST_CAPTURED;
  int times = 1, keep = 0, option;
  while ((option = getopt(argc, argv, "b:dkq:s:t:")) != -1) {
    if (option == 'b') bytes = strtoull(optarg, NULL, 10);
    else if (option == 'd') dropping = 1;
    else if (option == 'k') keep = 1;
    else if (option == 'q') count = (uint32_t)atoi(optarg);
    else if (option == 's') snaplen = (uint32_t)atoi(optarg);
    else if (option == 't') times = atoi(optarg);
    else return 2;
  }
  if (argc - optind != 2) return fprintf(stderr, "feeder [OPTIONS] NAME FILE.pcap|COUNT\n"), 2;
  name = argv[optind];
  signal(SIGINT, on_signal);
  signal(SIGTERM, on_signal);
  for (uint32_t i = 0; i < count; ++i) {
    if (i == WMF_MOST_RINGS || wmf_open(&rings[i], i, count, bytes, snaplen) != 0) fail("no ring");
  }
  const long made = atol(argv[optind + 1]);
  for (int i = 0; i < times; ++i) made > 0 ? make(made) : replay(argv[optind + 1]);
  look_after();
  while (!stop && (keep || meter < 0)) wait_a_little(), look_after();
  uint64_t offered = 0, dropped = 0;
  for (uint32_t i = 0; i < count; ++i) {
    wmf_end(&rings[i], 0);
    offered += rings[i].offered, dropped += rings[i].dropped;
  }
  printf("offered %llu dropped %llu\n", (unsigned long long)offered, (unsigned long long)dropped);
  return 0;
}
