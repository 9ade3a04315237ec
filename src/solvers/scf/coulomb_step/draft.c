/* Pairs of primitives and sites of auxiliary functions, worked out on the host. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "solvers/scf/coulomb_step/step.h"

static tsl_status take(tsl_context *context, void *out, int64_t count, size_t each)
{
    void *memory = tsl_allocate((size_t)(count + 1) * each);
    memcpy(out, &memory, sizeof memory);
    return memory != NULL
               ? TSL_OK
               : tsl_fail_memory(context, count * (int64_t)each, "products of basis functions");
}

/* Place a class's values after `values`; returns where they end. */
static int64_t place_class(tsl_coulomb_class *c, int64_t first, int64_t values)
{
    c->first = first;
    c->value = values;
    return values + c->count * tsl_coulomb_hermites(c);
}

/* The orders of classes and places of their values; the numbers of particles are known. Returns how
 * many values there are. */
static int64_t place_values(tsl_coulomb_particles *p)
{
    int64_t values = 0;
    int single = TSL_COULOMB_FIRST_SINGLE;
    p->total = 0;
    for (int order = 0; order < TSL_COULOMB_ORDERS; order++) {
        tsl_coulomb_class *c = &p->of[order];
        c->order = order < TSL_COULOMB_LOW ? order : TSL_COULOMB_LOW;
        values = place_class(c, p->total, values);
        for (int higher = TSL_COULOMB_LOW + 1; higher <= order; higher++, single++) {
            p->of[single] =
                (tsl_coulomb_class){.count = c->count, .order = higher, .lowest = higher};
            values = place_class(&p->of[single], p->total, values);
        }
        p->total += c->count;
    }
    for (int l = 0; l < TSL_COULOMB_SOLIDS; l++) {
        tsl_coulomb_class *c = &p->of[TSL_COULOMB_FIRST_SOLID + l];
        c->order = c->lowest = l;
        c->solid = true;
        values = place_class(c, p->total, values);
        p->total += c->count;
    }
    return values;
}

/* ---- pairs ---------------------------------------------------------------------------------- */

/* Shells of pair number k, i >= j, as (0, 0), (1, 0), (1, 1), ... */
static void shells_of(int64_t k, int *i, int *j)
{
    *i = (int)((sqrt(8.0 * (double)k + 1) - 1) / 2);
    *i += (int64_t)(*i + 1) * (*i + 2) / 2 <= k;
    *i -= (int64_t)*i * (*i + 1) / 2 > k;
    *j = (int)(k - (int64_t)*i * (*i + 1) / 2);
}

/* What is done with a pair of shells that has been expanded. */
typedef void visit_pair(tsl_coulomb_draft *d, const tsl_coulomb_step_source *s, int64_t number,
                        const tsl_scf_pair *pair);

/* Expand pairs of shells, by any thread; `of` NULL: all, else those of the rows. */
static tsl_status visit(tsl_coulomb_draft *d, const tsl_coulomb_step_source *s, int64_t count,
                        const int64_t *of, visit_pair *call)
{
    tsl_status status = TSL_OK;
#pragma omp parallel num_threads(s->host->threads)
    {
        tsl_scf_pair pair;
        const tsl_status own = tsl_scf_pair_create(&pair, NULL, s->basis, s->basis);
        if (own != TSL_OK) {
#pragma omp atomic write
            status = own;
        }
#pragma omp for schedule(dynamic, 16)
        for (int64_t k = 0; k < count; k++) {
            int i, j;
            shells_of(of != NULL ? of[k] : k, &i, &j);
            if (own == TSL_OK) {
                tsl_scf_pair_expand(&pair, s->basis, i, s->basis, j, s->screen);
                call(d, s, k, &pair);
            }
        }
        tsl_scf_pair_release(&pair);
    }
    return status == TSL_OK ? TSL_OK
                            : tsl_fail(s->host, status,
                                       "out of memory: cannot take what products of basis "
                                       "functions need");
}

/* How many pairs of primitives a pair of shells keeps; `row_of` holds them for now. */
static void count_pair(tsl_coulomb_draft *d, const tsl_coulomb_step_source *s, int64_t number,
                       const tsl_scf_pair *pair)
{
    (void)s;
    d->row_of[number] = pair->primitives;
}

static void fill_pair(tsl_coulomb_draft *d, const tsl_coulomb_step_source *s, int64_t number,
                      const tsl_scf_pair *pair)
{
    const tsl_coulomb_row *row = &d->row[number];
    const int64_t first = d->pairs.of[row->order].first + row->first, total = d->pairs.total;
    (void)s;
    for (int k = 0; k < pair->primitives; k++) {
        d->pair_exponent[first + k] = pair->exponent[k];
        d->row_of[first + k] = (int32_t)number;
        for (int axis = 0; axis < 3; axis++) {
            d->pair_center[axis * total + first + k] = pair->center[3 * k + axis];
        }
    }
    memcpy(d->h + row->h, pair->h,
           sizeof *d->h * (size_t)pair->primitives * (size_t)(pair->hermites * pair->functions));
}

/* Rows by ascending order, of one order as their shells; numbers[row] is the pair of shells. */
static void list_rows(tsl_coulomb_draft *d, const tsl_coulomb_step_source *s, int64_t pairs,
                      const int32_t *primitives, int64_t *numbers)
{
    const tsl_scf_shell *shell = s->basis->shell;
    for (int order = 0; order < TSL_COULOMB_ORDERS; order++) {
        for (int64_t k = 0; k < pairs; k++) {
            int i, j;
            shells_of(k, &i, &j);
            if (primitives[k] == 0 || shell[i].l + shell[j].l != order) {
                continue;
            }
            numbers[d->rows] = k;
            d->row[d->rows++] =
                (tsl_coulomb_row){.function = {shell[i].function, shell[j].function},
                                  .functions = {shell[i].functions, shell[j].functions},
                                  .order = order,
                                  .count = primitives[k],
                                  .first = (int32_t)d->pairs.of[order].count,
                                  .twice = i != j,
                                  .h = d->numbers};
            d->pairs.of[order].count += primitives[k];
            d->numbers += (int64_t)primitives[k] * tsl_hermites(order) * shell[i].functions *
                          shell[j].functions;
        }
    }
}

static tsl_status draft_pairs(tsl_coulomb_draft *d, const tsl_coulomb_step_source *s)
{
    const int64_t pairs = (int64_t)s->basis->shells * (s->basis->shells + 1) / 2;
    int64_t *numbers = NULL;
    tsl_status status = TSL_OK;
    TSL_TRY(take(s->host, &d->row, pairs, sizeof *d->row));
    TSL_TRY(take(s->host, &d->row_of, pairs, sizeof *d->row_of));
    TSL_TRY(take(s->host, &numbers, pairs, sizeof *numbers));
    TSL_TRY(visit(d, s, pairs, NULL, count_pair));
    list_rows(d, s, pairs, d->row_of, numbers);
    d->pair_values = place_values(&d->pairs);
    tsl_release(d->row_of);
    TSL_TRY(take(s->host, &d->row_of, d->pairs.total, sizeof *d->row_of));
    TSL_TRY(take(s->host, &d->pair_exponent, d->pairs.total, sizeof *d->pair_exponent));
    TSL_TRY(take(s->host, &d->pair_center, 3 * d->pairs.total, sizeof *d->pair_center));
    TSL_TRY(take(s->host, &d->h, d->numbers, sizeof *d->h));
    TSL_TRY(visit(d, s, d->rows, numbers, fill_pair));
    d->pairs.exponent = d->pair_exponent;
    d->pairs.center = d->pair_center;
done:
    tsl_release(numbers);
    return status;
}

/* ---- sites ---------------------------------------------------------------------------------- */

/* A primitive of an auxiliary shell, and the site that it is part of: its class, and its number
 * there. */
typedef struct primitive {
    double exponent, center[3], weight;
    int l, function, class;
    int64_t site;
} primitive;

static bool is_one_site(const primitive *a, const primitive *b)
{
    return a->exponent == b->exponent && a->center[0] == b->center[0] &&
           a->center[1] == b->center[1] && a->center[2] == b->center[2];
}

/* The primitives of all lanes; returns how many. */
static int64_t list_primitives(primitive *out, const tsl_scf_partners *partners)
{
    int64_t count = 0;
    for (int i = 0; i < partners->lanes; i++) {
        const tsl_scf_partner *q = &partners->partner[i];
        for (int w = 0; w < TSL_SCF_LANES && q->function[w] >= 0; w++) {
            out[count++] = (primitive){
                .exponent = q->lanes.exponent[w],
                .center = {q->lanes.center[0][w], q->lanes.center[1][w], q->lanes.center[2][w]},
                .weight = q->lanes.weight[w],
                .l = q->l,
                .function = q->function[w]};
        }
    }
    return count;
}

/* By center, then exponent, then l from the highest on; what is equal, by function. */
static int compare_primitives(const void *left, const void *right)
{
    const primitive *a = left, *b = right;
    for (int axis = 0; axis < 3; axis++) {
        if (a->center[axis] != b->center[axis]) {
            return a->center[axis] < b->center[axis] ? -1 : 1;
        }
    }
    if (a->exponent != b->exponent) {
        return a->exponent < b->exponent ? -1 : 1;
    }
    return a->l != b->l ? b->l - a->l : a->function - b->function;
}

/* Number the sites within their classes: of solid harmonics if all functions of a site are those of
 * one l, else of all orders up to that of the first primitive. Cartesian functions are solid
 * harmonics up to l = 1. */
static void number_sites(tsl_coulomb_draft *d, primitive *p, int64_t count, bool cartesian)
{
    for (int64_t k = 0, end = 0; k < count; k = end) {
        while (end < count && is_one_site(&p[k], &p[end])) {
            end++;
        }
        const int l = p[k].l;
        const bool solid = p[end - 1].l == l && (!cartesian || l < 2);
        const int class = solid ? TSL_COULOMB_FIRST_SOLID + l : l;
        for (int64_t i = k; i < end; i++) {
            p[i].class = class;
            p[i].site = d->sites.of[class].count;
        }
        d->sites.of[class].count++;
    }
}

/* A term of the matrix of sites' values: coefficient of a function. */
typedef struct term {
    int32_t value, function;
    double factor;
} term;

/* What a primitive gives to its site; returns how many terms. */
static int64_t list_terms(term *out, const tsl_coulomb_draft *d, const tsl_scf_partners *partners,
                          const primitive *p)
{
    const tsl_coulomb_class *c = &d->sites.of[p->class];
    for (int k = 0; k < partners->shape[p->l].terms; k++) {
        const int hermite = partners->shape[p->l].hermite[k] - tsl_coulomb_first_hermite(c);
        const int64_t value = c->value + hermite * c->count + p->site;
        out[k] = (term){.value = (int32_t)value,
                        .function = p->function + partners->shape[p->l].function[k],
                        .factor = partners->shape[p->l].coefficient[k] * p->weight *
                                  pow(2 * p->exponent, partners->shape[p->l].power[k])};
    }
    return partners->shape[p->l].terms;
}

/* Rows `start`, columns and factors of the terms, by value or (`back`) by function; in one row they
 * keep their order. */
static void compress(int32_t *start, int32_t *column, double *factor, const term *t, int64_t terms,
                     int64_t rows, bool back)
{
    memset(start, 0, sizeof *start * (size_t)(rows + 1));
    for (int64_t k = 0; k < terms; k++) {
        start[(back ? t[k].function : t[k].value) + 1]++;
    }
    for (int64_t row = 0; row < rows; row++) {
        start[row + 1] += start[row];
    }
    for (int64_t k = 0; k < terms; k++) {
        const int32_t at = start[back ? t[k].function : t[k].value]++;
        column[at] = back ? t[k].value : t[k].function;
        factor[at] = t[k].factor;
    }
    for (int64_t row = rows; row > 0; row--) {
        start[row] = start[row - 1];
    }
    start[0] = 0;
}

static int64_t count_terms(const tsl_scf_partners *partners, const primitive *p, int64_t count)
{
    int64_t terms = 0;
    for (int64_t k = 0; k < count; k++) {
        terms += partners->shape[p[k].l].terms;
    }
    return terms;
}

static tsl_status draft_terms(tsl_coulomb_draft *d, const tsl_coulomb_step_source *s,
                              const primitive *p, int64_t count)
{
    const int64_t functions = s->auxiliary->functions;
    const int64_t terms = count_terms(s->partners, p, count);
    term *t = NULL;
    tsl_status status = TSL_OK;
    TSL_TRY(take(s->host, &t, terms, sizeof *t));
    for (int64_t k = 0; k < count; k++) {
        d->terms += list_terms(t + d->terms, d, s->partners, &p[k]);
    }
    TSL_TRY(take(s->host, &d->start, d->site_values + 1, sizeof *d->start));
    TSL_TRY(take(s->host, &d->start_back, functions + 1, sizeof *d->start_back));
    TSL_TRY(take(s->host, &d->column, terms, sizeof *d->column));
    TSL_TRY(take(s->host, &d->column_back, terms, sizeof *d->column_back));
    TSL_TRY(take(s->host, &d->factor, terms, sizeof *d->factor));
    TSL_TRY(take(s->host, &d->factor_back, terms, sizeof *d->factor_back));
    compress(d->start, d->column, d->factor, t, terms, d->site_values, false);
    compress(d->start_back, d->column_back, d->factor_back, t, terms, functions, true);
done:
    tsl_release(t);
    return status;
}

static tsl_status place_sites(tsl_coulomb_draft *d, const tsl_coulomb_step_source *s,
                              const primitive *p, int64_t count)
{
    tsl_status status = TSL_OK;
    d->site_values = place_values(&d->sites);
    TSL_TRY(take(s->host, &d->site_exponent, d->sites.total, sizeof *d->site_exponent));
    TSL_TRY(take(s->host, &d->site_center, 3 * d->sites.total, sizeof *d->site_center));
    for (int64_t k = 0; k < count; k++) {
        const int64_t at = d->sites.of[p[k].class].first + p[k].site;
        d->site_exponent[at] = p[k].exponent;
        for (int axis = 0; axis < 3; axis++) {
            d->site_center[axis * d->sites.total + at] = p[k].center[axis];
        }
    }
    d->sites.exponent = d->site_exponent;
    d->sites.center = d->site_center;
    TSL_TRY(draft_terms(d, s, p, count));
done:
    return status;
}

static tsl_status draft_sites(tsl_coulomb_draft *d, const tsl_coulomb_step_source *s)
{
    primitive *p = NULL;
    int64_t count = 0;
    tsl_status status = TSL_OK;
    TSL_TRY(take(s->host, &p, (int64_t)s->partners->lanes * TSL_SCF_LANES, sizeof *p));
    count = list_primitives(p, s->partners);
    qsort(p, (size_t)count, sizeof *p, compare_primitives);
    number_sites(d, p, count, s->auxiliary->cartesian);
    TSL_TRY(place_sites(d, s, p, count));
done:
    tsl_release(p);
    return status;
}

/* ---- all of it ------------------------------------------------------------------------------ */

tsl_status tsl_coulomb_make_draft(tsl_coulomb_draft *out, const tsl_coulomb_step_source *source)
{
    tsl_status status = TSL_OK;
    memset(out, 0, sizeof *out);
    TSL_TRY(draft_pairs(out, source));
    TSL_TRY(draft_sites(out, source));
done:
    return status;
}

void tsl_coulomb_release_draft(tsl_coulomb_draft *d)
{
    void *const all[] = {
        d->pair_exponent, d->pair_center, d->site_exponent, d->site_center, d->row,
        d->row_of,        d->h,           d->start,         d->column,      d->start_back,
        d->column_back,   d->factor,      d->factor_back};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        tsl_release(all[i]);
    }
}

void tsl_coulomb_boys(double *table, const tsl_scf_tables *tables)
{
    for (int m = 0; m <= TSL_SCF_MAX_ORDER; m++) {
        for (int i = 0; i < TSL_BOYS_ROWS; i++) {
            const double *from = tables->boys + (size_t)i * TSL_BOYS_COLUMNS;
            double *to = table + ((size_t)m * TSL_BOYS_ROWS + (size_t)i) * TSL_COULOMB_BOYS;
            memcpy(to, from + m, sizeof *to * TSL_BOYS_TERMS);
            to[TSL_BOYS_TERMS] = from[TSL_BOYS_COLUMNS - 1];
            to[TSL_BOYS_TERMS + 1] = 0;
        }
    }
}
