/* Which lists match the pattern (fused_kernels.h). */
#include "blocks/vector/pattern.h"

#include "blocks/csr/format_gpu.h"

/* A list on its way: the next expression, and the vector that has what the kernel has come to. */
typedef struct reading {
    const tsl_expression *next, *end;
    const void *now;
    tsl_fused_pattern *out;
} reading;

static void set_factor(const reading *r, int which, double value)
{
    r->out->factor_double[which] = value;
    r->out->factor_single[which] = (float)value;
}

/* Does the expression combine something else, in x, with `vector`, in z? */
static bool adds_to(const tsl_expression *s, const void *vector)
{
    return s->kind == TSL_EXPRESSION_COMBINE && s->b != 0 && s->z == vector && s->x != vector;
}

/* t, from a product whose rows are all summed by the kernel that takes the expressions, or loaded.
 */
static bool read_first(reading *r)
{
    const tsl_expression *s = r->next++;
    if (s->kind == TSL_EXPRESSION_LOAD) {
        r->out->wide = s->x;
        r->out->load = s->a;
    } else if (s->kind != TSL_EXPRESSION_PRODUCT || s->form->gpu->tiles != NULL ||
               s->form->gpu->matrix.long_rows > 0) {
        return false;
    }
    r->now = s->y;
    r->out->u = s->y;
    return true;
}

/* u, which takes the place of t. */
static bool read_sum(reading *r)
{
    if (r->next == r->end || !adds_to(r->next, r->now)) {
        return true;
    }
    const tsl_expression *s = r->next++;
    r->out->v = s->x;
    set_factor(r, TSL_OF_V, s->a);
    set_factor(r, TSL_OF_T, s->b);
    const bool replaces = r->now == NULL || r->now == s->y;
    r->now = s->y;
    r->out->u = s->y;
    return replaces;
}

/* y, beside u. */
static bool read_scaled(reading *r)
{
    if (r->next == r->end) {
        return true;
    }
    const tsl_expression *s = r->next++;
    if (s->kind != TSL_EXPRESSION_SCALE || s->x != r->now || s->w == r->now || s->y == NULL ||
        s->y == r->now || (s->b != 0 && s->z == r->now)) {
        return false;
    }
    r->out->w = s->w;
    r->out->z = s->b != 0 ? s->z : NULL;
    r->out->y = s->y;
    set_factor(r, TSL_OF_U, s->a);
    set_factor(r, TSL_OF_Z, s->b);
    if (r->next == r->end) {
        return true;
    }
    const tsl_expression *last = r->next++;
    r->out->x = last->x;
    set_factor(r, TSL_OF_X, last->a);
    set_factor(r, TSL_OF_Y, last->b);
    return adds_to(last, s->y) && last->y == s->y && last->x != r->now && r->next == r->end;
}

/* The scalar product of two vectors, of which one is in single precision. */
static bool is_mixed_dot(tsl_fused_pattern *out, const tsl_expressions *list)
{
    const tsl_expression *s = list->expressions;
    if (list->count != 2 || s[0].kind != TSL_EXPRESSION_WIDEN || s[0].y != NULL ||
        s[1].kind != TSL_EXPRESSION_DOT || s[1].z != NULL || s[1].x == NULL) {
        return false;
    }
    *out = (tsl_fused_pattern){.single = s[0].x, .load = s[0].a, .dot = s[1].x};
    return true;
}

/* A widened vector, and a multiple of another added. */
static bool is_widened_sum(tsl_fused_pattern *out, const tsl_expressions *list)
{
    const tsl_expression *s = list->expressions;
    if (list->count != 2 || list->bytes != 8 || s[0].kind != TSL_EXPRESSION_WIDEN ||
        s[0].y != NULL || s[1].kind != TSL_EXPRESSION_COMBINE || s[1].b == 0 || s[1].z != NULL ||
        s[1].x == NULL || s[1].y == NULL) {
        return false;
    }
    *out = (tsl_fused_pattern){.single = s[0].x,
                               .load = s[0].a,
                               .v = s[1].x,
                               .u = s[1].y,
                               .over = s[1].over,
                               .under = s[1].under};
    out->factor_double[TSL_OF_V] = s[1].a;
    out->factor_double[TSL_OF_T] = s[1].b;
    return true;
}

/* In double precision a row of slices needs all registers for its loads: expressions in shared
 * memory cost less than what a kernel of the pattern would spill. */
static bool is_too_wide(const tsl_expressions *list)
{
    const tsl_expression *s = list->expressions;
    if (list->bytes != 8 || s->kind != TSL_EXPRESSION_PRODUCT) {
        return false;
    }
    const tsl_gpu_matrix *const m = &s->form->gpu->matrix;
    return m->value_start != NULL && m->only == NULL && !m->shared;
}

bool tsl_match_pattern(tsl_fused_pattern *out, const tsl_expressions *list)
{
    if (is_too_wide(list)) {
        return false;
    }
    if (is_widened_sum(out, list)) {
        return true;
    }
    for (int i = 0; i < list->count; i++) {
        if (list->expressions[i].over != NULL) {
            return false;
        }
    }
    if (is_mixed_dot(out, list)) {
        return true;
    }
    *out = (tsl_fused_pattern){.load = 0};
    reading r = {.next = list->expressions, .end = list->expressions + list->count, .out = out};
    return read_first(&r) && read_sum(&r) && read_scaled(&r);
}
