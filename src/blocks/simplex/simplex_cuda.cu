/* Maps of blocks, on NVIDIA GPUs. */
#include "device/cuda.h"

extern "C" {
#include "blocks/simplex/cover_point.h"
#include "blocks/simplex/simplex.h"
}

/* The library's function is not the plug-in's to call. */
#define tsl_map_name(map) "a map"
#include "blocks/simplex/simplex_block.inc"
#undef tsl_map_name

extern const tsl_simplex_ops tsl_simplex_cuda = {.cover = gpu_cover, .write = gpu_write};
