/* Poisson's equation by lines, on sim. */
#include "device/sim.h"
#include "solvers/poisson/lines/lines.h"

#define LINES_LINKAGE
#define LINES_DEVICE(name) LINES_DEVICE_NAME(name)
#define LINES_DEVICE_NAME(name) name##_sim

#define LINES_OF(name) name##_double
#define LINES_NAME(name) name##_double
#define LARGEST LINES_LARGEST_DOUBLE
#define RESIDENT LINES_RESIDENT_DOUBLE
#define REAL double
#include "solvers/poisson/lines/lines_block.inc"
#undef LINES_OF
#undef LINES_NAME
#undef LARGEST
#undef RESIDENT
#undef REAL

#define LINES_OF(name) name
#define LINES_NAME(name) name##_single
#define LARGEST LINES_LARGEST_SINGLE
#define RESIDENT LINES_RESIDENT_SINGLE
#define REAL float
#include "solvers/poisson/lines/lines_block.inc"
