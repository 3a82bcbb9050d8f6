// write_flows CAPTURE OUTPUT: what a user of libwarpmeter writes first, for tests of what is installed of it.
#include <warpmeter/extraction.h>

#include <cstdio>

int main(int argc, char** argv) try {
  if (argc != 3) return 2;
  warpmeter::Extraction run({argv[1]}, {{"output", argv[2]}});
  for (std::vector<warpmeter::Biflow> flows; run.next(flows);) continue;
  return 0;
} catch (const warpmeter::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return static_cast<int>(error.status());
}
