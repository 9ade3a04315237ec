/* Clean: graphs captured from two streams, functions of the host in them, groups whose size is
 * known only when they run. */
#include <cooperative_groups.h>

#include "expect.h"

namespace cg = cooperative_groups;

__global__ void add(float *a, float by)
{
    a[blockIdx.x * blockDim.x + threadIdx.x] += by;
}

__global__ void scale(float *a, float by)
{
    a[blockIdx.x * blockDim.x + threadIdx.x] *= by;
}

__device__ int sum(cg::thread_group group, int *x, int value)
{
    const int rank = (int)group.thread_rank();
    for (int i = (int)group.size() / 2; i > 0; i /= 2) {
        x[rank] = value;
        group.sync();
        if (rank < i) {
            value += x[rank + i];
        }
        group.sync();
    }
    return rank == 0 ? value : -1;
}

__global__ void sums(int *out, const int *in)
{
    __shared__ int x[128];
    cg::thread_block block = cg::this_thread_block();
    auto tile = cg::tiled_partition(block, 32);
    auto part = cg::tiled_partition(tile, 8);
    const int t = (int)block.thread_rank();
    const int of_part = sum(part, x + t / 8 * 8, in[t]);
    cg::sync(block);
    const int of_block = sum(block, x, in[t]);
    if (t % 8 == 0) {
        out[t / 8] = of_part;
    }
    if (t == 0) {
        out[16] = of_block;
    }
}

__constant__ int constant[4];

static void called_back(cudaStream_t, cudaError_t, void *data)
{
    ++*(int *)data;
}

static void count(void *data)
{
    ++*(int *)data;
}

/* Copies of two dimensions are captured; what cannot be is refused, and not done at once. */
static void rows()
{
    int *a, to[2][4] = {{0}}, called = 0;
    size_t pitch;
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t made, other;
    cudaMallocPitch((void **)&a, &pitch, sizeof *to, 2);
    cudaStreamCreate(&stream);
    cudaMemset2D(a, pitch, 1, sizeof *to, 2);
    cudaGraphCreate(&graph, 0);
    cudaGraphInstantiate(&other, graph, 0);
    cudaGraphDestroy(graph);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    cudaMemset2DAsync(a, pitch, 2, sizeof *to, 2, stream);
    cudaMemcpy2DAsync(to, sizeof *to, a, pitch, sizeof *to, 2, cudaMemcpyDeviceToHost, stream);
    expect("no graph in a graph", cudaGraphLaunch(other, stream) == cudaErrorNotSupported);
    expect("no callback in a graph", cudaStreamAddCallback(stream, called_back, &called, 0) ==
                                         cudaErrorStreamCaptureUnsupported);
    expect("no symbol in a graph",
           cudaMemcpyToSymbolAsync(constant, to, sizeof constant, 0, cudaMemcpyHostToDevice,
                                   stream) == cudaErrorNotSupported);
    cudaStreamEndCapture(stream, &graph);
    expect("rows are not copied yet", to[1][3] == 0 && called == 0);
    cudaGraphInstantiate(&made, graph, 0);
    cudaGraphLaunch(made, stream);
    expect("rows are copied", to[0][0] == 0x02020202 && to[1][3] == 0x02020202);
    cudaGetLastError();
}

static void graphs()
{
    float *a;
    float first[64];
    int called = 0;
    cudaStream_t one, two;
    cudaEvent_t fork, join;
    cudaGraph_t graph;
    cudaGraphExec_t made;
    enum cudaStreamCaptureStatus status;
    cudaMalloc(&a, sizeof first);
    cudaStreamCreate(&one);
    cudaStreamCreate(&two);
    cudaEventCreate(&fork);
    cudaEventCreate(&join);
    first[5] = -1;
    cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal);
    cudaMemsetAsync(a, 0, sizeof first, one);
    add<<<2, 32, 0, one>>>(a, 3);
    cudaEventRecord(fork, one);
    cudaStreamWaitEvent(two, fork);
    scale<<<2, 32, 0, two>>>(a, 2);
    cudaEventRecord(join, two);
    cudaStreamWaitEvent(one, join);
    cudaLaunchHostFunc(one, count, &called);
    cudaMemcpyAsync(first, a, sizeof first, cudaMemcpyDeviceToHost, one);
    cudaStreamIsCapturing(two, &status);
    expect("the second stream is captured", status == cudaStreamCaptureStatusActive);
    expect("the end of a capture", cudaStreamEndCapture(one, &graph) == cudaSuccess);
    cudaStreamIsCapturing(two, &status);
    expect("no stream is captured", status == cudaStreamCaptureStatusNone);
    expect("nothing is done yet", called == 0 && first[5] == -1);
    size_t nodes = 0;
    cudaGraphGetNodes(graph, nullptr, &nodes);
    expect("nodes", nodes == 5);
    expect("made executable", cudaGraphInstantiate(&made, graph, 0) == cudaSuccess);
    cudaGraphDestroy(graph);
    for (int i = 0; i < 3; i++) {
        expect("launched", cudaGraphLaunch(made, one) == cudaSuccess);
    }
    cudaStreamSynchronize(one);
    expect("done three times", called == 3 && first[5] == 6 && first[63] == 6);
    cudaGraphExecDestroy(made);
    add<<<2, 32, 0, one>>>(a, 1);
    expect("streams do as before", host(a, 64)[1] == 7);
}

int main()
{
    std::vector<int> in(128);
    for (int i = 0; i < 128; i++) {
        in[i] = i;
    }
    std::vector<int> none(17, 0);
    int *out = device(none);
    sums<<<1, 128>>>(out, device(in));
    const std::vector<int> got = host(out, 17);
    for (int part = 0; part < 16; part++) {
        expect("sum of eight threads", got[part] == 64 * part + 28);
    }
    expect("sum of the block", got[16] == 128 * 127 / 2);
    graphs();
    rows();
    return finish();
}
