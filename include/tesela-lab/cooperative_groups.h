/* Cooperative groups: blocks, tiles of a warp, lanes that are active together, the grid. */
#ifndef TESELA_LAB_COOPERATIVE_GROUPS_H
#define TESELA_LAB_COOPERATIVE_GROUPS_H

#include "cuda_runtime.h"

namespace cooperative_groups
{
class thread_block
{
  public:
    TSL_LAB_MEETING void sync() const
    {
        __syncthreads();
    }
    TSL_LAB_MEETING unsigned thread_rank() const
    {
        return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    }
    TSL_LAB_MEETING unsigned size() const
    {
        return blockDim.x * blockDim.y * blockDim.z;
    }
    TSL_LAB_MEETING unsigned num_threads() const
    {
        return size();
    }
    TSL_LAB_MEETING dim3 group_index() const
    {
        return blockIdx;
    }
    TSL_LAB_MEETING dim3 thread_index() const
    {
        return threadIdx;
    }
    TSL_LAB_MEETING dim3 group_dim() const
    {
        return blockDim;
    }
};
TSL_LAB_MEETING thread_block this_thread_block()
{
    return thread_block();
}
} // namespace cooperative_groups

namespace cooperative_groups
{
class grid_group
{
  public:
    TSL_LAB_MEETING void sync() const
    {
        tsl_lab_grid_barrier();
    }
    TSL_LAB_MEETING bool is_valid() const
    {
        return true;
    }
    TSL_LAB_MEETING unsigned long long size() const
    {
        return (unsigned long long)gridDim.x * gridDim.y * gridDim.z * thread_block().size();
    }
    TSL_LAB_MEETING unsigned long long num_threads() const
    {
        return size();
    }
    TSL_LAB_MEETING unsigned long long thread_rank() const
    {
        const unsigned long long block =
            ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
        return block * thread_block().size() + thread_block().thread_rank();
    }
    TSL_LAB_MEETING dim3 group_dim() const
    {
        return gridDim;
    }
};
TSL_LAB_MEETING grid_group this_grid()
{
    return grid_group();
}
} // namespace cooperative_groups

/* Groups of a warp. */
namespace cooperative_groups
{
/* Some lanes of a warp, by their mask; ranks count the mask's lanes from the lowest. */
class lane_set
{
  public:
    unsigned mask;
    TSL_LAB_MEETING static unsigned lane()
    {
        return thread_block().thread_rank() % 32;
    }
    TSL_LAB_MEETING void sync() const
    {
        __syncwarp(mask);
    }
    TSL_LAB_MEETING unsigned thread_rank() const
    {
        return (unsigned)__popc(mask & ((1u << lane()) - 1));
    }
    TSL_LAB_MEETING unsigned size() const
    {
        return (unsigned)__popc(mask);
    }
    TSL_LAB_MEETING unsigned num_threads() const
    {
        return size();
    }
    /* The lane of a rank. */
    TSL_LAB_MEETING int lane_of(unsigned rank) const
    {
        unsigned left = mask;
        for (unsigned i = 0; i < rank && left != 0; i++) {
            left &= left - 1;
        }
        return left != 0 ? __builtin_ctz(left) : (int)lane();
    }
};
} // namespace cooperative_groups

namespace cooperative_groups
{
class lane_group : public lane_set
{
  public:
    template <class T> TSL_LAB_MEETING T shfl(T value, int rank) const
    {
        return __shfl_sync(mask, value, lane_of((unsigned)rank));
    }
    template <class T> TSL_LAB_MEETING T shfl_down(T value, unsigned by) const
    {
        const unsigned to = thread_rank() + by;
        return __shfl_sync(mask, value, to < size() ? lane_of(to) : (int)lane());
    }
    template <class T> TSL_LAB_MEETING T shfl_up(T value, unsigned by) const
    {
        const unsigned rank = thread_rank();
        return __shfl_sync(mask, value, rank >= by ? lane_of(rank - by) : (int)lane());
    }
    template <class T> TSL_LAB_MEETING T shfl_xor(T value, unsigned by) const
    {
        const unsigned to = thread_rank() ^ by;
        return __shfl_sync(mask, value, to < size() ? lane_of(to) : (int)lane());
    }
    TSL_LAB_MEETING int any(int predicate) const
    {
        return __any_sync(mask, predicate);
    }
    TSL_LAB_MEETING int all(int predicate) const
    {
        return __all_sync(mask, predicate);
    }
    /* Bits by rank. */
    TSL_LAB_MEETING unsigned ballot(int predicate) const
    {
        const unsigned lanes = __ballot_sync(mask, predicate);
        unsigned out = 0;
        for (unsigned left = mask, rank = 0; left != 0; left &= left - 1, rank++) {
            out |= (lanes >> __builtin_ctz(left) & 1u) << rank;
        }
        return out;
    }
};
} // namespace cooperative_groups

namespace cooperative_groups
{
template <unsigned N> class thread_block_tile : public lane_group
{
  public:
    TSL_LAB_MEETING unsigned meta_group_rank() const
    {
        return thread_block().thread_rank() / N;
    }
    TSL_LAB_MEETING unsigned meta_group_size() const
    {
        return (thread_block().size() + N - 1) / N;
    }
};
class coalesced_group : public lane_group
{
};

template <unsigned N, class G> TSL_LAB_MEETING thread_block_tile<N> tiled_partition(const G &)
{
    static_assert(N <= 32 && (N & (N - 1)) == 0, "tiles have 1, 2, 4, 8, 16 or 32 threads here");
    thread_block_tile<N> tile;
    const unsigned first = lane_group::lane() / N * N;
    tile.mask = (N == 32 ? 0xffffffffu : (1u << N) - 1u) << first;
    const unsigned left =
        thread_block().size() - (thread_block().thread_rank() - lane_group::lane());
    tile.mask &= left >= 32 ? 0xffffffffu : (1u << left) - 1u;
    return tile;
}
TSL_LAB_MEETING coalesced_group coalesced_threads()
{
    coalesced_group group;
    group.mask = __activemask();
    return group;
}
/* A block, or lanes of a warp: the type of groups whose size is known only when they run. */
class thread_group
{
    lane_set lanes; /* of no meaning where the group is the block */
    bool whole;

  public:
    TSL_LAB_MEETING thread_group(const thread_block &) : lanes(), whole(true)
    {
    }
    TSL_LAB_MEETING thread_group(const lane_set &of) : lanes(of), whole(false)
    {
    }
    TSL_LAB_MEETING bool is_block() const
    {
        return whole;
    }
    TSL_LAB_MEETING void sync() const
    {
        if (whole) {
            __syncthreads();
        } else {
            __syncwarp(lanes.mask);
        }
    }
    TSL_LAB_MEETING unsigned thread_rank() const
    {
        return whole ? thread_block().thread_rank() : lanes.thread_rank();
    }
    TSL_LAB_MEETING unsigned size() const
    {
        return whole ? thread_block().size() : lanes.size();
    }
    TSL_LAB_MEETING unsigned num_threads() const
    {
        return size();
    }
    /* The n lanes that hold this thread: ranks are cut into runs of n, from 0. A block is cut warp
     * by warp. */
    TSL_LAB_MEETING lane_set part(unsigned n) const
    {
        if (n == 0 || n > 32 || (n & (n - 1)) != 0) {
            tsl_lab_trap("tiled_partition(): tiles have 1, 2, 4, 8, 16 or 32 threads");
        }
        const lane_set all = whole ? (lane_set)tiled_partition<32>(thread_block()) : lanes;
        const unsigned first = all.thread_rank() / n * n;
        lane_set out;
        out.mask = 0;
        for (unsigned rank = first; rank < first + n && rank < all.size(); rank++) {
            out.mask |= 1u << all.lane_of(rank);
        }
        return out;
    }
};
TSL_LAB_MEETING thread_group tiled_partition(const thread_group &group, unsigned threads)
{
    return thread_group(group.part(threads));
}
template <class G> TSL_LAB_MEETING void sync(const G &group)
{
    group.sync();
}
} // namespace cooperative_groups

namespace cooperative_groups
{
template <class T> struct plus {
    TSL_LAB_MEETING T operator()(T a, T b) const
    {
        return a + b;
    }
};
template <class T> struct less {
    TSL_LAB_MEETING T operator()(T a, T b) const
    {
        return b < a ? b : a;
    }
};
template <class T> struct greater {
    TSL_LAB_MEETING T operator()(T a, T b) const
    {
        return a < b ? b : a;
    }
};
template <class G, class T, class F> TSL_LAB_MEETING T reduce(const G &group, T value, F combine)
{
    T out = group.shfl(value, 0);
    for (unsigned rank = 1; rank < group.size(); rank++) {
        out = combine(out, group.shfl(value, (int)rank));
    }
    return out;
}
} // namespace cooperative_groups

#endif
