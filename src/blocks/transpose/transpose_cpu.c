/* Transposition on the CPU: tiles and bricks that stay in the first levels of cache, shared out
 * among threads. */
#include <string.h>

#include "blocks/transpose/transpose.h"
#include "core/clones.h"
#include "core/context.h"

enum { LARGEST_TILE = 128, BRICK = 16, PATCH = 8 };

typedef struct sixteen {
    _Alignas(16) uint64_t low;
    uint64_t high;
} sixteen;

#define ELEMENT uint32_t
#define TSL_TEMPLATE_NAME(name) name##_4
#include "blocks/transpose/transpose_cpu.inc"
#undef ELEMENT
#undef TSL_TEMPLATE_NAME

#define ELEMENT uint64_t
#define TSL_TEMPLATE_NAME(name) name##_8
#include "blocks/transpose/transpose_cpu.inc"
#undef ELEMENT
#undef TSL_TEMPLATE_NAME

#define ELEMENT sixteen
#define TSL_TEMPLATE_NAME(name) name##_16
#include "blocks/transpose/transpose_cpu.inc"
#undef ELEMENT
#undef TSL_TEMPLATE_NAME

static const tsl_transpose_tiling tilings[] = {{32, 1}, {8, 1}, {16, 1}, {64, 1}, {128, 1}};

/* Threads for all of an array. */
static int threads_for(const tsl_context *context, const tsl_transpose_form *form)
{
    return tsl_threads_for(context, form->n[0] * form->n[1] * form->n[2]);
}

/* ---- out of place ------------------------------------------------------------------------- */

static void copy(tsl_context *context, char *out, const char *in, int64_t bytes)
{
#pragma omp parallel for num_threads(tsl_threads_for(context, bytes / 8)) schedule(static)
    for (int i = 0; i < context->threads; i++) {
        const int64_t from = bytes / 64 * i / context->threads * 64;
        const int64_t to =
            i + 1 == context->threads ? bytes : bytes / 64 * (i + 1) / context->threads * 64;
        memcpy(out + from, in + from, (size_t)(to - from));
    }
}

static void move_rows(tsl_context *context, char *out, const char *in,
                      const tsl_transpose_form *form)
{
    const int64_t e = form->element;
    const size_t bytes = (size_t)(form->n[0] * e);
#pragma omp parallel for num_threads(threads_for(context, form)) schedule(static)
    for (int64_t row = 0; row < form->n[1] * form->n[2]; row++) {
        int64_t y;
        const int64_t z = tsl_transpose_divide(&y, row, form->n[1]);
        memcpy(out + (y * form->out[1] + z * form->out[2]) * e,
               in + (y * form->in[1] + z * form->in[2]) * e, bytes);
    }
}

static void exchange(tsl_context *context, void *out, const void *in,
                     const tsl_transpose_form *form, int tile)
{
    const tsl_transpose_cover cover = tsl_transpose_cover_of(form, tile, tile, 1);
    const int64_t tiles = tsl_transpose_boxes(&cover);
#pragma omp parallel for num_threads(threads_for(context, form)) schedule(static)
    for (int64_t t = 0; t < tiles; t++) {
        int64_t at[3];
        tsl_transpose_corner(at, &cover, t);
        if (form->element == 4) {
            move_tile_4(out, in, form, at, tile);
        } else if (form->element == 8) {
            move_tile_8(out, in, form, at, tile);
        } else {
            move_tile_16(out, in, form, at, tile);
        }
    }
}

static tsl_status cpu_move(tsl_context *context, void *out, const void *in,
                           const tsl_transpose_form *form, tsl_transpose_tiling tiling)
{
    if (form->kind == TSL_TRANSPOSE_COPY) {
        copy(context, out, in, form->n[0] * form->element);
    } else if (form->kind == TSL_TRANSPOSE_ROWS) {
        move_rows(context, out, in, form);
    } else {
        exchange(context, out, in, form, tiling.tile > 0 ? tiling.tile : tilings[0].tile);
    }
    return TSL_OK;
}

void tsl_transpose_piece(void *out, int64_t out_pitch, const void *in, int64_t in_pitch, int rows,
                         int columns, int element)
{
    if (element == 4) {
        move_piece_4(out, out_pitch, in, in_pitch, rows, columns);
    } else if (element == 8) {
        move_piece_8(out, out_pitch, in, in_pitch, rows, columns);
    } else {
        move_piece_16(out, out_pitch, in, in_pitch, rows, columns);
    }
}

/* ---- in place ----------------------------------------------------------------------------- */

static void swap_rows(tsl_context *context, char *data, const tsl_transpose_form *form)
{
    enum { PIECE = 4096 };
    const int64_t bytes = form->n[0] * form->element;
#pragma omp parallel for num_threads(threads_for(context, form)) schedule(static)
    for (int64_t pair = 0; pair < tsl_transpose_pairs(form->n[1]); pair++) {
        char held[PIECE];
        int64_t low, high;
        tsl_transpose_pair(&low, &high, form->n[1], pair);
        char *first = data + (low * form->in[1] + high * form->in[2]) * form->element;
        char *second = data + (high * form->in[1] + low * form->in[2]) * form->element;
        for (int64_t done = 0; done < bytes; done += PIECE) {
            const size_t some = (size_t)(bytes - done < PIECE ? bytes - done : PIECE);
            memcpy(held, first + done, some);
            memcpy(first + done, second + done, some);
            memcpy(second + done, held, some);
        }
    }
}

static tsl_status cpu_swap(tsl_context *context, void *data, const tsl_transpose_form *form)
{
    if (form->kind == TSL_TRANSPOSE_ROWS) {
        swap_rows(context, data, form);
        return TSL_OK;
    }
    const int tile = tilings[0].tile;
    const int64_t tiles = (form->n[0] + tile - 1) / tile; /* a side; pairs, the diagonal included */
    const int64_t pairs = tsl_transpose_pairs(tiles + 1);
#pragma omp parallel for num_threads(threads_for(context, form)) schedule(static)
    for (int64_t t = 0; t < pairs * form->n[2]; t++) {
        int64_t at[3], pair;
        at[2] = tsl_transpose_divide(&pair, t, pairs);
        tsl_transpose_pair(&at[0], &at[1], tiles + 1, pair);
        at[0] *= tile;
        at[1] = (at[1] - 1) * tile;
        if (form->element == 4) {
            swap_tiles_4(data, form, at, tile);
        } else if (form->element == 8) {
            swap_tiles_8(data, form, at, tile);
        } else {
            swap_tiles_16(data, form, at, tile);
        }
    }
    return TSL_OK;
}

static tsl_status cpu_rotate(tsl_context *context, void *data, int64_t n, int element, bool forward)
{
    const int64_t side = (n + BRICK - 1) / BRICK;
#pragma omp parallel for num_threads(tsl_threads_for(context, n *n *n)) schedule(dynamic, 16)
    for (int64_t t = 0; t < side * side * side; t++) {
        const int64_t brick[3] = {t % side, t / side % side, t / side / side};
        if (!tsl_transpose_leads(brick)) {
            continue;
        }
        if (element == 4) {
            turn_bricks_4(data, n, brick, forward);
        } else if (element == 8) {
            turn_bricks_8(data, n, brick, forward);
        } else {
            turn_bricks_16(data, n, brick, forward);
        }
    }
    return TSL_OK;
}

static tsl_status cpu_follow(tsl_context *context, void *data, void *first,
                             const tsl_transpose_cycles *cycles)
{
    const size_t bytes = (size_t)cycles->cell;
    char *cells = data;
    char *firsts = first;
#pragma omp parallel num_threads(context->threads)
    {
#pragma omp for schedule(static)
        for (int i = 0; i < cycles->count; i++) {
            memcpy(firsts + i * cycles->cell, cells + cycles->segments[i].start * cycles->pitch,
                   bytes);
        }
#pragma omp for schedule(dynamic, 1)
        for (int i = 0; i < cycles->count; i++) {
            const tsl_transpose_segment *s = &cycles->segments[i];
            int64_t place = s->start;
            for (int64_t k = 1; k < s->count; k++) {
                const int64_t source = tsl_transpose_source(cycles->rows, cycles->columns, place);
                memcpy(cells + place * cycles->pitch, cells + source * cycles->pitch, bytes);
                place = source;
            }
            memcpy(cells + place * cycles->pitch, firsts + s->next * cycles->cell, bytes);
        }
    }
    return TSL_OK;
}

const tsl_transpose_ops tsl_transpose_cpu = {.tilings = tilings,
                                             .tiling_count = sizeof tilings / sizeof *tilings,
                                             .move = cpu_move,
                                             .swap = cpu_swap,
                                             .rotate = cpu_rotate,
                                             .follow = cpu_follow};
