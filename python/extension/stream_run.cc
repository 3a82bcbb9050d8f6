#include "stream_run.h"

#include <arpa/inet.h>
#include <nanobind/stl/string.h>

#include <string>
#include <utility>

#include "warpmeter/tcp_stream.h"

namespace warpmeter::python {
namespace {

namespace nb = nanobind;

using Connection = std::shared_ptr<TcpConnection>;

struct TakenConnection {
  Connection connection;
  const TcpConnection* operator->() const { return connection.get(); }
};

std::string text_of(const std::uint8_t (&address)[16], std::uint8_t version) {
  char text[INET6_ADDRSTRLEN] = "";
  inet_ntop(version == 6 ? AF_INET6 : AF_INET, address, text, sizeof text);
  return text;
}

std::string ends_of(const TakenConnection& c) {
  const auto end = [&](const std::uint8_t(&address)[16], std::uint16_t port) {
    const std::string text = text_of(address, c->key.version);
    return (c->key.version == 6 ? "[" + text + "]" : text) + ":" + std::to_string(port);
  };
  return end(c->key.source, port_number(c->key.source_port)) + " > " +
         end(c->key.destination, port_number(c->key.destination_port));
}

nb::list sub_blocks_of(const TakenBlock& block) {
  nb::list subs;
  if (!block.event.block()) return subs;
  for (std::size_t i = 0; i < block.event.block()->sub_blocks.size(); ++i) {
    subs.append(nb::cast(TakenSubBlock{block.event, i}));
  }
  return subs;
}

const char* reason_of(const TakenBlock& block) {
  return word_of(block.event.block() ? block.event.block()->reason : block.event.report()->end);
}

nb::object packet_of(const TakenBlock& block) {
  if (!block.event.block() || block.event.block()->packet == 0) return nb::none();
  return nb::int_(block.event.block()->packet);
}

nb::object report_of(const TakenBlock& block) {
  return block.event.report() ? nb::cast(TakenReport{block.event}) : nb::none();
}

nb::list gaps_of(const TakenDirection& direction) {
  nb::list gaps;
  for (const StreamGap& gap : direction.way().gaps) gaps.append(nb::make_tuple(gap.offset, gap.length));
  return gaps;
}

const char* name_of(StreamSide side) { return side == StreamSide::client ? "client" : "server"; }

// The buffer protocol: bytes(sub), memoryview(sub), and whatever else takes bytes. They stay as long as the view, which
// has the sub-block.
int get_buffer(PyObject* self, Py_buffer* view, int flags) noexcept {
  const StreamPiece bytes = nb::inst_ptr<TakenSubBlock>(self)->sub().pieces.front();
  static std::uint8_t none = 0;
  auto* const data = bytes.empty() ? &none : const_cast<std::uint8_t*>(bytes.data());
  return PyBuffer_FillInfo(view, self, data, static_cast<Py_ssize_t>(bytes.size()), 1, flags);
}

PyType_Slot kBufferSlots[] = {{Py_bf_getbuffer, reinterpret_cast<void*>(get_buffer)}, {0, nullptr}};

nb::object view_of(nb::handle self) { return nb::steal(PyMemoryView_FromObject(self.ptr())); }

void add_blocks(nb::module_& m) {
  nb::class_<TakenConnection>(m, "Connection",
                              "A TCP connection: both directions between one opening and one end. One object in all "
                              "blocks of it.")
      .def_prop_ro("client", [](const TakenConnection& c) { return text_of(c->key.source, c->key.version); })
      .def_prop_ro("client_port", [](const TakenConnection& c) { return port_number(c->key.source_port); })
      .def_prop_ro("server", [](const TakenConnection& c) { return text_of(c->key.destination, c->key.version); })
      .def_prop_ro("server_port", [](const TakenConnection& c) { return port_number(c->key.destination_port); })
      .def_prop_ro("opened_packet", [](const TakenConnection& c) { return c->opened_packet; })
      .def_prop_ro("opened_ns", [](const TakenConnection& c) { return c->opened_ns; })
      .def("__repr__", [](const TakenConnection& c) { return "<warpmeter.Connection: " + ends_of(c) + ">"; });

  nb::class_<TakenSubBlock>(m, "SubBlock", nb::type_slots(kBufferSlots),
                            "Bytes that one side sent, one behind the other. Has the buffer protocol: bytes(sub).")
      .def_prop_ro("direction", [](const TakenSubBlock& s) { return name_of(s.sub().side); })
      .def_prop_ro("offset", [](const TakenSubBlock& s) { return s.sub().offset; })
      .def_prop_ro("gap", [](const TakenSubBlock& s) { return s.sub().gap; })
      .def_prop_ro("data", view_of)
      .def("__len__", [](const TakenSubBlock& s) { return s.sub().length; })
      .def("__repr__", [](const TakenSubBlock& s) {
        return "<warpmeter.SubBlock: " + std::to_string(s.sub().length) + " bytes of the " + name_of(s.sub().side) +
               " at " + std::to_string(s.sub().offset) + ">";
      });

  nb::class_<TakenBlock>(m, "Block",
                         "What was submitted of a connection at once; or, with a report and without sub-blocks, its "
                         "end.")
      .def_ro("connection", &TakenBlock::connection)
      .def_prop_ro("reason", reason_of)
      .def_prop_ro("packet", packet_of)
      .def_prop_ro("sub_blocks", sub_blocks_of)
      .def_prop_ro("report", report_of)
      .def("__repr__", [](const TakenBlock& b) {
        return std::string("<warpmeter.Block: ") + (b.event.block() ? "" : "end, ") + reason_of(b) + ", " +
               ends_of({b.event.connection}) + ">";
      });
}

void add_reports(nb::module_& m) {
  nb::class_<TakenDirection> direction(m, "Direction", "What is known at its end of what one side sent.");
  direction.def_prop_ro("syn", [](const TakenDirection& d) { return d.way().syn; })
      .def_prop_ro("fin", [](const TakenDirection& d) { return d.way().fin; })
      .def_prop_ro("finished", [](const TakenDirection& d) { return d.way().finished; })
      .def_prop_ro("complete", [](const TakenDirection& d) { return d.way().complete; })
      .def_prop_ro("gaps", gaps_of);
#define WARPMETER_ONE(name) direction.def_prop_ro(#name, [](const TakenDirection& d) { return d.way().counters.name; });
  WARPMETER_STREAM_COUNTERS(WARPMETER_ONE)
#undef WARPMETER_ONE

  nb::class_<TakenReport>(m, "ConnectionReport", "What is known of a connection at its end.")
      .def_prop_ro("end", [](const TakenReport& r) { return word_of(r.event.report()->end); })
      .def_prop_ro("last_ns", [](const TakenReport& r) { return r.event.report()->last_ns; })
      .def_prop_ro("max_buffered", [](const TakenReport& r) { return r.event.report()->max_buffered; })
      .def_prop_ro("client",
                   [](const TakenReport& r) {
                     return TakenDirection{r.event, StreamSide::client};
                   })
      .def_prop_ro("server", [](const TakenReport& r) {
        return TakenDirection{r.event, StreamSide::server};
      });
}

}  // namespace

nb::object StreamRun::connection_of(const StreamEvent& event) {
  std::uint64_t& tag = event.connection->tag;
  if (tag == 0) {
    if (free_.empty()) {
      connections_.emplace_back();
      free_.push_back(connections_.size());
    }
    tag = free_.back();
    free_.pop_back();
    connections_[tag - 1] = nb::cast(TakenConnection{event.connection});
  }
  if (!event.report()) return connections_[tag - 1];
  free_.push_back(tag);
  return std::move(connections_[tag - 1]);
}

nb::object StreamRun::next() {
  const Held held(*this);
  wait_for(held.job());
  bool has_some = false;
  take([&] { has_some = static_cast<StreamReader&>(held.job()).next(events_); });
  if (!has_some) return nb::none();
  nb::list blocks;
  for (StreamEvent& event : events_) {
    nb::object connection = connection_of(event);
    blocks.append(nb::cast(TakenBlock{std::move(event), std::move(connection)}));
  }
  return blocks;
}

void add_stream_classes(nb::module_& m) {
  add_blocks(m);
  add_reports(m);
  nb::class_<StreamRun, JobRun>(m, "StreamRun").def("next", &StreamRun::next);
}

}  // namespace warpmeter::python
