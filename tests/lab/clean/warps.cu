/* Clean: what lanes of a warp do together, whole and by masks. */
#include <cooperative_groups.h>

#include "expect.h"

namespace cg = cooperative_groups;

__global__ void sumByShuffles(float *out, const float *in)
{
    __shared__ float part[8];
    int t = threadIdx.x;
    float v = in[t];
    for (int d = 16; d > 0; d /= 2) {
        v += __shfl_down_sync(0xffffffffu, v, d);
    }
    if (t % 32 == 0) {
        part[t / 32] = v;
    }
    __syncthreads();
    if (t < 32) {
        v = t < 8 ? part[t] : 0;
        for (int d = 4; d > 0; d /= 2) {
            v += __shfl_xor_sync(0xffffffffu, v, d);
        }
        if (t == 0) {
            *out = v;
        }
    }
}

/* The last steps in one warp, each with its own __syncwarp(). */
__global__ void warpSynchronous(float *out, const float *in)
{
    __shared__ float s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    if (t < 32) {
        float v = s[t] + s[t + 32];
        for (int d = 16; d > 0; d /= 2) {
            s[t] = v;
            __syncwarp();
            v += s[t ^ d];
            __syncwarp();
        }
        if (t == 0) {
            *out = v;
        }
    }
}

/* Halves of a warp go their own ways, each with its mask. */
__global__ void halfMasks(int *out)
{
    __shared__ int s[32];
    int lane = threadIdx.x;
    unsigned mask = lane < 16 ? 0x0000ffffu : 0xffff0000u;
    if (lane < 16) {
        s[lane] = lane;
        __syncwarp(mask);
        out[lane] = s[15 - lane];
    } else {
        s[lane] = 2 * lane;
        __syncwarp(mask);
        out[lane] = s[47 - lane];
    }
}

__global__ void compact(int *out, int *count, const int *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, base = 0;
    bool keep = i < n && in[i] % 3 == 0;
    unsigned votes = __ballot_sync(0xffffffffu, keep);
    if (lane == 0) {
        base = atomicAdd(count, __popc(votes));
    }
    base = __shfl_sync(0xffffffffu, base, 0);
    if (keep) {
        out[base + __popc(votes & ((1u << lane) - 1))] = in[i];
    }
}

__global__ void matched(int *count, const int *in)
{
    int lane = threadIdx.x % 32, key = in[threadIdx.x];
    unsigned same = __match_any_sync(0xffffffffu, key);
    if (lane == __ffs(same) - 1) {
        atomicAdd(&count[key], __popc(same));
    }
}

__global__ void aggregated(int *count, const int *in)
{
    if (in[threadIdx.x] > 1) {
        cg::coalesced_group active = cg::coalesced_threads();
        if (active.thread_rank() == 0) {
            atomicAdd(count, (int)active.size());
        }
    }
}

__global__ void tiles(int *out, const int *in)
{
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<8> tile = cg::tiled_partition<8>(block);
    int v = in[block.thread_rank()];
    for (int d = tile.size() / 2; d > 0; d /= 2) {
        v += tile.shfl_down(v, d);
    }
    if (tile.thread_rank() == 0) {
        out[block.thread_rank() / 8] = v;
    }
}

__global__ void votes(int *out)
{
    int lane = threadIdx.x;
    int any = __any_sync(0xffffffffu, lane == 7), all = __all_sync(0xffffffffu, lane < 32);
    if (lane < 24) {
        any += 10 * __any_sync(0x00ffffffu, lane == 30);
    }
    out[lane] = any + 100 * all;
}

/* Trips differ by lane; lanes meet again. */
__global__ void divergent(int *out)
{
    int lane = threadIdx.x, sum = 0;
    for (int k = 0; k <= lane % 5; k++) {
        for (int j = 0; j < (lane & 1) + 1; j++) {
            sum += k * j + 1;
        }
    }
    __syncwarp();
    out[lane] = __shfl_sync(0xffffffffu, sum, (lane + 1) % 32);
}

__global__ void reduceCounts(int *out, const int *in)
{
    int t = threadIdx.x;
    int n = __syncthreads_count(in[t] == 1);
    int any = __syncthreads_or(in[t] == 2), all = __syncthreads_and(in[t] < 3);
    if (t == 0) {
        *out = n + 1000 * any + 10000 * all;
    }
}

int main()
{
    std::vector<float> f(256, 2);
    std::vector<int> k(256);
    for (int i = 0; i < 256; i++) {
        k[i] = i % 3;
    }
    float *df = device(f), *sum;
    int *dk = device(k), *out, *count;
    cudaMalloc(&sum, 4);
    cudaMalloc(&out, 1024);
    cudaMalloc(&count, 64);
    cudaMemset(count, 0, 64);
    sumByShuffles<<<1, 256>>>(sum, df);
    expect("sum by shuffles", host(sum, 1)[0] == 512);
    warpSynchronous<<<1, 64>>>(sum, df);
    expect("warp-synchronous sum", host(sum, 1)[0] == 128);
    halfMasks<<<1, 32>>>(out);
    expect("masks of halves", host(out, 32)[0] == 15 && host(out, 32)[31] == 32);
    compact<<<2, 128>>>(out, count, dk, 250);
    expect("compaction", host(count, 1)[0] == 84);
    cudaMemset(count, 0, 64);
    matched<<<1, 256>>>(count, dk);
    expect("matches", host(count, 3)[2] == 85);
    cudaMemset(count, 0, 64);
    aggregated<<<1, 256>>>(count, dk);
    expect("aggregated atomics", host(count, 1)[0] == 85);
    tiles<<<1, 64>>>(out, dk);
    expect("tiles", host(out, 8)[0] == 7);
    votes<<<1, 32>>>(out);
    expect("votes", host(out, 32)[0] == 101);
    divergent<<<1, 32>>>(out);
    expect("divergent loops", host(out, 32)[31] == 1);
    reduceCounts<<<1, 96>>>(count, dk);
    expect("barriers that count", host(count, 1)[0] == 11032);
    return finish();
}
