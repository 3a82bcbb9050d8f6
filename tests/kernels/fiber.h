// A function that can be left halfway and gone on with later, on a stack of its own. Boost.Context's own fibers end in
// an outermost call that never returns, and AddressSanitizer would keep the frames of all of those for ever.
#pragma once

#include <boost/context/detail/fcontext.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <utility>

namespace warpmeter::test {

class Fiber {
 public:
  // `body` throws nothing. A fiber that goes away while its body pauses runs no destructors.
  explicit Fiber(std::function<void()> body)
      : body_(std::move(body)), inside_(boost::context::detail::make_fcontext(stack_.get() + kStack, kStack, enter)) {}
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // From outside: until the body pauses or returns. After it has returned, it is called anew.
  void resume() { inside_ = boost::context::detail::jump_fcontext(inside_, this).fctx; }
  // From inside: until somebody resumes.
  void pause() { outside_ = boost::context::detail::jump_fcontext(outside_, nullptr).fctx; }

 private:
#if defined(__SANITIZE_ADDRESS__)  // whose frames are large
  static constexpr std::size_t kStack = 256 << 10;
#else
  static constexpr std::size_t kStack = 64 << 10;
#endif

  __attribute__((no_sanitize("address"))) static void enter(boost::context::detail::transfer_t from) {
    auto* fiber = static_cast<Fiber*>(from.data);
    for (fiber->outside_ = from.fctx;;) {
      fiber->body_();
      fiber->outside_ = boost::context::detail::jump_fcontext(fiber->outside_, nullptr).fctx;
    }
  }

  const std::function<void()> body_;
  const std::unique_ptr<unsigned char[]> stack_ = std::make_unique_for_overwrite<unsigned char[]>(kStack);
  boost::context::detail::fcontext_t inside_;
  boost::context::detail::fcontext_t outside_ = nullptr;
};

}  // namespace warpmeter::test
