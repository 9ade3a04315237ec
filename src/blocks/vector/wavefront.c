#include "blocks/vector/wavefront.h"

#include <omp.h>
#include <string.h>

#include "core/context.h"
#include "device/device.h"

enum {
    BLOCK = 4096, /* rows that a list goes on at a time; a multiple of TSL_SLICE_ROWS */
    MOST_LAGS = 4 /* of a thread's rows one in so many, at most, is left for the end */
};

static tsl_expressions list_of(const tsl_wavefront *c, int l)
{
    return (tsl_expressions){.layout = c->layout,
                             .bytes = c->bytes,
                             .count = c->list[l].count,
                             .expressions = c->list[l].expression};
}

/* How far a list is behind the one before. */
static int64_t lag_of(const tsl_wavefront *c)
{
    return (c->reach + TSL_SLICE_ROWS - 1) / TSL_SLICE_ROWS * TSL_SLICE_ROWS;
}

static tsl_piece rows_of_thread(const tsl_wavefront *c, int thread)
{
    const tsl_layout *layout = c->layout;
    return (tsl_piece){tsl_layout_piece_row(layout, layout->thread_piece[thread]),
                       tsl_layout_piece_row(layout, layout->thread_piece[thread + 1])};
}

/* Are the rows enough for all threads, far more for each than lists are behind each other, and
 * without need of other ranks'? */
static bool runs_together(const tsl_wavefront *c)
{
    bool together = c->context->ops->fused == NULL && c->count > 1 && c->reach > 0 &&
                    TSL_ELEMENTS_A_ROW * (c->layout->to - c->layout->from) > c->context->alone;
    for (int l = 0; l < c->count; l++) {
        const tsl_expression *first = &c->list[l].expression[0];
        together =
            together && first->apply == NULL && (first->halo == NULL || !first->halo->collective);
    }
    for (int thread = 0; thread < c->context->threads && together; thread++) {
        const tsl_piece own = rows_of_thread(c, thread);
        together = own.to - own.from > 2 * MOST_LAGS * (c->count - 1) * lag_of(c);
    }
    return together;
}

static void run_rows(const tsl_wavefront *c, int l, int64_t from, int64_t to)
{
    const tsl_expressions list = list_of(c, l);
    tsl_expressions_run_rows_on_cpu(&list, from, to);
}

/* How far a thread goes with list l when it has come to row `to` with the first: whole slices. */
static int64_t row_behind(const tsl_wavefront *c, int l, tsl_piece own, int64_t to)
{
    const int64_t behind = to - l * lag_of(c) - own.from;
    return l == 0 ? to : own.from + behind / TSL_SLICE_ROWS * TSL_SLICE_ROWS;
}

/* All lists on the thread's rows, but those that need other threads'. */
static void run_inner(const tsl_wavefront *c, tsl_piece own)
{
    int64_t done[TSL_WAVEFRONT_LISTS];
    for (int l = 0; l < c->count; l++) {
        done[l] = own.from + l * lag_of(c);
    }
    for (int64_t row = own.from; row < own.to; row += BLOCK) {
        const int64_t to = row + BLOCK < own.to ? row + BLOCK : own.to;
        for (int l = 0; l < c->count && row_behind(c, l, own, to) > done[l]; l++) {
            run_rows(c, l, done[l], row_behind(c, l, own, to));
            done[l] = row_behind(c, l, own, to);
        }
    }
}

static void run_outer(const tsl_wavefront *c, int l, tsl_piece own)
{
    run_rows(c, l, own.from, own.from + l * lag_of(c));
    run_rows(c, l, row_behind(c, l, own, own.to), own.to);
}

static void run_together(const tsl_wavefront *c)
{
#pragma omp parallel num_threads(c->context->threads)
    {
        for (int thread = omp_get_thread_num(); thread < c->context->threads;
             thread += omp_get_num_threads()) {
            run_inner(c, rows_of_thread(c, thread));
        }
        for (int l = 1; l < c->count; l++) {
#pragma omp barrier
            for (int thread = omp_get_thread_num(); thread < c->context->threads;
                 thread += omp_get_num_threads()) {
                run_outer(c, l, rows_of_thread(c, thread));
            }
        }
    }
}

tsl_status tsl_wavefront_run(tsl_wavefront *wavefront)
{
    tsl_status status = TSL_OK;
    if (runs_together(wavefront)) {
        run_together(wavefront);
    } else {
        for (int l = 0; l < wavefront->count && status == TSL_OK; l++) {
            const tsl_expressions list = list_of(wavefront, l);
            status = tsl_expressions_run(wavefront->context, &list);
        }
    }
    wavefront->count = 0;
    return status;
}

tsl_status tsl_wavefront_add(tsl_wavefront *wavefront, const tsl_expression *expressions, int count)
{
    if (count < 1 || count > TSL_WAVEFRONT_EXPRESSIONS) {
        return tsl_fail(wavefront->context, TSL_E_INTERNAL,
                        "a list of %d expressions in a wavefront of up to %d", count,
                        (int)TSL_WAVEFRONT_EXPRESSIONS);
    }
    const tsl_status status =
        wavefront->count == TSL_WAVEFRONT_LISTS ? tsl_wavefront_run(wavefront) : TSL_OK;
    memcpy(wavefront->list[wavefront->count].expression, expressions,
           (size_t)count * sizeof *expressions);
    wavefront->list[wavefront->count++].count = count;
    return status;
}
