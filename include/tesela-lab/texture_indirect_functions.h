/* CUDA's name for a part of what cuda_runtime.h brings. */
#include "cuda_runtime.h"
