#include "feeder_options.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "warpmeter/feeder_ring.h"

static const char usage[] =
    "dpdk_feeder [OPTIONS OF DPDK] -- [OPTIONS]: gives what a card receives to `warpmeter live -i shm:NAME`\n"
    "  --name NAME         (dpdk)\n"
    "  --port N            port of DPDK (0)\n"
    "  --queues N          queues of the card, each with a core (-l) and a ring (1)\n"
    "  --snaplen BYTES     kept of each frame (128)\n"
    "  --ring-size BYTES   memory of each ring (67108864)\n"
    "  --user UID          whose meter may have the packets, too\n"
    "  --wait              receive nothing before the meter has come\n"
    "  --end-when-idle MS  end when nothing came for so long; else on SIGINT or SIGTERM\n";

static void refuse(const char* option, const char* value) {
  fprintf(stderr, "dpdk_feeder: --%s %s: not that\n", option, value);
  exit(2);
}

static uint64_t number(const char* option, const char* text, uint64_t least, uint64_t most) {
  char* end = NULL;
  const uint64_t value = strtoull(text, &end, 10);
  if (*text < '0' || *text > '9' || *end || value < least || value > most) refuse(option, text);
  return value;
}

struct options read_options(int argc, char** argv) {
  static const struct option known[] = {
      {"name", 1, NULL, 'n'},          {"port", 1, NULL, 'p'},      {"queues", 1, NULL, 'q'}, {"snaplen", 1, NULL, 's'},
      {"user", 1, NULL, 'u'},          {"ring-size", 1, NULL, 'b'}, {"wait", 0, NULL, 'w'},   {"help", 0, NULL, 'h'},
      {"end-when-idle", 1, NULL, 'i'}, {NULL, 0, NULL, 0}};
  struct options o = {"dpdk", 0, 1, 128, UINT64_C(64) << 20, 0, 0, -1};
  int option, which = 0;
  optind = 1;
  while ((option = getopt_long(argc, argv, "", known, &which)) != -1) {
    const char* const called = option == '?' ? "" : known[which].name;
    if (option == 'n') o.name = optarg;
    else if (option == 'p') o.port = (uint16_t)number(called, optarg, 0, 1023);
    else if (option == 'q') o.queues = (uint16_t)number(called, optarg, 1, WMF_MOST_RINGS);
    else if (option == 's') o.snaplen = (uint32_t)number(called, optarg, 64, WMF_MOST_CAPTURED);
    else if (option == 'b') o.ring_bytes = number(called, optarg, WMF_LEAST_DATA, WMF_MOST_DATA);
    else if (option == 'i') o.idle_ms = (long)number(called, optarg, 1, 86400000);
    else if (option == 'u') o.user = (long)number(called, optarg, 0, UINT32_MAX);
    else if (option == 'w') o.wait = 1;
    else if (option == 'h') exit(fputs(usage, stdout) < 0);
    else exit(2);
  }
  if (optind != argc) refuse("", argv[optind]);
  return o;
}
