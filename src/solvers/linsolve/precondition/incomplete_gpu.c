/* Incomplete factors on a GPU: a kernel a level, or for some small ones, all recorded once. The
 * triangles' rows lie in the order in which they are done. Not cuSPARSE's triangular solves, by
 * design: these kernels are sim's too, and a row's sum has one order on every card. */
#include "core/context.h"
#include "device/device.h"
#include "solvers/linsolve/precondition/incomplete.h"

/* A triangle on its way to the device. */
typedef struct triangle {
    int64_t *start;
    int32_t *column;
    double *value, *scale;
} triangle;

static void free_triangle(triangle *t)
{
    tsl_release(t->start);
    tsl_release(t->column);
    tsl_release(t->value);
    tsl_release(t->scale);
}

static tsl_status order_rows(triangle *out, const tsl_incomplete *f, bool down)
{
    const int64_t n = f->lu.rows;
    const tsl_schedule *s = down ? &f->down : &f->up;
    int64_t entries = 0;
    for (int64_t i = 0; i < n; i++) {
        const tsl_piece needed = tsl_needed_entries(f, i, down);
        entries += needed.to - needed.from;
    }
    *out = (triangle){.start = tsl_allocate((size_t)(n + 1) * sizeof *out->start),
                      .column = tsl_allocate((size_t)(entries + 1) * sizeof *out->column),
                      .value = tsl_allocate((size_t)(entries + 1) * sizeof *out->value),
                      .scale = tsl_allocate((size_t)n * sizeof *out->scale)};
    if (out->start == NULL || out->column == NULL || out->value == NULL || out->scale == NULL) {
        return tsl_fail_memory(f->context, 12 * entries + 16 * n, "incomplete factors");
    }
    int64_t at = 0;
    for (int64_t place = 0; place < n; place++) {
        const int64_t i = s->row[place];
        const tsl_piece needed = tsl_needed_entries(f, i, down);
        out->start[place] = at;
        out->scale[place] = f->inverse[i];
        for (int64_t k = needed.from; k < needed.to; k++, at++) {
            out->column[at] = f->lu.column[k];
            out->value[at] = f->lu.value[k];
        }
    }
    out->start[n] = at;
    return TSL_OK;
}

static tsl_status send(tsl_sweep *out, const tsl_incomplete *f, bool down)
{
    tsl_context *context = f->context;
    const tsl_schedule *s = down ? &f->down : &f->up;
    const int64_t n = f->lu.rows;
    triangle t = {0};
    tsl_status status = order_rows(&t, f, down);
    const int64_t entries = status == TSL_OK ? t.start[n] : 0;
    const struct {
        const void *host;
        int64_t bytes;
    } all[] = {{s->start, 8 * (s->levels + 1)}, {s->row, 4 * n},
               {t.start, 8 * (n + 1)},          {t.column, 4 * entries + 4},
               {t.value, 8 * entries + 8},      {t.scale, 8 * n}};
    void *device[6] = {NULL};
    for (int i = 0; i < (down ? 5 : 6) && status == TSL_OK; i++) {
        status = tsl_device_allocate(&device[i], context, all[i].bytes, "incomplete factors");
        if (status == TSL_OK) {
            status = context->ops->upload(context, device[i], all[i].host, all[i].bytes);
        }
    }
    *out = (tsl_sweep){device[0], device[1], device[2], device[3], device[4], device[5]};
    free_triangle(&t);
    return status;
}

/* One triangle's levels: a large one, or small ones as far as they follow each other, at a time. */
static tsl_status sweep(const tsl_incomplete *f, bool down)
{
    const tsl_schedule *s = down ? &f->down : &f->up;
    const tsl_sweep *rows_of = down ? &f->down_sweep : &f->up_sweep;
    tsl_status status = TSL_OK;
    for (int64_t from = 0, to; from < s->levels && status == TSL_OK; from = to) {
        const int64_t rows = s->start[from + 1] - s->start[from];
        to = from + 1;
        while (rows <= TSL_FUSED_THREADS && to < s->levels &&
               s->start[to + 1] - s->start[to] <= TSL_FUSED_THREADS) {
            to++;
        }
        status = f->context->ops->fused->sweep(f->context, rows_of, f->vector, f->vector, from, to,
                                               rows);
    }
    return status;
}

static tsl_status queue_sweeps(void *arguments)
{
    const tsl_incomplete *f = arguments;
    const tsl_status status = sweep(f, true);
    return status == TSL_OK ? sweep(f, false) : status;
}

tsl_status tsl_incomplete_to_gpu(tsl_incomplete *f)
{
    void *vector = NULL;
    tsl_status status = TSL_OK;
    TSL_TRY(send(&f->down_sweep, f, true));
    TSL_TRY(send(&f->up_sweep, f, false));
    TSL_TRY(tsl_device_allocate(&vector, f->context, 8 * f->lu.rows, "incomplete factors"));
done:
    f->vector = vector;
    return status == TSL_OK ? f->context->ops->record(&f->sweeps, f->context, queue_sweeps, f)
                            : status;
}

void tsl_incomplete_leave_gpu(tsl_incomplete *f)
{
    f->context->ops->forget(f->sweeps);
    const tsl_sweep *const sweeps[] = {&f->down_sweep, &f->up_sweep};
    for (int i = 0; i < 2; i++) {
        const tsl_sweep *s = sweeps[i];
        const void *const all[] = {s->level, s->row, s->start, s->column, s->value, s->scale};
        for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
            tsl_device_release(f->context, (void *)(uintptr_t)all[k]);
        }
    }
    tsl_device_release(f->context, f->vector);
}

static tsl_status copy(const tsl_incomplete *f, double *y, const double *x)
{
    const tsl_expression step = tsl_combine(y, 1, x, 0, NULL);
    return tsl_expressions_run(
        f->context,
        &(tsl_expressions){.layout = f->layout, .bytes = 8, .count = 1, .expressions = &step});
}

tsl_status tsl_incomplete_apply_on_gpu(void *self, double *z, const double *r, double norm)
{
    (void)norm;
    const tsl_incomplete *f = self;
    tsl_status status = copy(f, f->vector, r);
    if (status == TSL_OK) {
        status = tsl_layout_gather(f->layout, f->context, f->vector, 8);
    }
    if (status == TSL_OK) {
        status = f->context->ops->replay(f->sweeps);
    }
    return status == TSL_OK ? copy(f, z, f->vector) : status;
}
