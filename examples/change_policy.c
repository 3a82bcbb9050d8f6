// Changes the policy of a capture (docs/policies.md, "The control socket"): change_policy SOCKET <REQUEST
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

int main(int count, char** words) {
  const int control = socket(AF_UNIX, SOCK_STREAM, 0);
  const struct timeval patience = {.tv_sec = 30};  // a change may take 10 s to compile, and one before it as long
  struct sockaddr_un place = {.sun_family = AF_UNIX};
  char part[4096] = "";
  if (count != 2) return fputs("change_policy SOCKET <REQUEST\n", stderr), 1;
  const size_t length = strlen(words[1]), longest = sizeof place.sun_path - 1;
  if (length > longest) return fprintf(stderr, "%s: longer than %zu bytes\n", words[1], longest), 1;
  memcpy(place.sun_path, words[1], length);
  setsockopt(control, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  setsockopt(control, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  if (connect(control, (const struct sockaddr*)&place, sizeof place) != 0) return perror(words[1]), 1;
  for (ssize_t size; (size = read(0, part, sizeof part)) > 0;)
    if (send(control, part, (size_t)size, MSG_NOSIGNAL) != size) break;
  shutdown(control, SHUT_WR);  // the request is whole
  const ssize_t size = recv(control, part, sizeof part, MSG_WAITALL);
  if (size < 1) return fprintf(stderr, "%s: no answer\n", words[1]), 1;
  return fwrite(part, (size_t)size, 1, stdout) != 1 || part[0] != 'o';
}
