/* The next level's matrix, P^T A P. All threads go through the rows together, window by window: of
 * P and A P, which would be the largest of all, only what a window needs is there, each row made
 * once. Memory is taken again, for what costs is to touch it for the first time. */
#include <omp.h>
#include <string.h>

#include "core/clones.h"
#include "core/context.h"
#include "solvers/linsolve/multigrid/multigrid.h"

enum {
    PIECE = 1024, /* rows of a factor that share memory */
    PARTS = 2,    /* of a window, for each thread */
    BANDWIDTHS =
        4, /* rows of a part at least, in bandwidths, for parts need neighbours' rows too */
    PART_ROWS = 4096, /* rows of a part at least */
    AHEAD = 16 /* rows of A P that are fetched before their turn; where they are, twice as many */
};

/* Some rows of the next level. */
typedef struct part {
    int64_t from, to;
    int64_t ap_from, ap_to; /* rows of A P that they are sums of */
} part;

/* Parts that are made at once. Pieces of P and A P are made when they are needed first: of those
 * `from` … to - 1 some are there already. */
typedef struct window {
    int64_t first, last; /* parts */
    /* Pieces of P and of A P, from the first that this window or a later one needs to the last that
     * this window or an earlier one needs. */
    int64_t p_from, p_to;
    int64_t ap_from, ap_to;
} window;

/* Memory that a piece's rows have beyond their share. */
typedef struct more {
    struct more *before;
    char entries[];
} more;

/* P or A P: the rows of the pieces that are there, each at its number modulo a power of two. */
typedef struct factor {
    tsl_made_row *row;
    uint64_t mask;
    char *entries; /* [live][share], one allocation, so that it is on huge pages */
    int64_t share; /* of a piece, in bytes */
    more **more;   /* [live]; NULL: none */
} factor;

/* Rows that follow each other. */
typedef struct strip {
    int64_t rows, entries, room; /* for entries */
    int64_t *start;              /* [rows + 1] */
    uint32_t *column;
    double *value;
} strip;

/* What a thread makes rows with. */
typedef struct worker {
    tsl_row row;
    strip r; /* of P^T: `row_room` */
    int64_t row_room;
} worker;

typedef struct making {
    const tsl_coarsening *of;
    const tsl_csr *a;
    int threads;
    int64_t bandwidth;
    int64_t pieces; /* of all rows, the last may be shorter */
    int64_t live;   /* as many are needed at once: piece k takes the memory of piece k - live */
    factor p, ap;
    worker *workers; /* [threads] */
    int64_t parts, slots, windows;
    part *part;     /* [parts] */
    window *window; /* [windows]: of as many parts as there are slots */
    strip *made;    /* [slots]: what a window's parts have become */
    int64_t done;   /* rows of the next level that are in place */
    int64_t room;   /* entries for which these have room */
} making;

/* ---- memory --------------------------------------------------------------------------------- */

static void free_more(more **all)
{
    while (*all != NULL) {
        more *last = *all;
        *all = last->before;
        tsl_release(last);
    }
}

/* A piece's share is that of a row with so many entries. */
static bool take_factor(factor *f, int64_t live, int64_t entries)
{
    const int64_t share = tsl_made_bytes(entries);
    uint64_t rows = PIECE;
    while (rows < (uint64_t)live * PIECE) {
        rows *= 2;
    }
    f->mask = rows - 1;
    f->share = share;
    f->row = tsl_allocate(rows * sizeof *f->row);
    f->entries = tsl_allocate((size_t)(live * share));
    f->more = tsl_allocate_zeroed((size_t)live, sizeof *f->more);
    return f->row != NULL && f->entries != NULL && f->more != NULL;
}

static void free_factor(factor *f, int64_t live)
{
    for (int64_t i = 0; i < live && f->more != NULL; i++) {
        free_more(&f->more[i]);
    }
    tsl_release(f->more);
    tsl_release(f->entries);
    tsl_release(f->row);
}

static void free_rows(strip *r)
{
    tsl_release(r->start);
    tsl_release(r->column);
    tsl_release(r->value);
}

/* Room for so many entries. */
static bool widen(strip *r, int64_t entries)
{
    if (entries <= r->room) {
        return true;
    }
    uint32_t *column = tsl_reallocate(r->column, (size_t)r->entries * sizeof *column,
                                      (size_t)entries * sizeof *column);
    r->column = column != NULL ? column : r->column;
    double *value = tsl_reallocate(r->value, (size_t)r->entries * sizeof *value,
                                   (size_t)entries * sizeof *value);
    r->value = value != NULL ? value : r->value;
    r->room = column != NULL && value != NULL ? entries : r->room;
    return entries <= r->room;
}

static void free_making(making *k)
{
    for (int t = 0; t < k->threads && k->workers != NULL; t++) {
        tsl_row_free(&k->workers[t].row);
        free_rows(&k->workers[t].r);
    }
    for (int64_t s = 0; s < k->slots && k->made != NULL; s++) {
        free_rows(&k->made[s]);
    }
    tsl_release(k->workers);
    tsl_release(k->made);
    tsl_release(k->part);
    tsl_release(k->window);
    free_factor(&k->p, k->live);
    free_factor(&k->ap, k->live);
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* ---- which rows are needed when ------------------------------------------------------------- */

/* The part's rows of the next level are sums over their aggregates and the rows around. */
static part look_around(const making *k, int64_t number)
{
    const tsl_csr *members = k->of->members;
    part p = {.from = members->rows * number / k->parts,
              .to = members->rows * (number + 1) / k->parts,
              .ap_from = k->a->rows};
    for (int64_t i = p.from; i < p.to; i++) { /* columns ascend, and no aggregate is empty */
        p.ap_from = least(p.ap_from, members->column[members->row_start[i]]);
        p.ap_to = most(p.ap_to, members->column[members->row_start[i + 1] - 1] + 1);
    }
    p.ap_from = most(p.ap_from - k->bandwidth, 0);
    p.ap_to = least(p.ap_to + k->bandwidth, k->a->rows);
    return p;
}

static void gather_parts(making *k, int64_t number)
{
    window *w = &k->window[number];
    *w = (window){.first = number * k->slots,
                  .last = least((number + 1) * k->slots, k->parts),
                  .ap_from = k->pieces};
    for (int64_t i = w->first; i < w->last; i++) {
        w->ap_from = least(w->ap_from, k->part[i].ap_from / PIECE);
        w->ap_to = most(w->ap_to, (k->part[i].ap_to + PIECE - 1) / PIECE);
    }
    w->p_from = most(w->ap_from * PIECE - k->bandwidth, 0) / PIECE;
    w->p_to = least((w->ap_to * PIECE + k->bandwidth + PIECE - 1) / PIECE, k->pieces);
}

/* A window needs what the windows behind it do, and has done what those before it need. */
static void plan_windows(making *k)
{
#pragma omp parallel for num_threads(k->threads) schedule(static)
    for (int64_t i = 0; i < k->parts; i++) {
        k->part[i] = look_around(k, i);
    }
    for (int64_t i = k->windows - 1; i >= 0; i--) {
        window *w = &k->window[i];
        gather_parts(k, i);
        if (i + 1 < k->windows) {
            w->ap_from = least(w->ap_from, w[1].ap_from);
            w->p_from = least(w->p_from, w[1].p_from);
        }
    }
    for (int64_t i = 0; i < k->windows; i++) {
        window *w = &k->window[i];
        if (i > 0) {
            w->ap_to = most(w->ap_to, w[-1].ap_to);
            w->p_to = most(w->p_to, w[-1].p_to);
        }
        k->live = most(k->live, w->p_to - w->p_from);
    }
}

/* ---- factors -------------------------------------------------------------------------------- */

static inline const tsl_made_row *row_of(const factor *f, int64_t i)
{
    return &f->row[(uint64_t)i & f->mask];
}

static tsl_piece rows_of_piece(const making *k, int64_t number)
{
    return (tsl_piece){number * PIECE, least((number + 1) * PIECE, k->a->rows)};
}

/* Where the rows of a piece that is being made go. */
typedef struct growth {
    factor *of;
    more **more;
    char *at, *end;
} growth;

static growth begin_piece(const making *k, factor *f, int64_t number)
{
    const int64_t place = number % k->live;
    char *at = f->entries + place * f->share;
    free_more(&f->more[place]);
    return (growth){f, &f->more[place], at, at + f->share};
}

/* Rows before it stay where they are. */
static bool grow(growth *g, int64_t bytes)
{
    const int64_t wanted = bytes > g->of->share ? bytes : g->of->share;
    more *m = tsl_allocate(sizeof *m + (size_t)wanted);
    if (m == NULL) {
        return false;
    }
    m->before = *g->more;
    *g->more = m;
    g->at = m->entries;
    g->end = m->entries + wanted;
    return true;
}

/* What has been added up becomes row i. */
static inline bool put_row(growth *g, int64_t i, tsl_row *row)
{
    const int64_t count = row->count;
    const int64_t bytes = tsl_made_bytes(count);
    if (bytes > g->end - g->at && !grow(g, bytes)) {
        return false;
    }
    char *at = g->at;
    g->of->row[(uint64_t)i & g->of->mask] = (tsl_made_row){at, count};
    tsl_row_take(row, (uint32_t *)(void *)(at + 8 * count), (double *)(void *)at);
    g->at = at + bytes;
    return true;
}

static bool make_p(making *k, worker *w, int64_t number)
{
    const tsl_piece rows = rows_of_piece(k, number);
    growth g = begin_piece(k, &k->p, number);
    bool enough = true;
    for (int64_t i = rows.from; i < rows.to && enough; i++) {
        tsl_prolongator_row(&w->row, k->of->from, i);
        enough = put_row(&g, i, &w->row);
    }
    return enough;
}

TSL_CLONES static bool make_ap(making *k, worker *w, int64_t number)
{
    const tsl_csr *a = k->a;
    const factor *p = &k->p;
    const tsl_piece rows = rows_of_piece(k, number);
    growth g = begin_piece(k, &k->ap, number);
    tsl_row row = w->row;
    bool enough = true;
    for (int64_t i = rows.from; i < rows.to && enough; i++) {
        for (int64_t e = a->row_start[i]; e < a->row_start[i + 1]; e++) {
            tsl_row_add_made(&row, a->value[e], row_of(p, a->column[e]));
        }
        enough = put_row(&g, i, &row);
    }
    w->row = row;
    return enough;
}

/* ---- a part --------------------------------------------------------------------------------- */

/* Its rows of P^T. Counts stand a place on, so that when entries have taken theirs, starts do. */
static bool make_r(const making *k, worker *w, const part *of)
{
    strip *r = &w->r;
    const uint32_t from = (uint32_t)of->from;
    const uint32_t count = (uint32_t)(of->to - of->from);
    if (count > w->row_room) {
        tsl_release(r->start);
        r->start = tsl_allocate((size_t)(count + 2) * sizeof *r->start);
        w->row_room = r->start != NULL ? count : 0;
    }
    if (r->start == NULL) {
        return false;
    }
    int64_t *next = r->start + 1;
    memset(r->start, 0, (size_t)(count + 2) * sizeof *next);
    for (int64_t j = of->ap_from; j < of->ap_to; j++) {
        const tsl_made_row *row = row_of(&k->p, j);
        const uint32_t *column = tsl_made_columns(row);
        for (int64_t l = 0; l < row->count; l++) {
            if (column[l] - from < count) {
                next[column[l] - from + 1]++;
            }
        }
    }
    for (int64_t i = 0; i < count; i++) {
        next[i + 1] += next[i];
    }
    r->entries = 0; /* nothing to keep */
    if (!widen(r, next[count])) {
        return false;
    }
    for (int64_t j = of->ap_from; j < of->ap_to; j++) {
        const tsl_made_row *row = row_of(&k->p, j);
        const uint32_t *column = tsl_made_columns(row);
        for (int64_t l = 0; l < row->count; l++) {
            if (column[l] - from < count) {
                const int64_t at = next[column[l] - from]++;
                r->column[at] = (uint32_t)j;
                r->value[at] = tsl_made_values(row)[l];
            }
        }
    }
    r->rows = count;
    return true;
}

/* Its rows of P^T A P. Rows of A P are fetched before their turn,
 * for they lie apart. */
TSL_CLONES static bool make_part(const making *k, worker *w, const part *of, strip *out)
{
    const strip *r = &w->r;
    bool enough = make_r(k, w, of);
    tsl_row row = w->row;
    out->rows = out->entries = out->start[0] = 0;
    const int64_t entries = enough ? r->start[r->rows] : 0;
    for (int64_t i = 0; i < of->to - of->from && enough; i++) {
        for (int64_t e = r->start[i]; e < r->start[i + 1]; e++) {
            if (e + 2 * AHEAD < entries) {
                __builtin_prefetch(row_of(&k->ap, r->column[e + 2 * AHEAD]));
                const char *later = row_of(&k->ap, r->column[e + AHEAD])->entries;
                __builtin_prefetch(later);
                __builtin_prefetch(later + 64);
            }
            tsl_row_add_made(&row, r->value[e], row_of(&k->ap, r->column[e]));
        }
        tsl_sort_columns(row.column, row.count);
        const int64_t to = out->entries + row.count;
        enough = to <= out->room || widen(out, 2 * to);
        if (enough) {
            tsl_row_take(&row, out->column + out->entries, out->value + out->entries);
            out->entries = to;
            out->start[++out->rows] = to;
        }
    }
    w->row = row;
    return enough;
}

/* ---- all of it ------------------------------------------------------------------------------ */

static bool make_window(making *k, const window *w, const window *before)
{
    const int64_t p_from = before != NULL ? most(w->p_from, before->p_to) : w->p_from;
    const int64_t ap_from = before != NULL ? most(w->ap_from, before->ap_to) : w->ap_from;
    bool enough = true;
#pragma omp parallel num_threads(k->threads) reduction(&& : enough)
    {
        worker *own = &k->workers[omp_get_thread_num()];
#pragma omp for schedule(dynamic)
        for (int64_t i = p_from; i < w->p_to; i++) {
            enough = make_p(k, own, i) && enough;
        }
    }
    if (!enough) {
        return false;
    }
#pragma omp parallel num_threads(k->threads) reduction(&& : enough)
    {
        worker *own = &k->workers[omp_get_thread_num()];
#pragma omp for schedule(dynamic)
        for (int64_t i = ap_from; i < w->ap_to; i++) {
            enough = make_ap(k, own, i) && enough;
        }
    }
    if (!enough) {
        return false;
    }
#pragma omp parallel num_threads(k->threads) reduction(&& : enough)
    {
        worker *own = &k->workers[omp_get_thread_num()];
#pragma omp for schedule(dynamic)
        for (int64_t i = w->first; i < w->last; i++) {
            enough = make_part(k, own, &k->part[i], &k->made[i - w->first]) && enough;
        }
    }
    return enough;
}

/* Room for the matrix' entries, once so many of its rows are to have so many: what the others will
 * take is about as much each. */
static bool make_room(making *k, tsl_csr *out, int64_t rows, int64_t entries)
{
    if (entries <= k->room) {
        return true;
    }
    const double all = (double)entries / (double)rows * (double)out->rows;
    const int64_t room = rows < out->rows ? most(entries, (int64_t)(1.125 * all)) : entries;
    strip grown = {.entries = out->row_start[k->done],
                   .room = k->room,
                   .column = (uint32_t *)out->column,
                   .value = out->value};
    const bool enough = widen(&grown, room);
    out->column = (int32_t *)grown.column;
    out->value = grown.value;
    k->room = grown.room;
    return enough;
}

/* A window's rows join those before. */
static bool append(making *k, tsl_csr *out, const window *w)
{
    int64_t end = out->row_start[k->done];
    for (int64_t i = w->first; i < w->last; i++) {
        out->row_start[k->part[i].from] = end;
        end += k->made[i - w->first].entries;
    }
    const int64_t rows = k->part[w->last - 1].to;
    if (!make_room(k, out, rows, end)) {
        return false;
    }
#pragma omp parallel for num_threads(k->threads) schedule(static)
    for (int64_t i = w->first; i < w->last; i++) {
        const part *p = &k->part[i];
        const strip *made = &k->made[i - w->first];
        const int64_t to = out->row_start[p->from];
        for (int64_t row = p->from + 1; row < p->to; row++) {
            out->row_start[row] = to + made->start[row - p->from];
        }
        memcpy(out->column + to, made->column, (size_t)made->entries * sizeof *out->column);
        memcpy(out->value + to, made->value, (size_t)made->entries * sizeof *out->value);
    }
    out->row_start[rows] = end;
    k->done = rows;
    return true;
}

static bool begin_slots(making *k)
{
    const int64_t room = tsl_csr_nonzeros(k->a) / 2 / k->parts;
    bool enough = true;
    for (int64_t s = 0; s < k->slots && enough; s++) {
        int64_t rows = 0;
        for (int64_t i = s; i < k->parts; i += k->slots) {
            rows = most(rows, k->part[i].to - k->part[i].from);
        }
        strip *made = &k->made[s];
        made->start = tsl_allocate((size_t)(rows + 1) * sizeof *made->start);
        enough = made->start != NULL && widen(made, room);
    }
    return enough;
}

/* Parts of about as many of this level's rows each. */
static bool begin(making *k)
{
    const int64_t rows = k->a->rows;
    const int64_t count = k->of->from->count;
    const int64_t whole = PARTS * (int64_t)k->threads; /* in one window */
    k->bandwidth = k->of->from->g->bandwidth;
    k->pieces = (rows + PIECE - 1) / PIECE;
    k->parts = most(rows / most(BANDWIDTHS * k->bandwidth, PART_ROWS), least(whole, k->pieces));
    k->parts = least(k->parts, count);
    k->slots = least(k->parts, whole);
    k->windows = (k->parts + k->slots - 1) / k->slots;
    k->workers = tsl_allocate_zeroed((size_t)k->threads, sizeof *k->workers);
    k->part = tsl_allocate((size_t)k->parts * sizeof *k->part);
    k->window = tsl_allocate((size_t)k->windows * sizeof *k->window);
    k->made = tsl_allocate_zeroed((size_t)k->slots, sizeof *k->made);
    bool enough = k->workers != NULL && k->part != NULL && k->window != NULL && k->made != NULL;
    for (int t = 0; t < k->threads && enough; t++) {
        enough = tsl_row_begin(&k->workers[t].row, count);
    }
    if (!enough) {
        return false;
    }
    plan_windows(k);
    /* as many entries as the rows of stencils have */
    const int64_t entries = tsl_csr_nonzeros(k->a) / k->pieces;
    return take_factor(&k->p, k->live, entries / 2) && take_factor(&k->ap, k->live, entries) &&
           begin_slots(k);
}

tsl_status tsl_galerkin(tsl_csr *out, tsl_context *context, const tsl_coarsening *c)
{
    making k = {.of = c,
                .a = c->from->g->matrix,
                .threads = tsl_threads_for(context, tsl_csr_nonzeros(c->from->g->matrix))};
    *out = (tsl_csr){.rows = c->from->count, .columns = c->from->count};
    out->row_start = tsl_allocate((size_t)(out->rows + 1) * sizeof *out->row_start);
    bool enough = out->row_start != NULL && begin(&k);
    if (enough) {
        out->row_start[0] = 0;
    }
    for (int64_t i = 0; i < k.windows && enough; i++) {
        enough = make_window(&k, &k.window[i], i > 0 ? &k.window[i - 1] : NULL) &&
                 append(&k, out, &k.window[i]);
    }
    free_making(&k);
    if (!enough) {
        tsl_csr_free(out);
        return tsl_fail_memory(context, 250 * out->rows, "a product of matrices");
    }
    return TSL_OK;
}
