/* Lists of expressions on the CPU: pieces of rows by all threads. */
#include <omp.h>
#include <string.h>

#include "blocks/vector/expressions.h"
#include "core/clones.h"
#include "core/context.h"

enum { LANES = 8, CHUNK = 512 };

/* Eight sums side by side; all chunks but a piece's last are a multiple of that long. */
TSL_CLONES static void add_dot(double sums[LANES], const double *a, const double *b, int64_t n)
{
    double own[LANES];
    memcpy(own, sums, sizeof own);
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        for (int s = 0; s < LANES; s++) {
            own[s] += a[i + s] * b[i + s];
        }
    }
    for (int s = 0; i + s < n; s++) {
        own[s] += a[i + s] * b[i + s];
    }
    memcpy(sums, own, sizeof own);
}

/* Are the list's last two or three expressions a smoother's, their vectors but the first and the
 * last in no memory? */
static bool is_advance(const tsl_expression *s, int expressions)
{
    return (expressions == 2 || expressions == 3) && s[0].kind == TSL_EXPRESSION_COMBINE &&
           s[0].b != 0 && s[0].y == NULL && s[0].z == NULL && s[0].x != NULL &&
           s[1].kind == TSL_EXPRESSION_SCALE && s[1].b != 0 && s[1].x == NULL && s[1].y != NULL &&
           s[1].z != NULL &&
           (expressions == 2 ||
            (s[2].kind == TSL_EXPRESSION_COMBINE && s[2].b != 0 && s[2].y == s[1].y &&
             s[2].z == s[1].y && s[2].x != NULL && s[2].x != s[1].y));
}

#define TSL_TEMPLATE "blocks/vector/expressions_cpu.inc"
#include "core/both_precisions.inc"

static void run_rows(const tsl_expressions *list, int64_t begin, int64_t end,
                     double sums[TSL_MOST_DOTS][LANES])
{
    double space[CHUNK];
    for (int64_t from = begin; from < end; from += CHUNK) {
        const int64_t to = from + CHUNK < end ? from + CHUNK : end;
        if (list->bytes == 8) {
            run_chunk_double(list, from, to, space, sums);
        } else {
            run_chunk_single(list, from, to, (float *)space, sums);
        }
    }
}

void tsl_expressions_run_rows_on_cpu(const tsl_expressions *list, int64_t from, int64_t to)
{
    run_rows(list, from, to, NULL);
}

static void run_piece(const tsl_expressions *list, int piece)
{
    double sums[TSL_MOST_DOTS][LANES] = {{0}};
    run_rows(list, tsl_layout_piece_row(list->layout, piece),
             tsl_layout_piece_row(list->layout, piece + 1), sums);
    for (int i = 0, dot = 0; i < list->count; i++) {
        if (list->expressions[i].kind == TSL_EXPRESSION_DOT) {
            const double *s = sums[dot];
            list->sums[piece * list->width + list->column + dot++] =
                ((s[0] + s[4]) + (s[1] + s[5])) + ((s[2] + s[6]) + (s[3] + s[7]));
        }
    }
}

/* Pieces that need nothing of other ranks are done while the first thread exchanges. */
static tsl_status run_with_halo(tsl_context *context, const tsl_expressions *list, int threads)
{
    const tsl_expression *product = &list->expressions[0];
    const tsl_halo *halo = product->halo;
    const int from = list->layout->rank_piece[list->layout->rank];
    const int to = list->layout->rank_piece[list->layout->rank + 1];
    void *x = (void *)(uintptr_t)product->x; /* its entries of other ranks are filled in */
    tsl_status status = TSL_OK;
#pragma omp parallel num_threads(threads)
    {
        if (omp_get_thread_num() == 0) {
            status = list->pending
                         ? tsl_layout_gather_sums(list->layout, context, list->sums, list->width)
                         : TSL_OK;
            if (status == TSL_OK) {
                status = tsl_halo_exchange(halo, context, x, list->bytes);
            }
        }
#pragma omp for schedule(dynamic)
        for (int piece = from; piece < to; piece++) {
            if (!halo->outer[piece]) {
                run_piece(list, piece);
            }
        }
#pragma omp for schedule(dynamic)
        for (int piece = from; piece < to; piece++) {
            if (halo->outer[piece] && status == TSL_OK) {
                run_piece(list, piece);
            }
        }
    }
    return status;
}

/* What the list goes through, as tsl_threads_for() counts: vectors in order cost less than entries
 * of a matrix, an element a row for each expression. */
static int64_t elements_of(const tsl_expressions *list)
{
    const int64_t rows = list->layout->to - list->layout->from;
    const bool product = list->expressions[0].kind == TSL_EXPRESSION_PRODUCT;
    const int64_t most = TSL_ELEMENTS_A_ROW;
    return rows * (product || list->count > most ? most : list->count);
}

tsl_status tsl_expressions_run_on_cpu(tsl_context *context, const tsl_expressions *list)
{
    const tsl_layout *layout = list->layout;
    const int threads = tsl_threads_for(context, elements_of(list));
    if (list->expressions[0].kind == TSL_EXPRESSION_PRODUCT && list->expressions[0].halo != NULL &&
        list->expressions[0].halo->collective) {
        return run_with_halo(context, list, threads);
    }
    if (threads == 1) {
        for (int p = layout->rank_piece[layout->rank]; p < layout->rank_piece[layout->rank + 1];
             p++) {
            run_piece(list, p);
        }
        return TSL_OK;
    }
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int thread = 0; thread < threads; thread++) {
        for (int p = layout->thread_piece[thread]; p < layout->thread_piece[thread + 1]; p++) {
            run_piece(list, p);
        }
    }
    return TSL_OK;
}

void tsl_sums_add_up_on_cpu(double *out, const double *sums, int width)
{
    for (int d = 0; d < width; d++) {
        out[d] = 0;
        for (int piece = 0; piece < TSL_SPARSE_SUMS; piece++) {
            out[d] += sums[piece * width + d];
        }
    }
}
