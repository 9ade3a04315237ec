/* Pairwise work on the CPU. */
#include <string.h>

#include "core/clones.h"
#include "solvers/pairs/pairs.h"

/* Rows whose sums are made together, and rows that a thread takes at a time, while a panel of
 * columns, of PANEL_BYTES or one block, stays in its first cache. */
enum {
    GROUP = 2,
    BAND = 64,
    SHORT_BAND = 16,
    FEW_DIMENSIONS = 16,
    PANEL_BYTES = 8 << 10,
    FAR_PANEL_BYTES = 256 << 10, /* for the second cache */
    CACHED = 8 << 20
};

#ifdef __SSE2__
#include <emmintrin.h>

/* Copy to memory that will not be read soon: whole lines of it go past the caches. */
static inline void copy_past_caches(void *to, const void *from, int64_t bytes)
{
    char *out = to;
    const char *in = from;
    const int64_t before = -(int64_t)(uintptr_t)out & 63;
    const int64_t head = before < bytes ? before : bytes;
    memcpy(out, in, (size_t)head);
    int64_t at = head;
    for (; at + 64 <= bytes; at += 64) {
        for (int64_t q = at; q < at + 64; q += 16) {
            _mm_stream_si128((__m128i *)(void *)(out + q),
                             _mm_loadu_si128((const __m128i *)(const void *)(in + q)));
        }
    }
    memcpy(out + at, in + at, (size_t)(bytes - at));
}

/* Other threads may look at such copies from here on. */
static inline void copies_are_done(void)
{
    _mm_sfence();
}
#else
static inline void copies_are_done(void)
{
}

static inline void copy_past_caches(void *to, const void *from, int64_t bytes)
{
    memcpy(to, from, (size_t)bytes);
}
#endif

/* Rows i0 to i1 - 1 of a task, and the columns *lo to *hi - 1 that contain all of theirs. */
static inline void take_rows(tsl_pair_row *rows, int64_t *lo, int64_t *hi,
                             const tsl_distance_task *task, int64_t i0, int64_t i1)
{
    *lo = INT64_MAX;
    *hi = 0;
    for (int64_t i = i0; i < i1; i++) {
        const tsl_pair_row row = tsl_pair_row_within(
            tsl_pair_row_of(task->layout, task->columns, i), task->first, task->count);
        *lo = row.lo < *lo ? row.lo : *lo;
        *hi = row.hi > *hi ? row.hi : *hi;
        rows[i - i0] = row;
    }
}

typedef void band_function(const tsl_distance_task *task, int64_t i0, int64_t i1);

#define TSL_TEMPLATE "solvers/pairs/distance_cpu.inc"
#include "core/both_precisions.inc"

typedef int32_t whole_single;
typedef int64_t whole_double;

#define TSL_TEMPLATE "solvers/pairs/distance_products.inc"
#include "core/both_precisions.inc"

static tsl_status cpu_distances(tsl_context *context, const tsl_distance_task *task)
{
    const bool products = task->centred_row != NULL, single = task->precision == 4;
    band_function *const band = products
                                    ? (single ? band_by_products_single : band_by_products_double)
                                : single ? choose_band_single(task)
                                         : choose_band_double(task);
    const int64_t height = task->dimensions <= FEW_DIMENSIONS ? SHORT_BAND : BAND;
    const int64_t begin =
        products ? task->row_first / TSL_PRODUCT_ROWS * TSL_PRODUCT_ROWS : task->row_first;
    const int64_t rows = task->row_last + 1 - begin;
    const int64_t bands = (rows + height - 1) / height;
#pragma omp parallel for num_threads(context->threads) schedule(dynamic)
    for (int64_t b = 0; b < bands; b++) {
        const int64_t i0 = begin + b * height;
        band(task, i0, b + 1 < bands ? i0 + height : task->row_last + 1);
        copies_are_done();
    }
    return TSL_OK;
}

const tsl_pairs_ops tsl_pairs_cpu = {.distances = cpu_distances,
                                     .survey = tsl_survey_cpu,
                                     .sort = tsl_sort_cpu,
                                     .count_neighbors = tsl_neighbors_count_cpu,
                                     .place_rows = tsl_place_rows_cpu,
                                     .fill_neighbors = tsl_neighbors_fill_cpu,
                                     .histogram = tsl_histogram_cpu,
                                     .energy = &tsl_energy_cpu,
                                     .nearest = &tsl_nearest_cpu,
                                     .triplets = tsl_triplets_cpu};
