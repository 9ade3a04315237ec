/* What bench/occupancy asks of CUDA's runtime. */
#ifndef TSL_BENCH_OCCUPANCY_H
#define TSL_BENCH_OCCUPANCY_H

#include <stdint.h>

/* What a kernel of occupancy_cuda.cu takes, as the runtime tells but for its barriers. */
typedef struct card_kernel {
    int registers;
    int64_t static_shared;
    int barriers;
} card_kernel;

#ifdef __cplusplus
extern "C" {
#endif

int card_kernel_count(void);
/* Each returns NULL, or the runtime's error. */
const char *card_open(int device);
const char *card_describe(card_kernel *out, int kernel);
/* cudaOccupancyMaxActiveBlocksPerMultiprocessor(), once the kernel may have `allowed` bytes of
 * dynamic shared memory and prefers that carve-out. */
const char *card_blocks(int *out, int kernel, int threads, int64_t dynamic, int64_t allowed,
                        int carveout);

#ifdef __cplusplus
}
#endif

#endif
