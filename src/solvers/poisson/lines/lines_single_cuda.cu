/* Poisson's equation by lines on NVIDIA GPUs: single precision. */
#include "device/cuda.h"

extern "C" {
#include "solvers/poisson/lines/lines.h"
}

#define LINES_LINKAGE extern "C"
#define LINES_DEVICE(name) LINES_DEVICE_NAME(name)
#define LINES_DEVICE_NAME(name) name##_cuda
#define LINES_OF(name) name
#define LINES_NAME(name) name##_single
#define LARGEST LINES_LARGEST_SINGLE
#define RESIDENT LINES_RESIDENT_SINGLE
#define REAL float

#include "solvers/poisson/lines/lines_block.inc"
