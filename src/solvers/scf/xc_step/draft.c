/* Shells, groups and their functions, on the host. */
#include "solvers/scf/xc_step/draft.h"

#include <math.h>
#include <string.h>

#include "core/context.h"

tsl_status tsl_xc_step_take(tsl_context *context, void *out, int64_t count, size_t each)
{
    void *memory = tsl_allocate((size_t)(count > 0 ? count : 1) * each);
    memcpy(out, &memory, sizeof memory);
    return memory != NULL ? TSL_OK
                          : tsl_fail_memory(context, count * (int64_t)each, "the groups of a grid");
}

/* ---- basis --------------------------------------------------------------------------------- */

/* Number of x^a y^b z^c, degree l: a descending, then b. */
static int monomial(int a, int l, int b)
{
    const int rest = l - a;
    return rest * (rest + 1) / 2 + (rest - b);
}

/* Derivatives of a shell's polynomials along an axis, [functions][monomials of degree l - 1]. */
static void differentiate(double *out, const double *table, int functions, int l, int axis)
{
    const int count = (l + 1) * (l + 2) / 2;
    const int derived = l * (l + 1) / 2;
    memset(out, 0, (size_t)(functions * derived) * sizeof *out);
    for (int a = l; a >= 0; a--) {
        for (int b = l - a; b >= 0; b--) {
            const int powers[3] = {a, b, l - a - b};
            if (powers[axis] == 0) {
                continue;
            }
            const int to = monomial(a - (axis == 0), l - 1, b - (axis == 1));
            for (int f = 0; f < functions; f++) {
                out[f * derived + to] += powers[axis] * table[f * count + monomial(a, l, b)];
            }
        }
    }
}

/* Numbers in the tables of polynomials and derivatives of l. */
static int table_size(int l, bool cartesian)
{
    return tsl_scf_shell_size(l, cartesian) * ((l + 1) * (l + 2) / 2 + 3 * l * (l + 1) / 2);
}

static tsl_status draft_basis(tsl_xc_step_draft *d, tsl_context *context,
                              const tsl_scf_basis *basis)
{
    int begin[TSL_XC_STEP_MAX_L + 1];
    tsl_status status = TSL_OK;
    for (int l = 0; l <= TSL_XC_STEP_MAX_L; l++) {
        begin[l] = d->tables;
        d->tables += table_size(l, basis->cartesian);
    }
    TSL_TRY(tsl_xc_step_take(context, &d->table, d->tables, sizeof *d->table));
    TSL_TRY(tsl_xc_step_take(context, &d->shell, basis->shells, sizeof *d->shell));
    for (int l = 0; l <= TSL_XC_STEP_MAX_L; l++) {
        const int functions = tsl_scf_shell_size(l, basis->cartesian);
        double *table = d->table + begin[l];
        double *derivatives = table + functions * (l + 1) * (l + 2) / 2;
        tsl_scf_polynomials(table, l, basis->cartesian);
        for (int axis = 0; axis < 3; axis++) {
            differentiate(derivatives + axis * functions * l * (l + 1) / 2, table, functions, l,
                          axis);
        }
    }
    for (int i = 0; i < basis->shells; i++) {
        const tsl_scf_shell *s = &basis->shell[i];
        d->shell[i] = (tsl_xc_shell){.l = s->l,
                                     .functions = s->functions,
                                     .first = s->first,
                                     .primitives = s->primitives,
                                     .table = begin[s->l],
                                     .function = s->function};
        memcpy(d->shell[i].center, s->center, sizeof s->center);
    }
done:
    return status;
}

/* ---- groups -------------------------------------------------------------------------------- */

/* Points in the order of groups; those that fill the last group repeat its last point, without
 * weight. */
static tsl_status draft_points(tsl_xc_step_draft *d, tsl_context *context, const tsl_scf_grid *grid)
{
    int64_t kept = 0;
    tsl_status status = TSL_OK;
    TSL_TRY(
        tsl_xc_step_take(context, &d->order, grid->points + TSL_XC_STEP_POINTS, sizeof *d->order));
    TSL_TRY(tsl_xc_step_sort(d->order, &kept, context, grid));
    d->groups = (int)((kept + TSL_XC_STEP_POINTS - 1) / TSL_XC_STEP_POINTS);
    d->points = d->groups * (int64_t)TSL_XC_STEP_POINTS;
    d->kept = kept;
    TSL_TRY(tsl_xc_step_take(context, &d->position, 3 * d->points, sizeof *d->position));
    TSL_TRY(tsl_xc_step_take(context, &d->weight, d->points, sizeof *d->weight));
    for (int64_t i = 0; i < d->points; i++) {
        const bool is_there = i < kept;
        const int32_t from = d->order[is_there ? i : kept - 1];
        for (int axis = 0; axis < 3; axis++) {
            d->position[axis * d->points + i] = grid->position[axis][from];
        }
        d->weight[i] = is_there ? grid->weight[from] : 0;
    }
    for (int64_t i = kept; i < d->points; i++) {
        d->order[i] = -1;
    }
done:
    return status;
}

/* Find which shells reach into a group, whose points are x, y and z, `pitch` numbers from each
 * other. */
static void find_shells(unsigned char *has, const tsl_scf_basis *basis, const double *reach,
                        const double *position, int64_t pitch)
{
    double low[3], high[3];
    for (int axis = 0; axis < 3; axis++) {
        const double *x = position + axis * pitch;
        low[axis] = high[axis] = x[0];
        for (int p = 1; p < TSL_XC_STEP_POINTS; p++) {
            low[axis] = x[p] < low[axis] ? x[p] : low[axis];
            high[axis] = x[p] > high[axis] ? x[p] : high[axis];
        }
    }
    for (int s = 0; s < basis->shells; s++) {
        const double *c = basis->shell[s].center;
        const double square = reach[s] * reach[s];
        double to_box = 0;
        for (int axis = 0; axis < 3; axis++) {
            const double d = fmax(0, fmax(low[axis] - c[axis], c[axis] - high[axis]));
            to_box += d * d;
        }
        has[s] = 0;
        for (int p = 0; p < TSL_XC_STEP_POINTS && to_box < square && has[s] == 0; p++) {
            const double x = position[p] - c[0];
            const double y = position[pitch + p] - c[1];
            const double z = position[2 * pitch + p] - c[2];
            has[s] = x * x + y * y + z * z < square;
        }
    }
}

static tsl_status draft_shells(tsl_xc_step_draft *d, tsl_context *context,
                               const tsl_scf_basis *basis, double cutoff)
{
    double *reach = NULL;
    tsl_status status = TSL_OK;
    TSL_TRY(tsl_xc_step_take(context, &reach, basis->shells, sizeof *reach));
    TSL_TRY(tsl_xc_step_take(context, &d->has, (int64_t)d->groups * basis->shells, 1));
    for (int s = 0; s < basis->shells; s++) {
        reach[s] = tsl_xc_step_extent(basis, s, cutoff);
    }
#pragma omp parallel for num_threads(context->threads) schedule(dynamic, 16)
    for (int g = 0; g < d->groups; g++) {
        find_shells(d->has + (int64_t)g * basis->shells, basis, reach,
                    d->position + (int64_t)g * TSL_XC_STEP_POINTS, d->points);
    }
done:
    tsl_release(reach);
    return status;
}

/* Sizes of groups. */
static void size_groups(tsl_xc_step_draft *d, const tsl_scf_basis *basis)
{
    int64_t squares = 0;
    for (int g = 0; g < d->groups; g++) {
        tsl_xc_group *group = &d->group[g];
        const unsigned char *has = d->has + (int64_t)g * basis->shells;
        *group = (tsl_xc_group){.entry = (int32_t)d->entries, .row = d->rows, .square = squares};
        for (int s = 0; s < basis->shells; s++) {
            if (has[s]) {
                group->entries++;
                group->functions += basis->shell[s].functions;
            }
        }
        group->rows = (group->functions + 7) / 8 * 8;
        d->entries += group->entries;
        d->rows += group->rows;
        squares += (int64_t)group->rows * group->rows;
        if (group->rows > d->most_rows) {
            d->most_rows = group->rows;
        }
    }
}

static tsl_status draft_groups(tsl_xc_step_draft *d, tsl_context *context,
                               const tsl_scf_basis *basis, bool placed)
{
    const int64_t places = placed ? (int64_t)d->groups * basis->functions : 0;
    tsl_status status = TSL_OK;
    TSL_TRY(tsl_xc_step_take(context, &d->group, d->groups, sizeof *d->group));
    size_groups(d, basis);
    TSL_TRY(tsl_xc_step_take(context, &d->entry, d->entries, sizeof *d->entry));
    TSL_TRY(tsl_xc_step_take(context, &d->function, d->rows, sizeof *d->function));
    TSL_TRY(tsl_xc_step_take(context, &d->place, places, sizeof *d->place));
    memset(d->place, 0xff, (size_t)places * sizeof *d->place);
    for (int g = 0; g < d->groups; g++) {
        const tsl_xc_group *group = &d->group[g];
        tsl_xc_entry *entry = d->entry + group->entry;
        int32_t *function = d->function + group->row;
        int row = 0;
        for (int s = 0; s < basis->shells; s++) {
            if (!d->has[(int64_t)g * basis->shells + s]) {
                continue;
            }
            *entry++ = (tsl_xc_entry){g, s, row};
            for (int f = 0; f < basis->shell[s].functions; f++, row++) {
                function[row] = basis->shell[s].function + f;
                if (placed) {
                    d->place[(int64_t)g * basis->functions + function[row]] = (int16_t)row;
                }
            }
        }
        for (; row < group->rows; row++) {
            function[row] = -1;
        }
    }
done:
    return status;
}

/* ---- all of it ----------------------------------------------------------------------------- */

tsl_status tsl_xc_step_make_draft(tsl_xc_step_draft *out, tsl_context *context,
                                  const tsl_scf_basis *basis, const tsl_scf_grid *grid,
                                  double cutoff, bool with_places)
{
    tsl_status status = TSL_OK;
    *out = (tsl_xc_step_draft){.groups = 0};
    TSL_TRY(draft_basis(out, context, basis));
    TSL_TRY(draft_points(out, context, grid));
    TSL_TRY(draft_shells(out, context, basis, cutoff));
    TSL_TRY(draft_groups(out, context, basis, with_places));
done:
    return status;
}

void tsl_xc_step_release_draft(tsl_xc_step_draft *d)
{
    tsl_release(d->shell);
    tsl_release(d->order);
    tsl_release(d->group);
    tsl_release(d->table);
    tsl_release(d->position);
    tsl_release(d->weight);
    tsl_release(d->has);
    tsl_release(d->entry);
    tsl_release(d->function);
    tsl_release(d->place);
}
