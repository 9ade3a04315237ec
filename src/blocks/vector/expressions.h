/* What solvers do with vectors, as lists of expressions that go through memory together: a piece of
 * rows is taken through all expressions before the next, so that what an expression leaves is in
 * cache for those that follow; on a GPU a list is one kernel (fused_kernels.h). Sums are made by
 * pieces and added up in their order: the same bits for any number of threads and ranks. Vectors
 * are device memory. */
#ifndef TSL_EXPRESSIONS_H
#define TSL_EXPRESSIONS_H

#include "blocks/csr/form.h"
#include "blocks/vector/fused_kernels.h"
#include "blocks/vector/layout.h"
#include "tesela/sparse.h"

/* Vectors are of the list's precision unless said otherwise; NULL is a vector that exists only from
 * one expression of a list to the next. */
typedef struct tsl_expression {
    tsl_expression_kind kind;
    double a, b;
    void *y;
    const void *x, *z, *w;
    const tsl_form *form; /* of a product; or instead an operator, which needs y and one rank: */
    const tsl_halo *halo;
    tsl_linsolve_operator apply;
    void *user;
    const double *over, *under; /* on a GPU: a is to be multiplied by *over / *under, scalars in
                                   device memory; NULL: it is not */
} tsl_expression;

static inline tsl_expression tsl_product(void *y, const tsl_form *form, const tsl_halo *halo,
                                         const void *x)
{
    return (tsl_expression){
        .kind = TSL_EXPRESSION_PRODUCT, .y = y, .x = x, .form = form, .halo = halo};
}

static inline tsl_expression tsl_combine(void *y, double a, const void *x, double b, const void *z)
{
    return (tsl_expression){.kind = TSL_EXPRESSION_COMBINE, .a = a, .b = b, .y = y, .x = x, .z = z};
}

static inline tsl_expression tsl_times(tsl_expression expression, const double *over,
                                       const double *under)
{
    expression.over = over;
    expression.under = under;
    return expression;
}

static inline tsl_expression tsl_scale(void *y, double a, const void *x, const void *w, double b,
                                       const void *z)
{
    return (tsl_expression){
        .kind = TSL_EXPRESSION_SCALE, .a = a, .b = b, .y = y, .x = x, .z = z, .w = w};
}

static inline tsl_expression tsl_dot(const void *x, const void *z)
{
    return (tsl_expression){.kind = TSL_EXPRESSION_DOT, .x = x, .z = z};
}

static inline tsl_expression tsl_load(void *y, double a, const double *x)
{
    return (tsl_expression){.kind = TSL_EXPRESSION_LOAD, .a = a, .y = y, .x = x};
}

static inline tsl_expression tsl_store(double *y, double a, const void *x)
{
    return (tsl_expression){.kind = TSL_EXPRESSION_STORE, .a = a, .y = y, .x = x};
}

static inline tsl_expression tsl_widen(double *y, double a, const float *x)
{
    return (tsl_expression){.kind = TSL_EXPRESSION_WIDEN, .a = a, .y = y, .x = x};
}

enum { TSL_MOST_DOTS = 16 }; /* of one list */

/* A list, and where its sums go. */
typedef struct tsl_expressions {
    const tsl_layout *layout;
    int bytes; /* of a number: 8 or 4 */
    int count;
    const tsl_expression *expressions;
    double *sums; /* [pieces][width]: scalar product d of a piece in column `column` + d;
                     NULL where there are none */
    int width, column;
    bool pending; /* the list has no scalar products; other ranks' parts of the sums that are in
                     `sums` already, in columns 0 … width - 1, are gathered while it runs */
    const tsl_gate *gate; /* NULL: it is open. A product in blocks of columns runs all the same */
} tsl_expressions;

/* Run a list on this rank's rows. On a GPU asynchronous on the context's stream. */
tsl_status tsl_expressions_run(tsl_context *context, const tsl_expressions *list);
/* Run a list on this rank's rows by the CPU, with vectors in host memory, whatever the context's
 * device. */
tsl_status tsl_expressions_run_on_cpu(tsl_context *context, const tsl_expressions *list);

/* Elements of a row, as tsl_threads_for() counts them, that a list with a product goes through. A
 * list without one goes through one element a row for each expression. */
enum { TSL_ELEMENTS_A_ROW = 8 };

/* The rows `from` to `to` - 1 of this rank, on the CPU, by the calling thread: lists without scalar
 * products and halos. `from` is a multiple of TSL_SLICE_ROWS away from the rank's first row. */
void tsl_expressions_run_rows_on_cpu(const tsl_expressions *list, int64_t from, int64_t to);

/* Memory for sums of up to `width` columns, in device memory; released like vectors. */
tsl_status tsl_sums_take(double **out, tsl_context *context, int width);
/* All ranks get the sums that each has left of its rows; nothing to do where ranks = 1. */
tsl_status tsl_sums_gather(tsl_context *context, double *sums, const tsl_layout *layout, int width);
/* out[width], in host memory = the sums of lists on vectors of that layout, gathered. Synchronous.
 */
tsl_status tsl_sums_add_up(tsl_context *context, double *out, const double *sums,
                           const tsl_layout *layout, int width);

/* On a GPU: gather them and leave them in device memory, or not-a-numbers where the gate (NULL:
 * none) is closed. Asynchronous on the context's stream. */
tsl_status tsl_sums_leave(tsl_context *context, double *out, double *sums, const tsl_layout *layout,
                          int width, const tsl_gate *gate);

/* out[width] = the sums of a list that tsl_expressions_run_on_cpu() ran. */
void tsl_sums_add_up_on_cpu(double *out, const double *sums, int width);

/* Zeroed vectors [count][length] of numbers of so many bytes; on a CPU each thread touches its rows
 * first. */
tsl_status tsl_vectors_take(void **out, tsl_context *context, int count, int64_t length, int bytes,
                            const char *what);
void tsl_vectors_release(tsl_context *context, void *vectors); /* NULL is fine */
/* y = a x, of numbers of so many bytes; x in host memory. */
tsl_status tsl_vector_put(tsl_context *context, void *y, double a, const double *x, int64_t rows,
                          int bytes);

typedef struct tsl_vector_look {
    int64_t not_finite; /* first row whose number is not finite; -1: none */
    bool zero;          /* all numbers are 0 */
} tsl_vector_look;

/* What a vector of double precision is. `sums` is space of tsl_sums_take(). Synchronous. */
tsl_status tsl_vector_look_at(tsl_vector_look *out, tsl_context *context, const double *v,
                              int64_t rows, double *sums);

#endif
