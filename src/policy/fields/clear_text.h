// Fields of protocols that speak in clear text: the host of an HTTP request, the name of a DNS question, the banner of
// an SSH connection.
//
// `head`: the first bytes of a direction, or a datagram; the value is empty where it is not there (yet).
//
// Threads: any. Errors: none; lengths in `head` are held to its end.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace warpmeter::inline policy {

// Of the first header field named Host, in whatever case, before the end of the header; without white space around it.
// A last line that is not whole yet is none.
std::string http_host(std::span<const std::uint8_t> head);

// Of the first question of a DNS message over UDP: labels joined by dots. A compressed name is none.
std::string dns_name(std::span<const std::uint8_t> head);

// The identification string of RFC 4253, section 4.2, without the end of its line; lines that a server sends before it
// are passed over.
std::string ssh_banner(std::span<const std::uint8_t> head);

}  // namespace warpmeter::inline policy
