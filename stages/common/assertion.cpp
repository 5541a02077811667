// Ends the program where a check of a subscript failed, see _GLIBCXX_ASSERTIONS in stages/CMakeLists.txt. GCC's own
// function exists only in the C++ libraries of GCC 12 and later (GLIBCXX_3.4.30), and the program also runs with that
// of GCC 11.
#include <cstdio>
#include <cstdlib>

#if defined(__GLIBCXX__) && defined(_GLIBCXX_RELEASE) && _GLIBCXX_RELEASE >= 12
namespace std {

// Prints what GCC's function prints, and ends the program.
void __glibcxx_assert_fail(const char* file, int line, const char* function, const char* condition) noexcept {
  fprintf(stderr, "%s:%d: %s: Assertion '%s' failed.\n", file, line, function, condition);
  abort();
}

}  // namespace std
#endif
