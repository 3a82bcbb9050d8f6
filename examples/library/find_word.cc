// Finds a word in what TCP carried, also where packets or blocks cut it in two, and tells which connections had it:
//   find_word WORD CAPTURE...
#include <arpa/inet.h>
#include <warpmeter/stream_reader.h>

#include <cstdio>
#include <exception>
#include <string>
#include <unordered_map>
#include <vector>

namespace {

using warpmeter::TcpConnection;

constexpr const char* kSides[] = {"client", "server"};

void print(const TcpConnection& connection, warpmeter::StreamSide side, unsigned long long offset) {
  char client[INET6_ADDRSTRLEN], server[INET6_ADDRSTRLEN];
  const warpmeter::FlowKey& key = connection.key;
  const int family = key.version == 4 ? AF_INET : AF_INET6;
  inet_ntop(family, key.source, client, sizeof client);
  inet_ntop(family, key.destination, server, sizeof server);
  std::printf("%s:%u > %s:%u  %s, byte %llu\n", client, warpmeter::port_number(key.source_port), server,
              warpmeter::port_number(key.destination_port), kSides[static_cast<int>(side)], offset);
}

// The end of what each side sent, in which the word may have begun.
struct Tails {
  std::string of_side[2];
};

class Search {
 public:
  explicit Search(std::string word) : word_(std::move(word)) {}

  void look_at(const TcpConnection& connection, const warpmeter::StreamBlock& block) {
    for (const warpmeter::SubBlock& sub : block.sub_blocks) {
      std::string& tail = tails_[&connection].of_side[static_cast<int>(sub.side)];
      if (sub.gap > 0) tail.clear();  // nothing goes on across missing bytes
      const std::size_t before = tail.size();
      for (const warpmeter::StreamPiece& piece : sub.pieces) tail.append(piece.begin(), piece.end());
      for (std::size_t at = tail.find(word_); at != std::string::npos; at = tail.find(word_, at + 1)) {
        print(connection, sub.side, sub.offset + at - before);
      }
      if (tail.size() >= word_.size()) tail.erase(0, tail.size() - word_.size() + 1);
    }
  }
  void forget(const TcpConnection& connection) { tails_.erase(&connection); }

 private:
  const std::string word_;
  std::unordered_map<const TcpConnection*, Tails> tails_;
};

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 3 || !*argv[1]) {
    std::fprintf(stderr, "find_word WORD CAPTURE...\n");
    return 2;
  }
  Search search(argv[1]);
  warpmeter::StreamReader run({argv + 2, argv + argc}, {});
  for (std::vector<warpmeter::StreamEvent> events; run.next(events);) {
    for (const warpmeter::StreamEvent& event : events) {
      if (event.block()) search.look_at(*event.connection, *event.block());
      else search.forget(*event.connection);
    }
  }
  for (const std::string& line : run.warnings()) std::fprintf(stderr, "find_word: %s\n", line.c_str());
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "find_word: %s\n", error.what());
  return 1;
}
