// kernels/machine/condition_variable.h — std::condition_variable, for programs that run on older systems, too.
//
// GCC 12 gave condition_variable::wait a new symbol version, GLIBCXX_3.4.30, because the function no longer throws. The
// C++ libraries of systems with GCC 11, such as RHEL 9, have only the earlier version, which newer libraries have, too.
#pragma once

#include <condition_variable>

#if defined(__GLIBCXX__) && defined(__x86_64__)
__asm__(
    ".symver _ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE, "
    "_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE@GLIBCXX_3.4.11");
#endif
