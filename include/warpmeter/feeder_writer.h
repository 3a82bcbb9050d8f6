// A feeder's side of feeder_ring.h, as functions of C11 or C++ without a library: a ring is made, frames are put into
// it, and it is handed to `warpmeter live -i shm:NAME`. examples/feeder.c is a whole feeder.
//
// Needs Linux, gcc or clang, and _GNU_SOURCE. Where a function fails it says so by what it returns, and errno.
// Threads: one at a time for each ring; each may have another.
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "warpmeter/feeder_ring.h"

struct wmf_writer {
  struct wmf_header* header;
  uint8_t* data;
  int fd;
  uint32_t snaplen;
  uint64_t size;   // bytes of data
  uint64_t write;  // position that the meter sees after the next wmf_flush()
  uint64_t read;   // position of the meter, as last seen
  uint64_t offered, dropped;
  int full;  // the last frame was dropped
};

// Makes ring number `ring` of `rings`, with at least `bytes` for frames, of which up to `snaplen` bytes are kept. 0, or
// -1: EINVAL, no memory. wmf_close() frees it.
static inline int wmf_open(struct wmf_writer* w, uint32_t ring, uint32_t rings, uint64_t bytes, uint32_t snaplen) {
  memset(w, 0, sizeof *w);
  w->fd = -1;
  if (ring >= rings || rings > WMF_MOST_RINGS || bytes > WMF_MOST_DATA || snaplen == 0 || snaplen > WMF_MOST_CAPTURED) {
    errno = EINVAL;
    return -1;
  }
  w->snaplen = snaplen;
  w->size = WMF_LEAST_DATA;
  while (w->size < bytes || w->size < 4 * (uint64_t)snaplen) w->size *= 2;
  const size_t all = WMF_HEADER_BYTES + (size_t)w->size;
  w->fd = memfd_create("warpmeter-feeder", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (w->fd < 0) return -1;
  void* at = MAP_FAILED;
  if (ftruncate(w->fd, (off_t)all) == 0 && fcntl(w->fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0) {
    at = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, w->fd, 0);
  }
  if (at == MAP_FAILED) {
    close(w->fd);
    w->fd = -1;
    return -1;
  }
  w->header = (struct wmf_header*)at;
  w->data = (uint8_t*)at + WMF_HEADER_BYTES;
  w->header->magic = WMF_MAGIC;
  w->header->version = WMF_VERSION;
  w->header->header_bytes = WMF_HEADER_BYTES;
  w->header->data_bytes = w->size;
  w->header->ring = ring;
  w->header->rings = rings;
  w->header->snaplen = snaplen;
  return 0;
}

static inline void wmf_close(struct wmf_writer* w) {
  if (w->fd < 0) return;
  munmap(w->header, WMF_HEADER_BYTES + (size_t)w->size);
  close(w->fd);
  w->fd = -1;
}

// What a record of so many captured bytes takes from here on, with the filler before it.
static inline uint64_t wmf_needed(const struct wmf_writer* w, uint32_t captured) {
  const uint64_t record = (sizeof(struct wmf_record) + captured + 7) & ~UINT64_C(7);
  const uint64_t left = w->size - (w->write & (w->size - 1));
  return record <= left ? record : left + record;
}

// Whether a frame finds room: for feeders that can wait.
static inline int wmf_has_room(struct wmf_writer* w, uint32_t captured) {
  const uint64_t needed = wmf_needed(w, captured < w->snaplen ? captured : w->snaplen);
  if (w->write + needed - w->read <= w->size) return 1;
  w->read = __atomic_load_n(&w->header->read, __ATOMIC_ACQUIRE);
  return w->write + needed - w->read <= w->size;
}

// Puts a frame into the ring; the meter sees it after wmf_flush(). 1, or 0 if there was no room: then it is counted.
static inline int wmf_put(struct wmf_writer* w, const void* frame, uint32_t captured, uint32_t original, uint16_t link,
                          int64_t time_ns) {
  if (captured > w->snaplen) captured = w->snaplen;
  ++w->offered;
  if (!wmf_has_room(w, captured)) {
    __atomic_store_n(&w->header->dropped, ++w->dropped, __ATOMIC_RELAXED);
    if (!w->full) __atomic_fetch_add(&w->header->times_full, 1, __ATOMIC_RELAXED);
    w->full = 1;
    return 0;
  }
  w->full = 0;
  const uint64_t size = (sizeof(struct wmf_record) + captured + 7) & ~UINT64_C(7);
  uint64_t at = w->write & (w->size - 1);
  struct wmf_record record;
  memset(&record, 0, sizeof record);
  if (size > w->size - at) {
    record.flags = WMF_FILLER;
    if (w->size - at >= sizeof record) memcpy(w->data + at, &record, sizeof record);
    record.flags = 0;
    w->write += w->size - at;
    at = 0;
  }
  record.time_ns = time_ns;
  record.captured = captured;
  record.original = original < captured ? captured : original;
  record.link = link;
  memcpy(w->data + at, &record, sizeof record);
  if (captured > 0) memcpy(w->data + at + sizeof record, frame, captured);
  w->write += size;
  return 1;
}

// Shows the meter what was put: after each burst, and at least once a second. `passed_ns`: see wmf_header.
static inline void wmf_flush(struct wmf_writer* w, int64_t passed_ns) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  __atomic_store_n(&w->header->heartbeat_ns, (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec,
                   __ATOMIC_RELAXED);
  __atomic_store_n(&w->header->offered, w->offered, __ATOMIC_RELAXED);
  __atomic_store_n(&w->header->write, w->write, __ATOMIC_RELEASE);
  __atomic_store_n(&w->header->passed_ns, passed_ns, __ATOMIC_RELEASE);
}

// There will be no more, and that is as it should be.
static inline void wmf_end(struct wmf_writer* w, int64_t passed_ns) {
  wmf_flush(w, passed_ns);
  __atomic_store_n(&w->header->ended, 1, __ATOMIC_RELEASE);
}

// Hands the rings to the meter that waits for NAME. A descriptor for wmf_look(), whose end tells the meter that this
// feeder is gone; or -1: ECONNREFUSED, there is no meter yet, or too many wait for it, try again later; EPERM, it is
// neither of this user, nor of root, nor of user `also`; or another error. Does not wait.
static inline int wmf_connect(const char* name, const struct wmf_writer* rings, uint32_t count, uid_t also) {
  struct sockaddr_un address;
  memset(&address, 0, sizeof address);
  address.sun_family = AF_UNIX;
  const size_t prefix = sizeof WMF_ADDRESS - 1, length = strlen(name);
  if (length == 0 || length > WMF_MOST_NAME || count == 0 || count > WMF_MOST_RINGS) {
    errno = EINVAL;
    return -1;
  }
  memcpy(address.sun_path + 1, WMF_ADDRESS, prefix);
  memcpy(address.sun_path + 1 + prefix, name, length);
  const socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + prefix + length);
  const int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return -1;

  struct ucred peer;
  socklen_t peer_size = sizeof peer;
  int error = 0;
  if (connect(fd, (const struct sockaddr*)&address, size) != 0) error = errno == EAGAIN ? ECONNREFUSED : errno;
  else if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &peer_size) != 0) error = errno;
  else if (peer.uid != geteuid() && peer.uid != 0 && peer.uid != also) error = EPERM;
  if (error == 0) {
    struct wmf_hello hello = {WMF_HELLO_MAGIC, WMF_VERSION, count};
    struct iovec part = {&hello, sizeof hello};
    union {
      struct cmsghdr first;
      char room[CMSG_SPACE(sizeof(int) * WMF_MOST_RINGS)];
    } control;
    memset(&control, 0, sizeof control);
    control.first.cmsg_level = SOL_SOCKET;
    control.first.cmsg_type = SCM_RIGHTS;
    control.first.cmsg_len = CMSG_LEN(sizeof(int) * count);
    for (uint32_t i = 0; i < count; ++i) {
      memcpy(CMSG_DATA(&control.first) + i * sizeof(int), &rings[i].fd, sizeof(int));
    }
    struct msghdr message;
    memset(&message, 0, sizeof message);
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.room;
    message.msg_controllen = CMSG_SPACE(sizeof(int) * count);
    if (sendmsg(fd, &message, MSG_NOSIGNAL) != (ssize_t)sizeof hello) error = errno;
  }
  if (error == 0) return fd;
  close(fd);
  errno = error;
  return -1;
}

// Whether the meter is there still: 1; or 0 if it is gone, then close the descriptor and connect again; or -1 if it
// refused these rings, and `text` says why. Does not wait.
static inline int wmf_look(int fd, char text[WMF_MOST_TEXT + 1]) {
  const ssize_t got = recv(fd, text, WMF_MOST_TEXT, MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return 1;
  if (got <= 0) return 0;
  text[got] = 0;
  return -1;
}
