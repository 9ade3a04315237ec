/* Poisson's equation by lines, on sim. */
#include "device/sim.h"
#include "poisson/lines.h"

#define LINES_LINKAGE
#define LINES_DEVICE(name) LINES_DEVICE_NAME(name)
#define LINES_DEVICE_NAME(name) name##_sim

#define LINES_OF(name) name##_double
#define REAL double

#define LINES_NAME(name) name##_double_8
#define LARGEST 8
#include "poisson/lines_block.inc"
#undef LINES_NAME
#undef LARGEST

#define LINES_NAME(name) name##_double_16
#define LARGEST 16
#include "poisson/lines_block.inc"
#undef LINES_NAME
#undef LINES_OF
#undef REAL

#define LINES_OF(name) name
#define LINES_NAME(name) name##_single_16
#define REAL float
#include "poisson/lines_block.inc"
