/* The next level's matrix, P^T A P. All threads go through the rows together, window by window: of
 * P and A P, which would be the largest of all, only what a window needs is there, each row made
 * once. Memory is taken again, for what costs is to touch it for the first time. */
#include <omp.h>
#include <string.h>

#include "core/clones.h"
#include "core/context.h"
#include "sparse/multigrid.h"

enum {
    PIECE = 1024,     /* rows of a factor that share memory */
    PARTS = 2,        /* of a window, for each thread; */
    BANDWIDTHS = 4,   /* of a part's rows at least, for parts look at neighbours' rows too, … */
    PART_ROWS = 4096, /* and so many */
    AHEAD = 16        /* rows of A P that are fetched before their turn */
};

/* Some rows of the next level. */
typedef struct part {
    int64_t from, to;
    int64_t ap_from, ap_to; /* rows of A P that they are sums of */
    int64_t at;             /* its first row's number among those of its slot */
} part;

/* Parts that are made at once. Pieces of P and A P are made when they are needed first: of those
 * `from` … to - 1 some are there already. */
typedef struct window {
    int64_t first, last;    /* parts */
    int64_t p_from, p_to;   /* pieces that it needs, or … */
    int64_t ap_from, ap_to; /* … those behind it, and those before it */
} window;

/* What a thread makes rows with. */
typedef struct worker {
    tsl_row row;
    tsl_rows r; /* of P^T */
} worker;

/* Memory for as many pieces of a factor as are there at once: in large allocations, so that it is
 * on huge pages. A piece with more entries takes memory of its own. */
typedef struct store {
    int64_t room; /* for entries of a piece */
    int64_t *start;
    int32_t *column;
    double *value;
} store;

typedef struct making {
    const tsl_coarsening *of;
    const tsl_csr *a;
    int threads;
    int64_t bandwidth;
    int64_t pieces; /* of all rows, the last may be shorter */
    int64_t live;   /* as many are needed at once: piece k takes the memory of piece k - live */
    tsl_rows *p, *ap; /* [pieces] */
    store of_p, of_ap;
    worker *workers;  /* [threads] */
    int64_t parts, slots, windows;
    part *part;     /* [parts] */
    window *window; /* [windows]: of as many parts as there are slots */
    tsl_rows *made; /* [slots]: what its parts have become, window after window */
} making;

static void free_all(tsl_rows *rows, int64_t count)
{
    for (int64_t i = 0; i < count && rows != NULL; i++) {
        tsl_rows_free(&rows[i]);
    }
    tsl_release(rows);
}

static bool take_store(store *s, int64_t pieces, int64_t room)
{
    s->room = room + TSL_ROW_SHORT - 1;
    s->start = tsl_allocate((size_t)(pieces * (PIECE + 1)) * sizeof *s->start);
    s->column = tsl_allocate((size_t)(pieces * s->room) * sizeof *s->column);
    s->value = tsl_allocate((size_t)(pieces * s->room) * sizeof *s->value);
    return s->start != NULL && s->column != NULL && s->value != NULL;
}

static void free_store(store *s)
{
    tsl_release(s->start);
    tsl_release(s->column);
    tsl_release(s->value);
}

static void free_making(making *k)
{
    for (int t = 0; t < k->threads && k->workers != NULL; t++) {
        tsl_row_free(&k->workers[t].row);
        tsl_rows_free(&k->workers[t].r);
    }
    tsl_release(k->workers);
    tsl_release(k->part);
    tsl_release(k->window);
    free_store(&k->of_p);
    free_store(&k->of_ap);
    free_all(k->p, k->pieces);
    free_all(k->ap, k->pieces);
    free_all(k->made, k->slots);
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

/* Windows need what those behind them do, … and have made what those before them needed. */
static void plan_windows(making *k)
{
#pragma omp parallel for num_threads(k->threads) schedule(static)
    for (int64_t i = 0; i < k->parts; i++) {
        k->part[i] = look_around(k, i);
    }
    for (int64_t i = k->slots; i < k->parts; i++) {
        const part *before = &k->part[i - k->slots];
        k->part[i].at = before->at + before->to - before->from;
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

/* Row i of a factor, in pieces. */
typedef struct run {
    const int32_t *column;
    const double *value;
    int64_t count;
} run;

static inline run row_of(const tsl_rows *pieces, int64_t i)
{
    const tsl_rows *piece = &pieces[(uint64_t)i / PIECE];
    const int64_t *start = &piece->start[(uint64_t)i % PIECE];
    return (run){piece->column + start[0], piece->value + start[0], start[1] - start[0]};
}

static tsl_piece rows_of_piece(const making *k, int64_t number)
{
    return (tsl_piece){number * PIECE, least((number + 1) * PIECE, k->a->rows)};
}

/* A piece without rows yet, in the memory of one that is needed no more. */
static bool begin_piece(const making *k, tsl_rows *pieces, const store *of, int64_t number)
{
    const tsl_piece rows = rows_of_piece(k, number);
    const int64_t before = number - k->live;
    if (before >= 0 && pieces[before].start != NULL) {
        pieces[number] = pieces[before];
        pieces[before] = (tsl_rows){0};
    } else {
        const int64_t place = number % k->live;
        tsl_rows_lend(&pieces[number], of->start + place * (PIECE + 1), PIECE,
                      of->column + place * of->room, of->value + place * of->room, of->room);
    }
    return tsl_rows_begin(&pieces[number], rows.to - rows.from);
}

static bool make_p(const making *k, worker *w, int64_t number)
{
    const tsl_piece rows = rows_of_piece(k, number);
    bool enough = begin_piece(k, k->p, &k->of_p, number);
    for (int64_t i = rows.from; i < rows.to && enough; i++) {
        tsl_prolongator_row(&w->row, k->of->from, i);
        enough = tsl_rows_append(&k->p[number], &w->row);
    }
    return enough;
}

TSL_CLONES static bool make_ap(const making *k, worker *w, int64_t number)
{
    const tsl_csr *a = k->a;
    const tsl_piece rows = rows_of_piece(k, number);
    bool enough = begin_piece(k, k->ap, &k->of_ap, number);
    for (int64_t i = rows.from; i < rows.to && enough; i++) {
        for (int64_t e = a->row_start[i]; e < a->row_start[i + 1]; e++) {
            const run of = row_of(k->p, a->column[e]);
            tsl_row_add_run(&w->row, a->value[e], of.column, of.value, of.count);
        }
        tsl_row_settle(&w->row);
        enough = tsl_rows_append(&k->ap[number], &w->row);
    }
    return enough;
}

/* ---- a part --------------------------------------------------------------------------------- */

/* Its rows of P^T. Counts stand a place on, so that when entries have taken theirs, starts do. */
static bool make_r(const making *k, tsl_rows *r, const part *of)
{
    const int64_t count = of->to - of->from;
    if (!tsl_rows_begin(r, count + 1)) {
        return false;
    }
    int64_t *next = r->start + 1;
    memset(r->start, 0, (size_t)(count + 2) * sizeof *next);
    for (int64_t j = of->ap_from; j < of->ap_to; j++) {
        const run row = row_of(k->p, j);
        for (int64_t l = 0; l < row.count; l++) {
            const uint64_t i = (uint64_t)(row.column[l] - of->from);
            if (i < (uint64_t)count) {
                next[i + 1]++;
            }
        }
    }
    for (int64_t i = 0; i < count; i++) {
        next[i + 1] += next[i];
    }
    if (!tsl_rows_widen(r, next[count])) {
        return false;
    }
    for (int64_t j = of->ap_from; j < of->ap_to; j++) {
        const run row = row_of(k->p, j);
        for (int64_t l = 0; l < row.count; l++) {
            const uint64_t i = (uint64_t)(row.column[l] - of->from);
            if (i < (uint64_t)count) {
                const int64_t at = next[i]++;
                r->column[at] = (int32_t)j;
                r->value[at] = row.value[l];
            }
        }
    }
    r->rows = count;
    return true;
}

/* Its rows of P^T A P, behind those that its slot has. Rows of A P are fetched before their turn,
 * for they lie apart. */
TSL_CLONES static bool make_part(const making *k, worker *w, const part *of, tsl_rows *out)
{
    tsl_rows *r = &w->r;
    bool enough = make_r(k, r, of);
    const int64_t entries = enough ? r->start[r->rows] : 0;
    for (int64_t i = 0; i < of->to - of->from && enough; i++) {
        for (int64_t e = r->start[i]; e < r->start[i + 1]; e++) {
            if (e + AHEAD < entries) {
                const run later = row_of(k->ap, r->column[e + AHEAD]);
                __builtin_prefetch(later.column);
                __builtin_prefetch(later.value);
            }
            const run ap = row_of(k->ap, r->column[e]);
            tsl_row_add_run(&w->row, r->value[e], ap.column, ap.value, ap.count);
        }
        tsl_row_settle(&w->row);
        tsl_sort_columns(w->row.column, w->row.count);
        enough = tsl_rows_append(out, &w->row);
    }
    return enough;
}

/* ---- all of it ------------------------------------------------------------------------------ */

static bool make_window(const making *k, const window *w, const window *before)
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

/* Slots' rows become a matrix. */
static bool join(tsl_csr *out, const making *k)
{
    int64_t nonzeros = 0;
    for (int64_t s = 0; s < k->slots; s++) {
        nonzeros += k->made[s].start[k->made[s].rows];
    }
    out->column = tsl_allocate((size_t)nonzeros * sizeof *out->column);
    out->value = tsl_allocate((size_t)nonzeros * sizeof *out->value);
    if (out->column == NULL || out->value == NULL) {
        return false;
    }
    out->row_start[0] = 0;
    for (int64_t i = 0; i < k->parts; i++) {
        const part *p = &k->part[i];
        const int64_t *start = k->made[i % k->slots].start + p->at;
        out->row_start[p->to] = out->row_start[p->from] + start[p->to - p->from] - start[0];
    }
#pragma omp parallel for num_threads(k->threads) schedule(static)
    for (int64_t i = 0; i < k->parts; i++) {
        const part *p = &k->part[i];
        const tsl_rows *made = &k->made[i % k->slots];
        const int64_t *start = made->start + p->at;
        const int64_t to = out->row_start[p->from];
        const size_t entries = (size_t)(start[p->to - p->from] - start[0]);
        for (int64_t row = p->from + 1; row < p->to; row++) {
            out->row_start[row] = to + start[row - p->from] - start[0];
        }
        memcpy(out->column + to, made->column + start[0], entries * sizeof *out->column);
        memcpy(out->value + to, made->value + start[0], entries * sizeof *out->value);
    }
    return true;
}

/* Parts of about as many of this level's rows each. */
static bool begin(making *k)
{
    const int64_t rows = k->a->rows;
    const int64_t count = k->of->from->count;
    const int64_t whole = PARTS * (int64_t)k->threads; /* in one window */
    k->bandwidth = tsl_bandwidth(k->a, k->threads);
    k->pieces = (rows + PIECE - 1) / PIECE;
    k->parts = most(rows / most(BANDWIDTHS * k->bandwidth, PART_ROWS), least(whole, k->pieces));
    k->parts = least(k->parts, count);
    k->slots = least(k->parts, whole);
    k->windows = (k->parts + k->slots - 1) / k->slots;
    k->p = tsl_allocate_zeroed((size_t)k->pieces, sizeof *k->p);
    k->ap = tsl_allocate_zeroed((size_t)k->pieces, sizeof *k->ap);
    k->workers = tsl_allocate_zeroed((size_t)k->threads, sizeof *k->workers);
    k->part = tsl_allocate((size_t)k->parts * sizeof *k->part);
    k->window = tsl_allocate((size_t)k->windows * sizeof *k->window);
    k->made = tsl_allocate_zeroed((size_t)k->slots, sizeof *k->made);
    bool enough = k->p != NULL && k->ap != NULL && k->workers != NULL && k->part != NULL &&
                  k->window != NULL && k->made != NULL;
    for (int t = 0; t < k->threads && enough; t++) {
        enough = tsl_row_begin(&k->workers[t].row, count);
    }
    if (enough) {
        plan_windows(k);
        const int64_t room = tsl_csr_nonzeros(k->a) / k->pieces;
        enough = take_store(&k->of_p, k->live, room / 2) && take_store(&k->of_ap, k->live, room);
    }
    /* room for about so many entries is taken at once, for memory costs when it is touched */
    const int64_t room = tsl_csr_nonzeros(k->a) / 2 / k->slots;
    for (int64_t s = 0; s < k->slots && enough; s++) {
        const part *last = &k->part[(k->parts - 1 - s) / k->slots * k->slots + s];
        enough = tsl_rows_begin(&k->made[s], last->at + last->to - last->from) &&
                 tsl_rows_widen(&k->made[s], room);
    }
    return enough;
}

tsl_status tsl_galerkin(tsl_csr *out, tsl_context *context, const tsl_coarsening *c)
{
    making k = {.of = c, .a = c->from->g->matrix, .threads = context->threads};
    *out = (tsl_csr){.rows = c->from->count, .columns = c->from->count};
    out->row_start = tsl_allocate((size_t)(out->rows + 1) * sizeof *out->row_start);
    bool enough = out->row_start != NULL && begin(&k);
    for (int64_t i = 0; i < k.windows && enough; i++) {
        enough = make_window(&k, &k.window[i], i > 0 ? &k.window[i - 1] : NULL);
    }
    enough = enough && join(out, &k);
    free_making(&k);
    if (!enough) {
        tsl_csr_free(out);
        return tsl_fail_memory(context, 250 * out->rows, "a product of matrices");
    }
    return TSL_OK;
}
