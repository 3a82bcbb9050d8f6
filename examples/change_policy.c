// Changes the policy of a capture (docs/policies.md, "The control socket"): change_policy SOCKET <REQUEST
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int main(int count, char** words) {
  const int control = socket(AF_UNIX, SOCK_STREAM, 0);
  struct sockaddr_un place = {.sun_family = AF_UNIX};
  char part[4096] = "";
  snprintf(place.sun_path, sizeof place.sun_path, "%s", count > 1 ? words[1] : "");
  if (connect(control, (const struct sockaddr*)&place, sizeof place) != 0) return perror("connect"), 1;
  for (ssize_t size; (size = read(0, part, sizeof part)) > 0;)
    if (send(control, part, (size_t)size, MSG_NOSIGNAL) != size) break;
  shutdown(control, SHUT_WR);  // the request is whole
  const ssize_t size = recv(control, part, sizeof part, MSG_WAITALL);
  return size < 1 || fwrite(part, (size_t)size, 1, stdout) != 1 || part[0] != 'o';
}
