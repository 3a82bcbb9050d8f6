// The lock of the interpreter (GIL), let go and taken.
//
// When the interpreter ends it ends threads that want the lock by unwinding them, which threads in functions of C++ do
// not survive, nor does the process. Here they wait for its end instead, as Python itself has them do from 3.14 on.
#pragma once

#include <nanobind/nanobind.h>
#include <unistd.h>

namespace warpmeter::python {

namespace gil_detail {

template <class F>
auto or_wait_for_the_end(const F& take) {
  try {
    return take();
  } catch (...) {  // functions of C throw nothing: this is the unwinding
    for (;;) pause();
  }
}

}  // namespace gil_detail

// As long as it lives, other threads of Python go on.
class WithoutGil {
 public:
  WithoutGil() : state_(PyEval_SaveThread()) {}
  ~WithoutGil() {
    gil_detail::or_wait_for_the_end([this] { PyEval_RestoreThread(state_); });
  }
  WithoutGil(const WithoutGil&) = delete;
  WithoutGil& operator=(const WithoutGil&) = delete;

 private:
  PyThreadState* const state_;
};

// On a thread that may have it already, or may never have had it.
class WithGil {
 public:
  WithGil() : state_(gil_detail::or_wait_for_the_end([] { return PyGILState_Ensure(); })) {}
  ~WithGil() { PyGILState_Release(state_); }
  WithGil(const WithGil&) = delete;
  WithGil& operator=(const WithGil&) = delete;

 private:
  const PyGILState_STATE state_;
};

}  // namespace warpmeter::python
