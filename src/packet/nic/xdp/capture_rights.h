// Which capabilities a capture by AF_XDP lacks: nobody should have to guess which of three it was. And how a process
// gets rid of all that it has once it has its sockets: a fault in what reads packets is worth less then.
//
// Source: capabilities(7).
#pragma once

#include <string>

namespace warpmeter::inline packet {

// Of this thread: "CAP_NET_ADMIN and CAP_BPF"; "" if it has all.
std::string missing_rights_for_xdp();

enum class KeptRights {
  none,
  // What root may do with files of other users, and nothing else, as far as it is there: CAP_DAC_OVERRIDE,
  // CAP_DAC_READ_SEARCH, CAP_CHOWN, CAP_FOWNER and CAP_LEASE.
  files,
};

// This thread has no others any more, nor have those that it starts from now on, nor could a program that it starts get
// some. What is refused stays as it is.
void drop_rights_of_thread(KeptRights kept);

// The same for all threads of the process, wherever they are. For each it takes a signal, SIGRTMAX, which nobody else
// may use: the kernel lets no thread change the rights of another. From one thread, once.
void drop_rights(KeptRights kept);

// As long as it lives, this thread is refused what only its capabilities allow.
class WithoutRights {
 public:
  WithoutRights();
  ~WithoutRights();
  WithoutRights(const WithoutRights&) = delete;
  WithoutRights& operator=(const WithoutRights&) = delete;
};

}  // namespace warpmeter::inline packet
