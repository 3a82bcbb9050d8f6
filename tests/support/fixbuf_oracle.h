// Data Records as libfixbuf writes them, from values looked up by the name of the Information Element.
#pragma once

#include <fixbuf/public.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/byte_order.h"
#include "record/ipfix/info_model.h"
#include "record/ipfix/record_shape.h"
#include "record/ipfix/template_messages.h"

namespace warpmeter::test {

using Values = std::map<std::string, std::uint64_t>;

inline std::uint64_t ntp_by_long_division(std::int64_t ns) {
  const auto units = static_cast<unsigned __int128>(ns) << 32;  // of 10^-9 times 2^-32 seconds
  const bool whole = ns % 1'000'000'000 == 0;                   // else the next fraction above
  return static_cast<std::uint64_t>(units / 1'000'000'000) + (whole ? 0 : 1) + (std::uint64_t{2'208'988'800} << 32);
}

// All that a direction can have, under names of the forward direction. Times: from 1970 on.
inline Values direction_values(const FlowRecord& r) {
  return {{"flowStartMilliseconds", static_cast<std::uint64_t>(r.start_ns) / 1'000'000},
          {"flowEndMilliseconds", static_cast<std::uint64_t>(r.end_ns) / 1'000'000},
          {"flowStartNanoseconds", ntp_by_long_division(r.start_ns)},
          {"flowEndNanoseconds", ntp_by_long_division(r.end_ns)},
          {"packetDeltaCount", r.packets},
          {"octetDeltaCount", r.bytes},
          {"tcpPayloadOctetCount", r.payload_bytes},
          {"tcpDataSegmentCount", r.data_segments},
          {"tcpRetransmittedSegmentCount", r.retransmitted_segments},
          {"tcpRetransmittedOctetCount", r.retransmitted_bytes},
          {"duplicatePacketCount", r.duplicate_packets},
          {"duplicateOctetCount", r.duplicate_bytes},
          {"tcpOutOfOrderSegmentCount", r.out_of_order_segments},
          {"tcpKeepAliveSegmentCount", r.keep_alive_segments},
          {"tcpMissingOctetCount", r.missing_bytes},
          {"tcpSynTotalCount", r.syn_count},
          {"tcpFinTotalCount", r.fin_count},
          {"tcpRstTotalCount", r.rst_count},
          {"tcpZeroWindowCount", r.zero_window_count},
          {"tcpControlBits", r.tcp_flags},
          {"tcpConnectionOctetCount", static_cast<std::uint64_t>(r.connection_bytes)},
          {"tcpConnectionNanoseconds", static_cast<std::uint64_t>(r.connection_ns)},
          {"flowEndReason", static_cast<std::uint64_t>(r.end_reason)},
          {"tcpStraySegmentCount", r.stray_segments}};
}

inline std::uint64_t capped(std::uint64_t value) { return value > UINT32_MAX ? UINT32_MAX : value; }

inline Values values_of(const FlowRecord& record, const FlowRecord* reverse) {
  const FlowKey& key = record.key;
  Values all = direction_values(record);
  all["sourceTransportPort"] = port_number(key.source_port);
  all["destinationTransportPort"] = port_number(key.destination_port);
  all["protocolIdentifier"] = key.protocol;
  all["ipVersion"] = key.version;
  all["vlanId"] = port_number(key.vlan);
  all["sourceIPv4Address"] = load_be32(key.source);
  all["destinationIPv4Address"] = load_be32(key.destination);
  all["RETRANSMITTED_IN_PKTS"] = capped(record.retransmitted_segments);
  all["RETRANSMITTED_IN_BYTES"] = capped(record.retransmitted_bytes);
  all["OOORDER_IN_PKTS"] = capped(record.out_of_order_segments);
  if (!reverse) return all;
  all["biflowDirection"] = 1;
  for (const auto& [name, value] : direction_values(*reverse)) {
    all["reverse" + std::string(1, static_cast<char>(std::toupper(name[0]))) + name.substr(1)] = value;
  }
  all["RETRANSMITTED_OUT_PKTS"] = capped(reverse->retransmitted_segments);
  all["RETRANSMITTED_OUT_BYTES"] = capped(reverse->retransmitted_bytes);
  all["OOORDER_OUT_PKTS"] = capped(reverse->out_of_order_segments);
  return all;
}

// Of a program's view of a record: every field in the length of its element, in host order.
inline std::vector<std::uint8_t> host_record(const InfoModel& model, const Fields& fields, const FlowRecord& record,
                                             const FlowRecord* reverse) {
  const Values values = values_of(record, reverse);
  std::vector<std::uint8_t> bytes;
  for (const TemplateField& field : fields) {
    if (field.element == "sourceIPv6Address") {
      bytes.insert(bytes.end(), record.key.source, record.key.source + 16);
    } else if (field.element == "destinationIPv6Address") {
      bytes.insert(bytes.end(), record.key.destination, record.key.destination + 16);
    } else {
      const std::uint64_t value = values.at(field.element);
      const auto* first = reinterpret_cast<const std::uint8_t*>(&value);  // little-endian
      bytes.insert(bytes.end(), first, first + model.find(field.element.c_str())->len);
    }
  }
  return bytes;
}

// Writes Data Records for Templates of the given fields, which get IDs from 257 on.
class FixbufOracle {
 public:
  FixbufOracle(const InfoModel& model, const std::vector<Fields>& templates, std::uint32_t domain,
               std::size_t largest_message)
      : model_(model), templates_(templates), octets_(largest_message), session_(fbSessionAlloc(model.get())) {
    fbSessionSetDomain(session_, domain);
    std::uint16_t id = kTypeTemplate;
    for (const Fields& fields : templates) {
      ++id;
      add(true, id, fields);
      add(false, id, fields);
    }
    buffer_ =
        fBufAllocForExport(session_, fbExporterAllocBuffer(octets_.data(), static_cast<std::uint16_t>(octets_.size())));
    fBufSetAutomaticMode(buffer_, FALSE);
  }
  ~FixbufOracle() { fBufFree(buffer_); }
  FixbufOracle(const FixbufOracle&) = delete;

  void write(std::size_t number, const FlowRecord& record, const FlowRecord* reverse) {
    std::vector<std::uint8_t> bytes = host_record(model_, templates_[number], record, reverse);
    write_bytes(number, bytes);
  }

  // Of host_record().
  void write_bytes(std::size_t number, std::vector<std::uint8_t>& bytes) {
    const auto id = static_cast<std::uint16_t>(kTypeTemplate + 1 + number);
    if (id != current_) {
      FixbufError error;
      error.check(fBufSetExportTemplate(buffer_, id, &error), "set");
      error.check(fBufSetInternalTemplate(buffer_, id, &error), "set");
      current_ = id;
    }
    if (append(bytes)) return;
    emit();
    if (!append(bytes)) throw std::runtime_error("does not fit");
  }

  std::vector<std::vector<std::uint8_t>> finish() {
    emit();
    return std::move(messages_);
  }

 private:
  void add(bool internal, std::uint16_t id, const Fields& fields) {
    fbTemplate_t* made = fbTemplateAlloc(model_.get());
    for (const TemplateField& field : fields) {
      const std::uint16_t length = internal ? model_.find(field.element.c_str())->len : length_of(field.kind);
      fbInfoElementSpec_t element{const_cast<char*>(field.element.c_str()), length, 0};
      FixbufError error;
      error.check(fbTemplateAppendSpec(made, &element, 0, &error), "append");
    }
    FixbufError error;
    error.check(fbSessionAddTemplate(session_, internal, id, made, &error), "add");
  }

  bool append(std::vector<std::uint8_t>& bytes) {
    FixbufError error;
    if (fBufAppend(buffer_, bytes.data(), bytes.size(), &error)) return true;
    if (!g_error_matches(error.get(), FB_ERROR_DOMAIN, FB_ERROR_EOM)) error.check(false, "append");
    return false;
  }

  void emit() {
    FixbufError error;
    error.check(fBufEmit(buffer_, &error), "emit");
    const std::size_t length = fbExporterGetMsgLen(fBufGetExporter(buffer_));
    messages_.emplace_back(octets_.begin(), octets_.begin() + static_cast<std::ptrdiff_t>(length));
  }

  const InfoModel& model_;
  const std::vector<Fields> templates_;
  std::vector<std::uint8_t> octets_;
  fbSession_t* session_;
  fBuf_t* buffer_ = nullptr;
  std::uint16_t current_ = 0;  // the Template that is set
  std::vector<std::vector<std::uint8_t>> messages_;
};

}  // namespace warpmeter::test
