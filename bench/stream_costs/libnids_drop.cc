// libnids on a capture: every byte of every connection is taken, and dropped.
//
//     libnids_drop CAPTURE CONNECTIONS       so many may be alive at once
//
// bench/streams compiles it, where libnids is installed. No checksums, no search for scans, and no packet that it
// writes about itself: nothing but streams. Prints one line of JSON; exit status 1 if connections were left out for
// want of room.
#include <nids.h>

#include <cstdio>
#include <cstdlib>

namespace {

unsigned long long g_bytes, g_connections, g_left_out;

void take(tcp_stream* stream, void**) {
  if (stream->nids_state == NIDS_JUST_EST) {
    stream->client.collect = stream->server.collect = 1;
    ++g_connections;
  } else if (stream->nids_state == NIDS_DATA) {
    g_bytes += static_cast<unsigned long long>(stream->client.count_new) +
               static_cast<unsigned long long>(stream->server.count_new);
  }
}

// Instead of messages to syslog.
void warned(int type, int what, void*, void*) {
  if (type == NIDS_WARN_TCP && what == NIDS_WARN_TCP_TOOMUCH) ++g_left_out;
}

}  // namespace

int main(int argc, char** argv) {
  const int connections = argc == 3 ? std::atoi(argv[2]) : 0;
  if (connections <= 0) {
    std::fprintf(stderr, "usage: libnids_drop CAPTURE CONNECTIONS\n");
    return 2;
  }
  nids_params.filename = argv[1];
  nids_params.n_tcp_streams = connections;
  nids_params.scan_num_hosts = 0;
  nids_params.syslog = reinterpret_cast<void (*)()>(warned);
  nids_params.pcap_filter = nullptr;
  if (!nids_init()) {
    std::fprintf(stderr, "libnids_drop: %s\n", nids_errbuf);
    return 1;
  }
  nids_chksum_ctl none{0, 0, NIDS_DONT_CHKSUM, 0};
  nids_register_chksum_ctl(&none, 1);
  nids_register_tcp(reinterpret_cast<void(*)>(take));
  nids_run();
  nids_exit();
  std::printf("{\"payload_bytes\": %llu, \"connections\": %llu}\n", g_bytes, g_connections);
  if (g_left_out == 0) return 0;
  std::fprintf(stderr, "libnids_drop: %llu connections were left out for want of room\n", g_left_out);
  return 1;
}
