// Feeds warpmeter with what a card receives that DPDK drives: a core polls each queue in bursts, and copies the
// beginning of each frame into the ring of that queue (include/warpmeter/feeder_ring.h). A thread of its own, which
// polls nothing, looks for the meter and asks the card what it lost.
//
// Written for DPDK 22.11.
#define _GNU_SOURCE
#include <pthread.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_launch.h>
#include <rte_lcore.h>
#include <rte_mbuf.h>
#include <rte_mbuf_dyn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "feeder_options.h"
#include "warpmeter/feeder_writer.h"

enum { kBurst = 64, kDescriptors = 2048, kBuffers = 8191, kCached = 256, kPollsBetweenLooks = 1024 };

static struct options options;
static struct wmf_writer rings[WMF_MOST_RINGS];
static int stamp_at = -1;  // in a packet's descriptor, microseconds: of captures that DPDK replays
static volatile sig_atomic_t stop;
static int meter = -1;
static uint64_t missed_before;
static _Atomic int meter_came;

static void on_signal(int number) { (void)number, stop = 1; }

static void fail(const char* what, int error) {
  fprintf(stderr, "dpdk_feeder: %s: %s\n", what, error ? rte_strerror(error) : "none");
  exit(1);
}

static int64_t now_ns(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void put(struct wmf_writer* ring, struct rte_mbuf* packet, int64_t now, uint8_t* room) {
  const uint32_t length = rte_pktmbuf_pkt_len(packet), captured = length < ring->snaplen ? length : ring->snaplen;
  const int64_t time = stamp_at < 0 ? now : (int64_t)*RTE_MBUF_DYNFIELD(packet, stamp_at, uint64_t*) * 1000;
  wmf_put(ring, rte_pktmbuf_read(packet, 0, captured, room), captured, length, 1, time);
}

// What a core does: one queue, until the end.
static int poll_queue(void* which) {
  const uint16_t queue = (uint16_t)(uintptr_t)which;
  struct wmf_writer* const ring = &rings[queue];
  uint8_t* const room = malloc(ring->snaplen);  // for frames in several pieces
  struct rte_mbuf* packets[kBurst];
  int64_t last = now_ns(CLOCK_MONOTONIC);
  if (!room) fail("memory", ENOMEM);
  for (uint32_t polls = 0; !stop; ++polls) {
    const uint16_t count = rte_eth_rx_burst(options.port, queue, packets, kBurst);
    if (count == 0 && polls % kPollsBetweenLooks != 0) {
      rte_pause();
      continue;
    }
    const int64_t now = now_ns(CLOCK_REALTIME);
    for (uint16_t i = 0; i < count; ++i) {
      if (i + 4 < count) rte_prefetch0(rte_pktmbuf_mtod(packets[i + 4], void*));
      put(ring, packets[i], now, room);
    }
    rte_pktmbuf_free_bulk(packets, count);
    wmf_flush(ring, stamp_at < 0 ? now : 0);
    const int64_t tick = now_ns(CLOCK_MONOTONIC);
    if (count > 0) last = tick;
    if (options.idle_ms > 0 && tick - last > options.idle_ms * 1000000) break;
  }
  free(room);
  return 0;
}

// What the card did not give, of all queues, stands in the first ring.
static void count_missed(void) {
  struct rte_eth_stats stats;
  if (rte_eth_stats_get(options.port, &stats) != 0) return;
  const uint64_t missed = stats.imissed + stats.ierrors + stats.rx_nombuf;
  __atomic_store_n(&rings[0].header->missed, missed - missed_before, __ATOMIC_RELAXED);
}

static void look_for_meter(void) {
  char why[WMF_MOST_TEXT + 1];
  const int state = meter < 0 ? 0 : wmf_look(meter, why);
  if (state > 0) return;
  if (state < 0) fprintf(stderr, "dpdk_feeder: the meter refused: %s\n", why);
  if (meter >= 0) close(meter);
  meter = wmf_connect(options.name, rings, options.queues, options.user < 0 ? geteuid() : (uid_t)options.user);
  if (meter >= 0) meter_came = 1;
  else if (errno == EPERM) fprintf(stderr, "dpdk_feeder: the meter belongs to another user (--user)\n");
}

static void* look_after(void* is_done) {
  while (!*(_Atomic int*)is_done) {
    look_for_meter();
    count_missed();
    usleep(100000);
  }
  return NULL;
}

// Both directions of a connection go to one queue: this key makes the card's hash the same for both.
static void spread_over_queues(struct rte_eth_conf* conf, const struct rte_eth_dev_info* info) {
  static uint8_t key[64];
  for (size_t i = 0; i < sizeof key; ++i) key[i] = i % 2 ? 0x5a : 0x6d;
  const uint64_t wanted = RTE_ETH_RSS_IP | RTE_ETH_RSS_TCP | RTE_ETH_RSS_UDP | RTE_ETH_RSS_SCTP;
  if (options.queues == 1 || !(info->flow_type_rss_offloads & wanted)) return;
  conf->rxmode.mq_mode = RTE_ETH_MQ_RX_RSS;
  conf->rx_adv_conf.rss_conf.rss_hf = info->flow_type_rss_offloads & wanted;
  if (info->hash_key_size > 0 && info->hash_key_size <= sizeof key) {
    conf->rx_adv_conf.rss_conf.rss_key = key;
    conf->rx_adv_conf.rss_conf.rss_key_len = info->hash_key_size;
  }
}

static void open_port(void) {
  struct rte_eth_dev_info info;
  struct rte_eth_conf conf;
  memset(&conf, 0, sizeof conf);
  if (!rte_eth_dev_is_valid_port(options.port)) fail("ports that DPDK knows (--vdev, -a)", 0);
  int error = rte_eth_dev_info_get(options.port, &info);
  if (error) fail("the port", -error);
  if (options.queues > info.max_rx_queues) fail("so many queues (--queues)", EINVAL);
  spread_over_queues(&conf, &info);
  error = rte_eth_dev_configure(options.port, options.queues, 1, &conf);
  if (error) fail("the port cannot be configured", -error);
  const int node = rte_eth_dev_socket_id(options.port);
  for (uint16_t i = 0; i < options.queues; ++i) {
    char name[32];
    snprintf(name, sizeof name, "queue-%u", i);
    struct rte_mempool* const pool =
        rte_pktmbuf_pool_create(name, kBuffers, kCached, 0, RTE_MBUF_DEFAULT_BUF_SIZE, node);
    if (!pool) fail("memory for packets", rte_errno);
    error = rte_eth_rx_queue_setup(options.port, i, kDescriptors, (unsigned)node, NULL, pool);
    if (error) fail("a queue", -error);
  }
  error = rte_eth_tx_queue_setup(options.port, 0, 64, (unsigned)node, NULL);
  if (error && info.max_tx_queues > 0) fail("a queue to send", -error);
  if (strcmp(info.driver_name, "net_pcap") == 0)
    stamp_at = rte_mbuf_dynfield_lookup(RTE_MBUF_DYNFIELD_TIMESTAMP_NAME, NULL);
}

static void start_port(void) {
  const int error = rte_eth_dev_start(options.port);
  if (error) fail("the port cannot be started", -error);
  rte_eth_promiscuous_enable(options.port);
  struct rte_eth_stats stats;
  if (rte_eth_stats_get(options.port, &stats) == 0) missed_before = stats.imissed + stats.ierrors + stats.rx_nombuf;
}

// A core for each queue; this one has the first.
static void poll_all(void) {
  uint16_t queue = 1;
  unsigned core;
  RTE_LCORE_FOREACH_WORKER(core) {
    if (queue < options.queues) rte_eal_remote_launch(poll_queue, (void*)(uintptr_t)queue++, core);
  }
  poll_queue((void*)0);
  rte_eal_mp_wait_lcore();
}

static void tell(void) {
  uint64_t offered = 0, dropped = 0;
  for (uint16_t i = 0; i < options.queues; ++i) offered += rings[i].offered, dropped += rings[i].dropped;
  printf("offered %llu dropped %llu missed %llu\n", (unsigned long long)offered, (unsigned long long)dropped,
         (unsigned long long)rings[0].header->missed);
}

int main(int argc, char** argv) {
  const int used = rte_eal_init(argc, argv);
  if (used < 0) fail("DPDK cannot be started", rte_errno);
  options = read_options(argc - used, argv + used);
  if (rte_lcore_count() < options.queues) fail("a core for each queue (-l)", EINVAL);
  signal(SIGINT, on_signal);
  signal(SIGTERM, on_signal);
  open_port();
  for (uint16_t i = 0; i < options.queues; ++i) {
    if (wmf_open(&rings[i], i, options.queues, options.ring_bytes, options.snaplen) != 0) fail("a ring", errno);
  }
  start_port();
  static _Atomic int is_done;
  pthread_t looker;
  if (pthread_create(&looker, NULL, look_after, &is_done) != 0) fail("a thread", EAGAIN);
  while (options.wait && !meter_came && !stop) usleep(1000);
  poll_all();
  is_done = 1;
  pthread_join(looker, NULL);
  count_missed();
  for (uint16_t i = 0; i < options.queues; ++i) wmf_end(&rings[i], 0);
  tell();
  rte_eth_dev_stop(options.port);
  rte_eth_dev_close(options.port);
  rte_eal_cleanup();
  return 0;
}
