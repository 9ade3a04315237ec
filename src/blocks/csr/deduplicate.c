/* Slices that repeat: rows of a stencil with the same numbers everywhere make a few kinds of them.
 */
#include "blocks/csr/form.h"

#include <string.h>

#include "core/context.h"

enum {
    MOST_KINDS = 1024,
    PLACES = 2 * MOST_KINDS, /* of a table of kinds: a power of two */
    REPEATS = 16             /* slices of a kind, on the whole, at least */
};

/* Kinds that have been met. */
typedef struct finder {
    const tsl_form *wide;
    bool full; /* there are more */
    int kinds;
    int64_t example[MOST_KINDS]; /* the first slice of each */
    uint16_t next[MOST_KINDS];   /* the last other kind that followed it */
    uint16_t place[PLACES];      /* 1 + a kind; 0: none */
} finder;

/* A slice of a form in double precision. */
typedef struct view {
    int64_t row, groups, indices;
    const int32_t *index;
    const double *value; /* [groups][lanes] */
} view;

static view view_of(const tsl_form *wide, int64_t slice)
{
    const int64_t value = wide->value_start[slice];
    const int64_t index = wide->index_start[slice];
    return (view){.row = wide->first + slice * wide->lanes,
                  .groups = wide->value_start[slice + 1] - value,
                  .indices = wide->index_start[slice + 1] - index,
                  .index = wide->index + index,
                  .value = (const double *)wide->value + value * wide->lanes};
}

static bool are_alike(const view *a, const view *b, int lanes)
{
    bool alike = a->groups == b->groups && a->indices == b->indices;
    for (int64_t k = 0; k < a->indices && alike; k++) {
        alike = a->index[k] - a->row == b->index[k] - b->row;
    }
    return alike && memcmp(a->value, b->value, (size_t)(a->groups * lanes) * 8) == 0;
}

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

static uint64_t hash_of(const view *v, int lanes)
{
    uint64_t hash = (uint64_t)v->indices;
    for (int64_t k = 0; k < v->indices; k++) {
        hash = mix(hash, (uint64_t)(v->index[k] - v->row));
    }
    for (int64_t k = 0; k < v->groups * lanes; k++) {
        uint64_t word;
        memcpy(&word, &v->value[k], sizeof word);
        hash = mix(hash, word);
    }
    return hash;
}

/* The kind of a slice, which becomes a new one's example if need be; none is left where f->full. */
static int look_up(finder *f, int64_t slice, const view *v)
{
    uint64_t place = hash_of(v, f->wide->lanes) % PLACES;
    for (; f->place[place] != 0; place = (place + 1) % PLACES) {
        const int kind = f->place[place] - 1;
        const view known = view_of(f->wide, f->example[kind]);
        if (are_alike(v, &known, f->wide->lanes)) {
            return kind;
        }
    }
    f->full = f->kinds == MOST_KINDS;
    if (f->full) {
        return 0;
    }
    f->example[f->kinds] = slice;
    f->next[f->kinds] = (uint16_t)f->kinds;
    f->place[place] = (uint16_t)(f->kinds + 1);
    return f->kinds++;
}

/* The kinds of the slices `from` to `to` - 1. Mostly it is that of the slice before, or what came
 * after such last time. */
static void find(finder *f, uint16_t *kind, int64_t from, int64_t to)
{
    int before = -1;
    for (int64_t s = from; s < to && !f->full; s++) {
        const view v = view_of(f->wide, s);
        int own = -1;
        const int guess[] = {before, before >= 0 ? f->next[before] : -1};
        for (int i = 0; i < 2 && before >= 0 && own < 0; i++) {
            const view known = view_of(f->wide, f->example[guess[i]]);
            own = are_alike(&v, &known, f->wide->lanes) ? guess[i] : -1;
        }
        own = own >= 0 ? own : look_up(f, s, &v);
        if (before >= 0 && own != before) {
            f->next[before] = (uint16_t)own;
        }
        kind[s] = (uint16_t)own;
        before = own;
    }
}

/* Each thread looks at slices of its own; what they have found becomes all->kinds. */
static void find_all(finder *all, finder *own, uint16_t *kind, int threads)
{
    const int64_t slices = all->wide->slices;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int t = 0; t < threads; t++) {
        own[t].wide = all->wide;
        find(&own[t], kind, slices * t / threads, slices * (t + 1) / threads);
    }
    for (int t = 0; t < threads && !all->full; t++) {
        all->full = own[t].full;
        for (int k = 0; k < own[t].kinds && !all->full; k++) {
            const view v = view_of(all->wide, own[t].example[k]);
            own[t].next[k] = (uint16_t)look_up(all, own[t].example[k], &v);
        }
    }
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int t = 0; t < threads; t++) {
        for (int64_t s = slices * t / threads; s < slices * (t + 1) / threads && !all->full; s++) {
            kind[s] = own[t].next[kind[s]];
        }
    }
}

/* Starts of the kinds, as of slices. */
static bool measure_kinds(tsl_form *out, const finder *f)
{
    out->value_start = tsl_allocate((size_t)(f->kinds + 1) * sizeof *out->value_start);
    out->index_start = tsl_allocate((size_t)(f->kinds + 1) * sizeof *out->index_start);
    if (out->value_start == NULL || out->index_start == NULL) {
        return false;
    }
    out->value_start[0] = out->index_start[0] = 0;
    for (int k = 0; k < f->kinds; k++) {
        const view v = view_of(f->wide, f->example[k]);
        out->value_start[k + 1] = out->value_start[k] + v.groups;
        out->index_start[k + 1] = out->index_start[k] + v.indices;
    }
    return true;
}

static bool fill_kinds(tsl_form *out, const finder *f)
{
    float *value = tsl_allocate((size_t)(out->value_start[f->kinds] * out->lanes) * sizeof *value);
    out->value = value;
    out->index = tsl_allocate((size_t)out->index_start[f->kinds] * sizeof *out->index);
    for (int k = 0; k < f->kinds && value != NULL && out->index != NULL; k++) {
        const view v = view_of(f->wide, f->example[k]);
        for (int64_t i = 0; i < v.groups * out->lanes; i++) {
            *value++ = (float)(out->scale * v.value[i]);
        }
        for (int64_t i = 0; i < v.indices; i++) {
            out->index[out->index_start[k] + i] = (int32_t)(v.index[i] - v.row);
        }
    }
    return value != NULL && out->index != NULL;
}

static bool deduplicate(tsl_form *out, bool *made, const tsl_form *wide, finder *all, int threads)
{
    all->wide = wide;
    find_all(all, all + 1, out->kind, threads);
    *made = !all->full && REPEATS * (int64_t)all->kinds <= wide->slices;
    if (!*made) {
        return true;
    }
    const bool enough = measure_kinds(out, all) && fill_kinds(out, all);
    out->product_bytes = 2 * out->slices;
    return enough;
}

tsl_status tsl_form_deduplicate(tsl_form *out, bool *made, tsl_context *context,
                                const tsl_form *wide, double scale)
{
    *made = false;
    *out = (tsl_form){.bytes = 4,
                      .scale = scale,
                      .rows = wide->rows,
                      .sliced = true,
                      .lanes = wide->lanes,
                      .first = wide->first,
                      .slices = wide->slices};
    const int threads = tsl_threads_for(context, wide->slices * wide->lanes);
    finder *finders = tsl_allocate_zeroed((size_t)threads + 1, sizeof *finders);
    out->kind = tsl_allocate((size_t)wide->slices * sizeof *out->kind);
    const bool enough =
        finders != NULL && out->kind != NULL && deduplicate(out, made, wide, finders, threads);
    tsl_release(finders);
    if (!enough || !*made) {
        tsl_form_free(out);
    }
    return enough ? TSL_OK : tsl_fail_memory(context, 2 * wide->slices, "the slices of a matrix");
}
