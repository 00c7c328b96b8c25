/* Runs functions of C and CUDA, for judge.rs. Its checks of undefined behaviour call what is defined here. */
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef __cplusplus
#include <algorithm>
#include <cstdlib>
extern "C" {
#else
#include <stdbool.h>
#endif

static int is_undefined;
static jmp_buf outside;

void __ubsan_handle_add_overflow(void *at, void *x, void *y) { is_undefined = 1; }
void __ubsan_handle_sub_overflow(void *at, void *x, void *y) { is_undefined = 1; }
void __ubsan_handle_mul_overflow(void *at, void *x, void *y) { is_undefined = 1; }
void __ubsan_handle_negate_overflow(void *at, void *x) { is_undefined = 1; }
void __ubsan_handle_shift_out_of_bounds(void *at, void *x, void *y) { is_undefined = 1; }
void __ubsan_handle_divrem_overflow(void *at, void *x, void *y) { longjmp(outside, 1); }

#ifdef __cplusplus
}
#endif

struct three {
  unsigned x, y, z;
};

/* A value of an unsigned type of 64 bits may be too large for the answer. */
static long long of_signed(long long x) { return x; }
static long long of_unsigned(unsigned long long x) {
  is_undefined |= x >> 63;
  return (long long)x;
}
#ifdef __cplusplus
template <typename X> static long long OUT(X x) {
  return (X)-1 > (X)0 ? of_unsigned((unsigned long long)x) : of_signed((long long)x);
}
#else
#define OUT(x) _Generic((x), unsigned long: of_unsigned, unsigned long long: of_unsigned, default: of_signed)(x)
#endif

#ifdef __cplusplus
using std::abs;
/* Those of CUDA. */
static int min(int x, int y) { return x < y ? x : y; }
static int max(int x, int y) { return x > y ? x : y; }
static unsigned min(unsigned x, unsigned y) { return x < y ? x : y; }
static unsigned max(unsigned x, unsigned y) { return x > y ? x : y; }
static unsigned min(int x, unsigned y) { return min((unsigned)x, y); }
static unsigned max(int x, unsigned y) { return max((unsigned)x, y); }
static unsigned min(unsigned x, int y) { return min(x, (unsigned)y); }
static unsigned max(unsigned x, int y) { return max(x, (unsigned)y); }
#endif

typedef int (*function)(const long long *values, long long *out);

static int run(function *functions, const int *lengths) {
  static long long number, count, values[16], out[16];
  while (scanf("%lld %lld", &number, &count) == 2) {
    while (count-- > 0) {
      for (int i = 0; i < lengths[number]; i++)
        if (scanf("%lld", &values[i]) != 1) return 1;
      is_undefined = 0;
      static volatile int results;
      results = 0;
      if (setjmp(outside) == 0)
        results = functions[number](values, out);
      if (results == 0 || is_undefined) {
        printf("!;");
        continue;
      }
      for (int i = 0; i < results; i++) printf(i ? " %lld" : "%lld", out[i]);
      printf(";");
    }
    printf("\n");
    fflush(stdout);
  }
  return 0;
}
