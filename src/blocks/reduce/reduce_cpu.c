/* Top cells on the CPU: each thread keeps a heap for a slab of planes; a row is looked at closely
 * only if its maximum could enter the heap. */
#include <math.h>
#include <omp.h>
#include <string.h>

#include "blocks/reduce/reduce.h"
#include "core/clones.h"
#include "core/context.h"

/* A heap of at most `k` keys, the smallest on top. */
typedef struct heap {
    int64_t *keys;
    int k, count;
} heap;

static void sift_down(heap *h, int at)
{
    const int64_t key = h->keys[at];
    for (int child = 2 * at + 1; child < h->count; child = 2 * at + 1) {
        if (child + 1 < h->count && h->keys[child + 1] < h->keys[child]) {
            child++;
        }
        if (h->keys[child] >= key) {
            break;
        }
        h->keys[at] = h->keys[child];
        at = child;
    }
    h->keys[at] = key;
}

static void heap_add(heap *h, int64_t key)
{
    if (h->count == h->k) {
        if (key > h->keys[0]) {
            h->keys[0] = key;
            sift_down(h, 0);
        }
        return;
    }
    int at = h->count++;
    while (at > 0 && h->keys[(at - 1) / 2] > key) {
        h->keys[at] = h->keys[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    h->keys[at] = key;
}

/* Smallest score worth a look. */
static int32_t heap_floor(const heap *h)
{
    return h->count == h->k ? tsl_top_score(h->keys[0]) : 1;
}

/* Empty the heap into `keys`, largest first. */
static void heap_drain(heap *h, int64_t *keys)
{
    while (h->count > 0) {
        keys[h->count - 1] = h->keys[0];
        h->keys[0] = h->keys[--h->count];
        sift_down(h, 0);
    }
}

#define REAL float
#define ROUNDER 12582912.0F /* 1.5 * 2^23: adding it leaves no digits below 1 */
#define TSL_TEMPLATE_NAME(name) name##_single
#include "blocks/reduce/reduce_cpu.inc"
#undef REAL
#undef ROUNDER
#undef TSL_TEMPLATE_NAME

#define REAL double
#define ROUNDER 6755399441055744.0 /* 1.5 * 2^52 */
#define TSL_TEMPLATE_NAME(name) name##_double
#include "blocks/reduce/reduce_cpu.inc"
#undef REAL
#undef ROUNDER
#undef TSL_TEMPLATE_NAME

static tsl_status cpu_top(tsl_context *context, const tsl_grid_layout *layout, const void *grids,
                          int count, int k, const int64_t *after, int64_t *keys, int *found,
                          double *error)
{
    /* Members fill the threads, or each is cut into slabs. */
    const int wanted = (context->threads + count - 1) / count;
    const int slabs = wanted < layout->n[0] ? wanted : layout->n[0];
    const int64_t bytes = (int64_t)count * slabs * k * (int64_t)sizeof(int64_t);
    int64_t *partial = tsl_allocate((size_t)bytes);
    heap *heaps = tsl_allocate_zeroed((size_t)(count * slabs), sizeof *heaps);
    if (partial == NULL || heaps == NULL) {
        tsl_release(partial);
        tsl_release(heaps);
        return tsl_fail_memory(context, bytes, "candidates");
    }
    double largest = 0;
#pragma omp parallel for collapse(2) num_threads(context->threads) schedule(static)                \
    reduction(max                                                                                  \
              : largest)
    for (int member = 0; member < count; member++) {
        for (int slab = 0; slab < slabs; slab++) {
            heap *h = &heaps[member * slabs + slab];
            *h = (heap){.keys = partial + (int64_t)(member * slabs + slab) * k, .k = k};
            const char *grid = (const char *)grids + member * layout->member_bytes;
            const int from = (int)((int64_t)layout->n[0] * slab / slabs);
            const int to = (int)((int64_t)layout->n[0] * (slab + 1) / slabs);
            const double distance = layout->precision == TSL_SINGLE
                                        ? scan_single(h, layout, grid, from, to, after[member])
                                        : scan_double(h, layout, grid, from, to, after[member]);
            largest = distance > largest ? distance : largest;
        }
    }
    for (int member = 0; member < count; member++) {
        heap *h = &heaps[member * slabs];
        for (int slab = 1; slab < slabs; slab++) {
            for (int i = 0; i < h[slab].count; i++) {
                heap_add(h, h[slab].keys[i]);
            }
        }
        found[member] = h->count;
        heap_drain(h, keys + (int64_t)member * k);
    }
    *error = largest;
    tsl_release(partial);
    tsl_release(heaps);
    return TSL_OK;
}

const tsl_reduce_ops tsl_reduce_cpu = {.top = cpu_top};
