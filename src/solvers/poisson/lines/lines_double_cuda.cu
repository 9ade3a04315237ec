/* Poisson's equation by lines on NVIDIA GPUs: double precision. */
#include "device/cuda.h"

extern "C" {
#include "solvers/poisson/lines/lines.h"
}

#define LINES_LINKAGE extern "C"
#define LINES_DEVICE(name) LINES_DEVICE_NAME(name)
#define LINES_DEVICE_NAME(name) name##_cuda
#define LINES_OF(name) name##_double
#define LINES_NAME(name) name##_double
#define LARGEST LINES_LARGEST_DOUBLE
#define RESIDENT LINES_RESIDENT_DOUBLE
#define REAL double

#include "solvers/poisson/lines/lines_block.inc"
