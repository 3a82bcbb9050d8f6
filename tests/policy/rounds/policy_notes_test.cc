// What is noted of connections: when, under which Flow Keys, and how far it reaches.
#include "policy/rounds/policy_notes.h"

#include <gtest/gtest.h>

#include "policy/rounds/policy_talk.h"

namespace warpmeter {
namespace {

using Kind = AnnotationReach::Kind;

constexpr LabelNumber kA = 0, kB = 1, kC = 2;
constexpr BroughtLabel kAOfAll{kA, LabelScope::connection}, kBOfAll{kB, LabelScope::connection};
constexpr BroughtLabel kAOfFlow{kA, LabelScope::flow}, kBOfFlow{kB, LabelScope::flow};
constexpr BroughtLabel kCOfAll{kC, LabelScope::connection}, kCOfFlow{kC, LabelScope::flow};

class NotesTest : public testing::Test, private AnnotationSink {
 protected:
  explicit NotesTest(std::size_t most = kMostKept) : notes_(policy_, *this, false, most) { connection_.number = 7; }

  // A packet of the client, or the server, that brought these.
  void client(std::uint64_t number, const std::vector<BroughtLabel>& brought = {}) {
    notes_.packet(connection_, test::talked_key(1000, 80), number, brought);
  }
  void server(std::uint64_t number, const std::vector<BroughtLabel>& brought = {}) {
    notes_.packet(connection_, test::talked_key(80, 1000), number, brought);
  }
  void client_on_vlan(std::uint64_t number, const std::vector<BroughtLabel>& brought = {}) {
    FlowKey key = test::talked_key(1000, 80);
    key.vlan[1] = 5;
    notes_.packet(connection_, key, number, brought);
  }
  // A packet of the client that brought values, for columns 0, 1, ...
  void client_brings(std::uint64_t number, const std::vector<std::string>& values,
                     const std::vector<BroughtLabel>& brought = {}) {
    for (std::uint32_t i = 0; i < values.size(); ++i) connection_.values.emplace_back(i, values[i]);
    notes_.packet(connection_, test::talked_key(1000, 80), number, brought, values.size());
  }
  // A packet behind the verdict.
  void client_goes_on(std::uint64_t number) { notes_.went_on(connection_, test::talked_key(1000, 80), false, number); }
  void server_goes_on(std::uint64_t number) { notes_.went_on(connection_, test::talked_key(80, 1000), true, number); }
  void client_goes_on_on_vlan(std::uint64_t number) {
    FlowKey key = test::talked_key(1000, 80);
    key.vlan[1] = 5;
    notes_.went_on(connection_, key, false, number);
  }
  void end(bool is_end_of_trace = false) { notes_.end(connection_, is_end_of_trace); }

  // What was noted since it was asked last, separated by commas: "1000@3 begin", the source port and the packet;
  // "1000@3 a" of its record; "..." of the connection; "a until 9"; "#x" of the column of a field; "#1=x,2=y" of
  // several columns.
  std::string noted() { return std::exchange(log_, {}); }

 private:
  void add(const FlowKey& key, const Annotation& annotation, const AnnotationReach& reach,
           std::uint64_t arrival) override {
    EXPECT_EQ(annotation.packet, arrival);
    if (!log_.empty()) log_ += ", ";
    log_ += std::to_string(port_number(key.source_port)) + (key.vlan[1] ? "v@" : "@") + std::to_string(arrival) + " " +
            (annotation.column == kLabelsColumn ? "" : "#") + annotation.text;
    const bool begins = reach.kind == Kind::begin || reach.kind == Kind::join;
    if (begins && !annotation.text.empty()) log_ += " ";
    switch (reach.kind) {
      case Kind::record: break;
      case Kind::records: log_ += " until " + std::to_string(reach.number); break;
      case Kind::connection: log_ += "..."; break;
      case Kind::begin: log_ += "begin"; break;
      case Kind::end: log_ += "end"; break;
      case Kind::pushed_out: log_ += "pushed out"; break;
      case Kind::join: log_ += "join"; break;
    }
    if (reach.kind != Kind::record && reach.kind != Kind::records) EXPECT_EQ(reach.number, 7u);
  }

  const CompiledPolicy policy_{
      PolicyMemory::load("[[group]]\nid = 1\nrule = [{ label = ['a', 'b', 'c'], field = { name = 'dns.name' } }]\n"),
      true};
  PolicyNotes notes_;
  PolicyConnection connection_;
  std::string log_;
};

TEST_F(NotesTest, WithoutLabelsThereAreNone) {
  client(1);
  server(2);
  end();
  EXPECT_EQ(noted(), "");
}

TEST_F(NotesTest, ALabelOfTheConnectionIsOfAllItsFlows) {
  client(1);
  server(2);
  client(3, {kAOfAll});
  EXPECT_EQ(noted(), "1000@1 begin, 1000@3 a..., 80@2 begin, 80@3 a...");
  client(4, {kAOfAll});
  server(5, {kAOfAll});
  EXPECT_EQ(noted(), "") << "once";
  server(6, {kBOfAll, kAOfAll});
  EXPECT_EQ(noted(), "1000@6 b..., 80@6 b...");
  end();
  EXPECT_EQ(noted(), "1000@5 end, 80@7 end");
}

TEST_F(NotesTest, AFlowThatIsMetLaterGetsItWithItsFirstPacket) {
  client(1, {kAOfAll});
  EXPECT_EQ(noted(), "1000@1 begin, 1000@1 a...");
  server(4);
  EXPECT_EQ(noted(), "80@4 a begin");
  client_on_vlan(5, {kBOfAll});
  EXPECT_EQ(noted(), "1000v@5 a begin, 1000@5 b..., 80@5 b..., 1000v@5 b...");
}

TEST_F(NotesTest, ALabelOfAFlowIsOfTheRecordsOfItsPackets) {
  client(1, {kAOfFlow});
  EXPECT_EQ(noted(), "1000@1 a");
  client(2);
  EXPECT_EQ(noted(), "") << "of one packet all is said";
  client(3, {kAOfFlow});
  EXPECT_EQ(noted(), "1000@3 a");
  client(4, {kAOfFlow});
  server(5);
  client(6, {kAOfFlow});
  EXPECT_EQ(noted(), "") << "of a row, the first";
  client(7);
  EXPECT_EQ(noted(), "1000@3 a until 6");
  end();
  EXPECT_EQ(noted(), "") << "and no Flow Record begins in a connection of which nothing reaches further";
}

TEST_F(NotesTest, ARowEndsWithOtherLabels) {
  client(1, {kAOfFlow, kBOfFlow});
  client(2, {kAOfFlow, kBOfFlow});
  EXPECT_EQ(noted(), "1000@1 a,b");
  client(3, {kBOfFlow, kAOfFlow});
  EXPECT_EQ(noted(), "1000@1 a,b until 2, 1000@3 b,a");
  client(4, {kBOfFlow});
  client(5, {kBOfFlow});
  end();
  EXPECT_EQ(noted(), "1000@4 b, 1000@4 b until 5");
}

TEST_F(NotesTest, LabelsStayInTheOrderOfTheirPacket) {
  client(1, {kAOfFlow, kBOfAll, kCOfAll, kCOfFlow, kBOfFlow});
  EXPECT_EQ(noted(), "1000@1 a, 1000@1 begin, 1000@1 b,c..., 1000@1 c,b");
}

TEST_F(NotesTest, ARowGoesOnWithLabelsThatTheConnectionHas) {
  client(1, {kAOfFlow, kBOfAll});
  EXPECT_EQ(noted(), "1000@1 a, 1000@1 begin, 1000@1 b...");
  client(2, {kAOfFlow, kBOfAll});
  client(3, {kAOfFlow});
  EXPECT_EQ(noted(), "");
  end();
  EXPECT_EQ(noted(), "1000@1 a until 3, 1000@4 end");
}

// What no Flow Record would have, behind two others, is not noted.
class FewNotesTest : public NotesTest {
 protected:
  FewNotesTest() : NotesTest(2) {}
};

TEST_F(FewNotesTest, AConnectionHasSoManyLabels) {
  client(1, {kAOfAll, kBOfAll, kCOfAll});
  EXPECT_EQ(noted(), "1000@1 begin, 1000@1 a,b...");
  server(2, {kCOfAll, kAOfFlow});
  EXPECT_EQ(noted(), "80@2 a,b begin, 80@2 a");
}

TEST_F(FewNotesTest, APacketBringsItsFlowSoManyLabels) {
  client(1, {kCOfFlow, kBOfFlow, kAOfFlow});
  EXPECT_EQ(noted(), "1000@1 c,b");
  client(2, {kCOfFlow, kBOfFlow});
  EXPECT_EQ(noted(), "") << "which may be a row";
  client(3, {kCOfFlow, kBOfFlow, kAOfFlow, kAOfAll});
  EXPECT_EQ(noted(), "1000@1 c,b until 2, 1000@3 c,b, 1000@1 begin, 1000@3 a...");
}

TEST_F(NotesTest, AValueIsOfAllFlowsFromTheirFirstPacketsOn) {
  client(1);
  server(2);
  client_brings(3, {"x"});
  EXPECT_EQ(noted(), "1000@1 #x begin, 80@2 #x begin");
  client_on_vlan(9);
  EXPECT_EQ(noted(), "1000v@9 #x begin");
}

TEST_F(NotesTest, ValuesOfAPacketAreNotedTogether) {
  client(1);
  server(2, {kAOfAll});
  EXPECT_EQ(noted(), "1000@1 begin, 1000@2 a..., 80@2 begin, 80@2 a...");
  client_brings(3, {"x", "y"}, {kBOfAll});
  EXPECT_EQ(noted(), "1000@1 #1=x,2=y..., 80@2 #1=x,2=y..., 1000@3 b..., 80@3 b...");
  client_on_vlan(9);
  EXPECT_EQ(noted(), "1000v@9 #0=a,0=b,1=x,2=y begin");
}

TEST_F(NotesTest, WhereTheTraceEndsNoConnectionHasToBeToldToEnd) {
  client(1, {kAOfAll});
  client(2, {kAOfFlow});
  client(3, {kAOfFlow});
  noted();
  end(true);
  EXPECT_EQ(noted(), "1000@2 a until 3") << "but what reaches up to a packet is";
}

TEST_F(NotesTest, PacketsBehindAVerdictAreOfTheirFlow) {
  client(1, {kAOfAll});
  client(2, {kBOfFlow});
  EXPECT_EQ(noted(), "1000@1 begin, 1000@1 a..., 1000@2 b");
  client_goes_on(3);
  client_goes_on(4);
  server_goes_on(5);
  EXPECT_EQ(noted(), "80@5 a begin") << "a flow that is met later";
  client_goes_on_on_vlan(6);
  EXPECT_EQ(noted(), "1000v@6 a begin");
  server_goes_on(7);
  client_goes_on(8);
  EXPECT_EQ(noted(), "");
  end();
  EXPECT_EQ(noted(), "1000@9 end, 80@8 end, 1000v@7 end");
}

}  // namespace
}  // namespace warpmeter
