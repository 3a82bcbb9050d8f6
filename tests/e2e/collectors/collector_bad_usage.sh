#!/usr/bin/env bash
# Options for collectors and IPFIX that make no sense: exit status 2, one line that names what is wrong, before any work.
. "$(dirname "$0")/../common.sh"
need_ipfix
refused() {
  local wanted=$1
  shift
  expect_status 2 "$WARPMETER" extract "$@" "$DATA/first-look.pcap"
  expect_one_line "$wanted"
}
refused 'collector http://a: say udp://HOST:PORT' --collector http://a
refused 'collector 127.0.0.1: say udp://HOST:PORT' --collector 127.0.0.1
refused 'collector udp://: no host' --collector udp://
refused "collector udp://h:0: '0' is no port: 1 to 65535" --collector udp://h:0
refused "collector tcp://h:99999: '99999' is no port" --collector tcp://h:99999
refused 'collector tcp://::1: an IPv6 address goes in brackets' --collector tcp://::1
refused "collector udp://a/b: 'a/b' is no host" --collector udp://a/b
refused 'NetFlow v9 goes over UDP only' --netflow-v9 --collector tcp://127.0.0.1
for lone in --netflow-v9 '--mtu 1400' '--collector-rate 5' '--collector-timeout 1s' '--collector-buffer 1M' \
  '--template-refresh 9s'; do
  # shellcheck disable=SC2086
  refused 'goes with --collector ' $lone -o flows.csv
done
for mtu in 0 511 65536 -1 small; do refused '--mtu.*'"$mtu" --mtu $mtu --collector udp://127.0.0.1; done
for domain in -1 4294967296 x; do refused '--observation-domain.*'"$domain" --observation-domain $domain -o a.ipfix; done
refused '--observation-domain go with IPFIX' --observation-domain 7 -o a.csv
refused '--observation-domain go with IPFIX' --observation-domain 7 --netflow-v9 --collector udp://127.0.0.1
refused '--ipfix-profile and' --ipfix-profile plain -o a.csv
refused 'soon' --rotate soon -o a.ipfix
refused '--rotate: more than 0' --rotate 0 -o a.ipfix
refused '--rotate goes with -o FILE' --rotate 1M --collector udp://127.0.0.1
[ -z "$(find . -name '*.csv*' -o -name '*.ipfix*')" ] || fail "there is an output: $(ls)"
