/* Products of small matrices for each instruction set. */
#include "solvers/scf/xc_step/products_cpu.h"

#include <math.h>
#include <string.h>

#include "solvers/xc/xc_cpu.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12
#define STEP_HAS_LEVELS 1
#include <immintrin.h>
#endif

#define STEP_FN static inline __attribute__((always_inline))
#define STEP_UNROLL _Pragma("GCC unroll 16")
#define STEP_PASTE_(a, b) a##b
#define STEP_PASTE(a, b) STEP_PASTE_(a, b)
#define STEP_NAME(name) STEP_PASTE(name, STEP_SUFFIX)

/* Registers for TALL rows of WIDE vectors of sums at a time. */
#define STEP_SUFFIX _base
#define STEP_LANES 2
#define STEP_TALL 2
#define STEP_WIDE 4
#include "solvers/scf/xc_step/products_level.inc"

#ifdef STEP_HAS_LEVELS
#pragma GCC push_options
#pragma GCC target("arch=x86-64-v3")
#define STEP_SUFFIX _v3
#define STEP_LANES 4
#define STEP_TALL 4
#define STEP_WIDE 2
#include "solvers/scf/xc_step/products_level.inc"
#pragma GCC pop_options

#pragma GCC push_options
#pragma GCC target("arch=x86-64-v4")
#define STEP_SUFFIX _v4
#define STEP_LANES 8
#define STEP_TALL 12
#define STEP_WIDE 2
#include "solvers/scf/xc_step/products_level.inc"
#pragma GCC pop_options
#endif

typedef struct products {
    void (*expand)(double *c, const double *a, const double *b, int rows, int inner);
    void (*contract)(double *c, const double *a, const double *b, int rows, bool add);
} products;

static const products levels[TSL_XC_LEVELS] = {
    {expand_base, contract_base},
#ifdef STEP_HAS_LEVELS
    {expand_v3, contract_v3},
    {expand_v4, contract_v4},
#endif
};

void tsl_xc_step_expand(double *c, const double *a, const double *b, int rows, int inner)
{
    levels[tsl_xc_level_now()].expand(c, a, b, rows, inner);
}

void tsl_xc_step_contract(double *c, const double *a, const double *b, int rows, bool add)
{
    levels[tsl_xc_level_now()].contract(c, a, b, rows, add);
}
