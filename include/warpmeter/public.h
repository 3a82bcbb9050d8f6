// What libwarpmeter shows to programs that link it.
#pragma once

#define WARPMETER_PUBLIC __attribute__((visibility("default")))
