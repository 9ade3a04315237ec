#include "blocks/vector/expressions_gpu.h"

#include "blocks/csr/format_gpu.h"
#include "blocks/vector/pattern.h"
#include "core/context.h"
#include "device/device.h"

enum { NO_SLOT = -1 };

/* A list on its way into kernels' arguments. */
typedef struct translation {
    tsl_fused_kernel list;
    bool read[TSL_FUSED_SLOTS], written[TSL_FUSED_SLOTS];
} translation;

static int find_slot(const tsl_fused_kernel *list, const void *vector)
{
    for (int s = 0; s < list->slots; s++) {
        if (list->slot[s] == vector) {
            return s;
        }
    }
    return NO_SLOT;
}

/* There is room, see fits(). */
static int16_t slot_of(translation *t, const void *vector)
{
    int slot = find_slot(&t->list, vector);
    if (slot == NO_SLOT) {
        slot = t->list.slots++;
        t->list.slot[slot] = (void *)(uintptr_t)vector;
    }
    return (int16_t)slot;
}

static int16_t read_slot(translation *t, const void *vector)
{
    const int16_t slot = slot_of(t, vector);
    t->read[slot] = t->read[slot] || !t->written[slot];
    return slot;
}

static int16_t write_slot(translation *t, const void *vector)
{
    const int16_t slot = slot_of(t, vector);
    t->written[slot] = true;
    return slot;
}

/* Is there room for an expression's vectors, and for the expression? */
static bool fits(const translation *t, const tsl_expression *s)
{
    const void *const vectors[] = {s->y, s->x, s->z, s->w};
    int missing = 0;
    for (int i = 0; i < 4; i++) {
        missing += find_slot(&t->list, vectors[i]) == NO_SLOT;
    }
    return t->list.expressions < TSL_FUSED_EXPRESSIONS &&
           t->list.slots + missing <= TSL_FUSED_SLOTS;
}

static void add_expression(translation *t, const tsl_expression *s)
{
    tsl_fused_expression *out = &t->list.expression[t->list.expressions++];
    *out = (tsl_fused_expression){.kind = (int16_t)s->kind,
                                  .a_double = s->a,
                                  .b_double = s->b,
                                  .a_single = (float)s->a,
                                  .b_single = (float)s->b,
                                  .over = s->over,
                                  .under = s->under};
    if (s->kind == TSL_EXPRESSION_LOAD || s->kind == TSL_EXPRESSION_WIDEN) {
        out->other = (void *)(uintptr_t)s->x;
        out->y = write_slot(t, s->y);
        return;
    }
    out->x = read_slot(t, s->x);
    if (s->kind == TSL_EXPRESSION_STORE) {
        out->other = s->y;
        return;
    }
    if (s->kind == TSL_EXPRESSION_SCALE) {
        out->w = read_slot(t, s->w);
    }
    out->z = s->kind == TSL_EXPRESSION_DOT || s->b != 0 ? read_slot(t, s->z) : out->x;
    if (s->kind == TSL_EXPRESSION_DOT) {
        t->list.dots++;
    } else {
        out->y = write_slot(t, s->y);
    }
}

/* Find which slots are loaded and which are stored. A vector without memory must be computed by the
 * list before it is read: a list that was cut between the two is refused. */
static tsl_status settle(translation *t, tsl_context *context)
{
    tsl_fused_kernel *list = &t->list;
    for (int s = 0; s < list->slots; s++) {
        if (list->slot[s] == NULL && t->read[s]) {
            return tsl_fail(context, TSL_E_INTERNAL,
                            "a list of expressions reads what it has not made");
        }
        if (t->read[s]) {
            list->input[list->inputs++] = (int16_t)s;
        }
        if (t->written[s] && list->slot[s] != NULL) {
            list->output[list->outputs++] = (int16_t)s;
        }
    }
    return TSL_OK;
}

/* A product in blocks of columns is a kernel of its own. */
static tsl_status multiply_by_tiles(translation *t, tsl_context *context, const tsl_expression *s,
                                    bool more)
{
    const tsl_format_gpu *gpu = s->form->gpu;
    double *y = s->y != NULL ? s->y : gpu->scratch;
    const tsl_status status =
        context->ops->sparse->multiply(gpu->tiles, y + gpu->matrix.first, s->x, NULL);
    if (more && s->y == NULL) { /* the expressions find it where it would have been */
        const tsl_expression copy = tsl_combine(NULL, 1, gpu->scratch, 0, NULL);
        add_expression(t, &copy);
    }
    return status;
}

/* Where long rows alone are in blocks of columns, a kernel before makes their sums. */
static tsl_status add_product(translation *t, tsl_context *context, const tsl_expression *s,
                              bool more)
{
    const tsl_format_gpu *gpu = s->form->gpu;
    if (gpu->all_in_tiles) {
        return multiply_by_tiles(t, context, s, more);
    }
    t->list.matrix = gpu->matrix;
    t->list.x = s->x;
    t->list.product = write_slot(t, s->y);
    return gpu->tiles != NULL ? context->ops->sparse->sum_blocks(gpu->tiles, s->x) : TSL_OK;
}

/* Parts that a list is run on. */
typedef struct parts {
    int count, first;
    const int32_t *part; /* as in tsl_fused_kernel */
} parts;

/* All of this rank. */
static parts own_parts(const tsl_layout *layout)
{
    const tsl_part_range own = tsl_layout_parts(layout);
    return (parts){.count = own.count, .first = own.first};
}

static translation begin(const tsl_expressions *list, parts p, int column)
{
    translation t = {.list = {.rows = list->layout->rows,
                              .each = tsl_fused_each(list->layout->rows),
                              .bytes = list->bytes,
                              .blocks = p.count,
                              .first_part = p.first,
                              .part = p.part,
                              .product = NO_SLOT,
                              .sums = list->sums,
                              .width = list->width,
                              .column = column}};
    if (list->gate != NULL) {
        t.list.gate = *list->gate;
    }
    return t;
}

static tsl_status launch(translation *t, tsl_context *context)
{
    if ((t->list.expressions == 0 && t->list.product == NO_SLOT) || t->list.blocks == 0) {
        return TSL_OK;
    }
    const tsl_status status = settle(t, context);
    return status == TSL_OK ? context->ops->fused->run(context, &t->list) : status;
}

/* Does a product leave rows of a part to another block or kernel? */
static bool is_in_chunks(const tsl_expressions *list)
{
    const tsl_expression *first = &list->expressions[0];
    return first->kind == TSL_EXPRESSION_PRODUCT && first->form->gpu->matrix.chunk != NULL;
}

/* Such a product is a kernel of its own where there are scalar products, which are sums of parts.
 */
static bool is_alone(const tsl_expressions *list)
{
    bool dots = false;
    for (int i = 0; i < list->count; i++) {
        dots = dots || list->expressions[i].kind == TSL_EXPRESSION_DOT;
    }
    return dots && is_in_chunks(list);
}

/* The list's product, and the blocks that it needs. */
static tsl_status begin_product(translation *t, tsl_context *context, const tsl_expressions *list)
{
    const tsl_status status = add_product(t, context, &list->expressions[0], list->count > 1);
    if (t->list.matrix.chunk != NULL && t->list.matrix.value_start == NULL) {
        t->list.blocks = tsl_fused_blocks(list->layout->to - list->layout->from);
    }
    return status;
}

static tsl_status run_on(tsl_context *context, const tsl_expressions *list, parts p)
{
    int done = 0;
    int column = list->column;
    tsl_status status = TSL_OK;
    while (done < list->count && status == TSL_OK) {
        translation t = begin(list, p, column);
        const bool product = list->expressions[done].kind == TSL_EXPRESSION_PRODUCT;
        if (product) {
            status = begin_product(&t, context, list);
            done++;
        }
        const bool alone = product && is_alone(list);
        for (; done < list->count && !alone && fits(&t, &list->expressions[done]); done++) {
            add_expression(&t, &list->expressions[done]);
        }
        column += t.list.dots;
        status = status == TSL_OK ? launch(&t, context) : status;
    }
    return status;
}

static tsl_status run_pattern(tsl_context *context, const tsl_expressions *list, parts p,
                              const tsl_fused_pattern *pattern)
{
    translation t = begin(list, p, list->column);
    t.list.has_pattern = true;
    t.list.dots = pattern->dot != NULL;
    t.list.pattern = *pattern;
    const tsl_status status = list->expressions[0].kind == TSL_EXPRESSION_PRODUCT
                                  ? begin_product(&t, context, list)
                                  : TSL_OK;
    return status == TSL_OK && t.list.blocks > 0 ? context->ops->fused->run(context, &t.list)
                                                 : status;
}

/* One kernel, or several. */
static tsl_status run_parts(tsl_context *context, const tsl_expressions *list, parts p)
{
    tsl_fused_pattern pattern;
    return tsl_match_pattern(&pattern, list) ? run_pattern(context, list, p, &pattern)
                                             : run_on(context, list, p);
}

/* Rows that need nothing of other ranks are done while the others' numbers come, and beside them
 * the rest then; if the form lets rows be chosen. */
static tsl_status run_with_halo(tsl_context *context, const tsl_expressions *list)
{
    const tsl_expression *product = &list->expressions[0];
    const tsl_device_halo *d = &product->halo->device;
    const tsl_gpu_matrix *m = &product->form->gpu->matrix;
    const bool split = m->value_start != NULL && !m->shared && !is_in_chunks(list);
    void *x = (void *)(uintptr_t)product->x; /* its entries of other ranks are filled in */
    tsl_status status = list->pending
                            ? tsl_sums_gather_on_gpu(context, list->sums, list->layout, list->width)
                            : TSL_OK;
    if (status == TSL_OK) {
        status = tsl_exchange_stream_enter(d->exchange);
    }
    if (status == TSL_OK && split) {
        status = run_parts(context, list, (parts){.count = d->inner, .part = d->part});
    }
    if (status == TSL_OK) {
        status = tsl_halo_exchange_on_gpu(product->halo, x, list->bytes);
    }
    if (status == TSL_OK && split && d->outer > 0) {
        status = run_parts(d->exchange->beside, list,
                           (parts){.count = d->outer, .part = d->part + d->inner});
    }
    status = tsl_exchange_stream_leave(d->exchange, status);
    return status == TSL_OK && !split ? run_parts(context, list, own_parts(list->layout)) : status;
}

tsl_status tsl_expressions_run_on_gpu(tsl_context *context, const tsl_expressions *list)
{
    const tsl_expression *first = &list->expressions[0];
    return first->kind == TSL_EXPRESSION_PRODUCT && first->halo != NULL && first->halo->collective
               ? run_with_halo(context, list)
               : run_parts(context, list, own_parts(list->layout));
}

/* Where the pieces' sums of all ranks are. */
static double *pieces_of(const double *sums, int width)
{
    return (double *)(uintptr_t)sums + (int64_t)TSL_FUSED_PIECES * TSL_FUSED_EACH * width;
}

tsl_status tsl_sums_gather_on_gpu(tsl_context *context, double *sums, const tsl_layout *layout,
                                  int width)
{
    if (layout->ranks == 1) {
        return TSL_OK;
    }
    double *pieces = pieces_of(sums, width);
    const tsl_status status = context->ops->fused->add_up_pieces(
        context, pieces, sums, tsl_fused_each(layout->rows), width,
        layout->rank_piece[layout->rank], layout->rank_piece[layout->rank + 1]);
    if (status != TSL_OK || layout->exchange->sums == NULL || width > TSL_EXCHANGE_SUMS) {
        return status == TSL_OK ? tsl_layout_gather_sums(layout, context, pieces, width) : status;
    }
    return tsl_reducer_execute(layout->exchange->sums, pieces, (int64_t)TSL_SPARSE_SUMS * width);
}

static tsl_status add_up(tsl_context *context, double *out, const double *sums,
                         const tsl_layout *layout, int width, const tsl_gate *gate)
{
    static const tsl_gate open = {{NULL, NULL}, {0, 0}};
    const bool gathered = layout->ranks > 1;
    const int each = tsl_fused_each(layout->rows);
    return context->ops->fused->add_up(context, out, gathered ? pieces_of(sums, width) : sums,
                                       tsl_fused_parts(layout->rows) / each, gathered ? 1 : each,
                                       width, gate != NULL ? gate : &open);
}

tsl_status tsl_sums_leave(tsl_context *context, double *out, double *sums, const tsl_layout *layout,
                          int width, const tsl_gate *gate)
{
    const tsl_status status = tsl_sums_gather_on_gpu(context, sums, layout, width);
    return status == TSL_OK ? add_up(context, out, sums, layout, width, gate) : status;
}

tsl_status tsl_sums_add_up_on_gpu(tsl_context *context, double *out, const double *sums,
                                  const tsl_layout *layout, int width)
{
    double *total = pieces_of(sums, width) + (int64_t)TSL_SPARSE_SUMS * width;
    const tsl_status status = add_up(context, total, sums, layout, width, NULL);
    return status == TSL_OK
               ? context->ops->download(context, out, total, width * (int64_t)sizeof *out)
               : status;
}

tsl_status tsl_vector_look_on_gpu(tsl_vector_look *out, tsl_context *context, const double *v,
                                  int64_t rows, double *sums)
{
    tsl_fused_look looks[TSL_FUSED_BLOCKS];
    tsl_fused_look *device = (tsl_fused_look *)(void *)sums;
    const int blocks = tsl_fused_blocks(rows);
    tsl_status status = context->ops->fused->look(context, device, v, rows);
    if (status == TSL_OK) {
        status = context->ops->download(context, looks, device, blocks * (int64_t)sizeof *looks);
    }
    *out = (tsl_vector_look){-1, true};
    for (int i = 0; i < blocks && status == TSL_OK; i++) {
        if (looks[i].not_finite < rows &&
            (out->not_finite < 0 || looks[i].not_finite < out->not_finite)) {
            out->not_finite = looks[i].not_finite;
        }
        out->zero = out->zero && looks[i].nonzero == 0;
    }
    return status;
}
