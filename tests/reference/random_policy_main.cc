// random_policy SEED: the policy of this seed, as a policy file, on standard output. For tools/compare_labels.
#include <cstdio>
#include <cstdlib>

#include "random_policy.h"

int main(int count, char** words) {
  if (count != 2) {
    std::fputs("random_policy SEED\n", stderr);
    return 2;
  }
  std::fputs(reference::toml(reference::random_policy(std::strtoull(words[1], nullptr, 10))).c_str(), stdout);
}
