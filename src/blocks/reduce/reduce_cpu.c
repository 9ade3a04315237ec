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

struct tsl_reduce {
    tsl_context *context;
    tsl_grid_layout layout;
    int64_t *keys; /* of all heaps */
    heap *heaps;
};

/* Members fill the threads, or each is cut into slabs. */
static int slabs_of(const tsl_context *context, const tsl_grid_layout *layout, int count)
{
    const int wanted = (context->threads + count - 1) / count;
    return wanted < layout->n[0] ? wanted : layout->n[0];
}

static void cpu_destroy(tsl_reduce *plan)
{
    if (plan != NULL) {
        tsl_release(plan->keys);
        tsl_release(plan->heaps);
        tsl_release(plan);
    }
}

static tsl_status cpu_create(tsl_reduce **out, tsl_context *context, const tsl_grid_layout *layout,
                             int batch, int k, int k_of_one)
{
    const size_t heaps = (size_t)(batch + context->threads);
    const size_t keys = heaps * (size_t)k > (size_t)context->threads * (size_t)k_of_one
                            ? heaps * (size_t)k
                            : (size_t)context->threads * (size_t)k_of_one;
    tsl_reduce *plan = tsl_allocate_zeroed(1, sizeof *plan);
    if (plan != NULL) {
        plan->context = context;
        plan->layout = *layout;
        plan->keys = tsl_allocate(keys * sizeof *plan->keys);
        plan->heaps = tsl_allocate(heaps * sizeof *plan->heaps);
    }
    if (plan == NULL || plan->keys == NULL || plan->heaps == NULL) {
        cpu_destroy(plan);
        return tsl_fail_memory(context, (int64_t)(keys * sizeof *plan->keys), "candidates");
    }
    *out = plan;
    return TSL_OK;
}

/* Scan slab number `slab` of `slabs` into its heap; returns the largest distance from an integer.
 */
static double scan(const tsl_reduce *plan, heap *h, const char *grid, int slab, int slabs,
                   int64_t after)
{
    const tsl_grid_layout *layout = &plan->layout;
    const int from = (int)((int64_t)layout->n[0] * slab / slabs);
    const int to = (int)((int64_t)layout->n[0] * (slab + 1) / slabs);
    return layout->precision == TSL_SINGLE ? scan_single(h, layout, grid, from, to, after)
                                           : scan_double(h, layout, grid, from, to, after);
}

static tsl_status cpu_top(tsl_reduce *plan, const void *grids, int count, int k, int64_t *after,
                          int64_t *keys, int *found, float *error)
{
    const int slabs = slabs_of(plan->context, &plan->layout, count);
    double largest = 0;
#pragma omp parallel for collapse(2) num_threads(plan->context->threads) schedule(dynamic)         \
    reduction(max                                                                                  \
              : largest)
    for (int member = 0; member < count; member++) {
        for (int slab = 0; slab < slabs; slab++) {
            heap *h = &plan->heaps[member * slabs + slab];
            *h = (heap){.keys = plan->keys + (int64_t)(member * slabs + slab) * k, .k = k};
            const char *grid = (const char *)grids + member * plan->layout.member_bytes;
            largest = fmax(largest, scan(plan, h, grid, slab, slabs, after[member]));
        }
    }
    for (int member = 0; member < count; member++) {
        heap *h = &plan->heaps[member * slabs];
        for (int slab = 1; slab < slabs; slab++) {
            for (int i = 0; i < h[slab].count; i++) {
                heap_add(h, h[slab].keys[i]);
            }
        }
        int64_t *own = keys + (int64_t)member * k;
        found[member] = h->count;
        heap_drain(h, own);
        after[member] = found[member] > 0 ? own[found[member] - 1] : after[member];
    }
    *error = fmaxf(*error, (float)largest);
    return TSL_OK;
}

const tsl_reduce_ops tsl_reduce_cpu = {
    .create = cpu_create, .destroy = cpu_destroy, .top = cpu_top};
