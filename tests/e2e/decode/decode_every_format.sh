# Decoded file by file, metered part by part and merged, in any format that can be merged: the bytes of extract on the
# captures. A trace goes on over its sets: what was sent again in the next file is retransmitted.
. "$(dirname "$0")/../common.sh"
"$TRAFFIC_GEN" --packets $((20000 / SCALE)) --flows 300 --seed 7 --retransmit 0.05 --duplicate 0.02 -o whole.pcap
python3 "$(dirname "$0")/../cut_capture.py" whole.pcap 3 'file{}.pcap'

for file in 0 1 2; do
  "$WARPMETER" decode -q -o set$file --partitions 8 --hash-seed "one for all" file$file.pcap
  [ "$(ls set$file | wc -l)" = 8 ] || fail "files: $(ls set$file)"
done
cat file1.pcap | "$WARPMETER" decode -q -o piped --partitions 8 --hash-seed "one for all" --stdin-name file1.pcap -
for part in set1/*; do cmp "$part" "piped/${part#*/}"; done

formats="csv json"
! "$WARPMETER" info | grep -q 'IPFIX *built in' || formats+=" ipfix"
! "$WARPMETER" info | grep -q 'Parquet *built in' || formats+=" parquet"
for format in $formats; do
  for options in "" "--biflow --idle-timeout 100ms" "--aggregate"; do
    "$WARPMETER" extract -q $options -o whole.$format file*.pcap
    "$WARPMETER" extract -q $options -o again.$format set*
    cmp whole.$format again.$format
    for part in 1 2 3 4; do "$WARPMETER" extract -q $options --partition $part/4 -o part$part.$format set*; done
    "$WARPMETER" merge -q -o merged.$format part[1-4].$format
    cmp whole.$format merged.$format
  done
done

# The files of a part by themselves, as they are where the others are not.
"$WARPMETER" extract -q -o by_name.csv set?/part-03-of-08.segments
"$WARPMETER" extract -q -o by_part.csv --partition 3/8 set*
cmp by_name.csv by_part.csv
[ "$(rows by_name.csv)" -gt 0 ] || fail "an empty part shows nothing"
