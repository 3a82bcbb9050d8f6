// WARPMETER_GUARDED_BY(mutex), behind the name of a member, says: who reads or writes it holds this mutex.
//
// People read it. In a class with a mutex, a member without it is const, atomic, set before other threads have the
// object, or one thread's; its comment says which where that is not plain. Constructors and destructors hold no mutex,
// nor does what is called when there is one thread only, as its comment says then. Functions that need a mutex held
// say `REQUIRES: mutex_ is held.`
//
// clang checks it with -Wthread-safety where the library's std::mutex is a capability, as that of libc++ can be. That
// of libstdc++ is none, so the builds do not ask for it.
#pragma once

#if defined(__clang__)
#define WARPMETER_GUARDED_BY(mutex) __attribute__((guarded_by(mutex)))
#else
#define WARPMETER_GUARDED_BY(mutex)
#endif
