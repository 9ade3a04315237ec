/* What a permutation does to an array, reduced to the axes that matter. */
#include <string.h>

#include "blocks/transpose/transpose.h"

/* Axes of the result, fastest first, as axes of the source. */
static const struct {
    const char name[4];
    int axes[3];
    tsl_permutation inverse;
} permutations[TSL_PERMUTATIONS] = {
    [TSL_PERMUTATION_XYZ] = {"xyz", {0, 1, 2}, TSL_PERMUTATION_XYZ},
    [TSL_PERMUTATION_YXZ] = {"yxz", {1, 0, 2}, TSL_PERMUTATION_YXZ},
    [TSL_PERMUTATION_ZYX] = {"zyx", {2, 1, 0}, TSL_PERMUTATION_ZYX},
    [TSL_PERMUTATION_XZY] = {"xzy", {0, 2, 1}, TSL_PERMUTATION_XZY},
    [TSL_PERMUTATION_YZX] = {"yzx", {1, 2, 0}, TSL_PERMUTATION_ZXY},
    [TSL_PERMUTATION_ZXY] = {"zxy", {2, 0, 1}, TSL_PERMUTATION_YZX},
};

tsl_status tsl_permutation_parse(tsl_permutation *out, const char *text)
{
    for (int i = 0; i < TSL_PERMUTATIONS; i++) {
        if (strcmp(permutations[i].name, text) == 0) {
            *out = (tsl_permutation)i;
            return TSL_OK;
        }
    }
    return TSL_E_ARG;
}

const char *tsl_permutation_name(tsl_permutation permutation)
{
    const int i = (int)permutation;
    return i >= 0 && i < TSL_PERMUTATIONS ? permutations[i].name : NULL;
}

tsl_permutation tsl_permutation_inverse(tsl_permutation permutation)
{
    return tsl_permutation_name(permutation) != NULL ? permutations[permutation].inverse
                                                     : permutation;
}

void tsl_permutation_shape(int64_t out[3], const int64_t shape[3], tsl_permutation permutation)
{
    const int64_t before[3] = {shape[0], shape[1], shape[2]};
    const bool known = tsl_permutation_name(permutation) != NULL;
    for (int i = 0; i < 3; i++) {
        out[i] = before[known ? permutations[permutation].axes[i] : i];
    }
}

bool tsl_transpose_bytes(int64_t *out, const int64_t shape[3], int element)
{
    int64_t bytes = element;
    for (int i = 0; i < 3; i++) {
        if (__builtin_mul_overflow(bytes, shape[i], &bytes)) {
            return false;
        }
    }
    *out = bytes;
    return true;
}

/* Axes in the order of their strides in the source. */
typedef struct axes {
    int count;
    int64_t n[3], in[3], out[3];
} axes;

/* Drop axes of length 1, and join those that are neighbours in source and target alike. */
static axes reduce(const int64_t n[3], const int64_t in[3], const int64_t out[3])
{
    axes a = {0};
    for (int i = 0; i < 3; i++) {
        const int last = a.count - 1;
        if (n[i] == 1) {
            continue;
        }
        if (last >= 0 && in[i] == a.in[last] * a.n[last] && out[i] == a.out[last] * a.n[last]) {
            a.n[last] *= n[i];
            continue;
        }
        a.n[a.count] = n[i];
        a.in[a.count] = in[i];
        a.out[a.count] = out[i];
        a.count++;
    }
    return a;
}

/* Rows that can be moved in wider units are. A row of one unit is an element: its axis goes. */
static void widen(axes *a, int *element, int align)
{
    int unit = 16;
    while (unit > *element) {
        bool fits = align % unit == 0 && a->n[0] * *element % unit == 0;
        for (int i = 1; i < a->count; i++) {
            fits = fits && a->in[i] * *element % unit == 0 && a->out[i] * *element % unit == 0;
        }
        if (fits) {
            break;
        }
        unit /= 2;
    }
    const int times = unit / *element;
    a->n[0] /= times;
    for (int i = 1; i < a->count; i++) {
        a->in[i] /= times;
        a->out[i] /= times;
    }
    *element = unit;
    if (a->n[0] == 1 && a->in[1] == 1) {
        const int64_t n[3] = {a->n[1], a->count > 2 ? a->n[2] : 1, 1};
        const int64_t in[3] = {a->in[1], a->in[2], 0};
        const int64_t out[3] = {a->out[1], a->out[2], 0};
        *a = reduce(n, in, out);
    }
}

static bool is_contiguous(const axes *a)
{
    return a->count == 0 || (a->in[0] == 1 && a->out[0] == 1);
}

void tsl_transpose_form_of(tsl_transpose_form *form, const int64_t n[3], const int64_t in[3],
                           const int64_t out[3], int element, int align)
{
    axes a = reduce(n, in, out);
    if (a.count == 1 && a.in[0] != 1) { /* a column: an exchange with an axis of one element */
        a = (axes){2, {1, a.n[0]}, {1, a.in[0]}, {a.n[0], a.out[0]}};
    }
    if (a.count > 1 && is_contiguous(&a)) {
        widen(&a, &element, align);
    }
    *form = (tsl_transpose_form){.element = element, .n = {1, 1, 1}, .in = {1}, .out = {1}};
    for (int i = 0; i < a.count; i++) {
        form->n[i] = a.n[i];
        form->in[i] = a.in[i];
        form->out[i] = a.out[i];
    }
    form->kind = !is_contiguous(&a) ? TSL_TRANSPOSE_EXCHANGE
                 : a.count > 1      ? TSL_TRANSPOSE_ROWS
                                    : TSL_TRANSPOSE_COPY;
    /* The faster in the target of the other two comes first: 1 of an exchange, next row of rows. */
    if (a.count == 3 && a.out[2] < a.out[1]) {
        form->n[1] = a.n[2];
        form->n[2] = a.n[1];
        form->in[1] = a.in[2];
        form->in[2] = a.in[1];
        form->out[1] = a.out[2];
        form->out[2] = a.out[1];
    }
}

void tsl_transpose_reduce(tsl_transpose_form *form, const int64_t shape[3],
                          tsl_permutation permutation, int element)
{
    const int64_t in[3] = {1, shape[0], shape[0] * shape[1]};
    int64_t out[3] = {0};
    int64_t stride = 1;
    for (int i = 0; i < 3; i++) {
        const int axis = permutations[permutation].axes[i];
        out[axis] = stride;
        stride *= shape[axis];
    }
    tsl_transpose_form_of(form, shape, in, out, element, 16);
}
