/* SuperLU (X. S. Li, ACM Trans. Math. Softw. 31 (2005) 302) behind an interface of our own. It
 * wants columns where we have rows, so A^T is what it factors, and systems are solved with the
 * transpose. It takes memory from malloc(): how much at most is counted before. (Into memory of the
 * caller's, in version 5.3, it writes beyond what is its own.) */
#include "solvers/linsolve/direct/lu.h"

#include <math.h>

#include "core/config.h"
#include "core/context.h"
#include "device/device.h"

#ifdef TSL_HAVE_SUPERLU

#include <slu_ddefs.h>

#define TEXT_OF(number) #number
#define VERSION(major, minor, patch) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(patch)

const char *tsl_lu_library(void)
{
    return VERSION(SUPERLU_MAJOR_VERSION, SUPERLU_MINOR_VERSION, SUPERLU_PATCH_VERSION);
}

struct tsl_lu {
    int64_t rows;
    int *row_power, *column_power; /* [rows] R and C are 2^power */
    int *row_order, *column_order; /* [rows] SuperLU's */
    SuperMatrix l, u;
    bool made;     /* l and u are */
    double *space; /* [rows] */
};

/* A^T as SuperLU takes it, scaled. */
typedef struct columns {
    int *start, *row;
    double *value;
} columns;

static void release_columns(columns *c)
{
    tsl_release(c->start);
    tsl_release(c->row);
    tsl_release(c->value);
}

void tsl_lu_free(tsl_lu *lu)
{
    if (lu == NULL) {
        return;
    }
    if (lu->made) {
        Destroy_SuperNode_Matrix(&lu->l);
        Destroy_CompCol_Matrix(&lu->u);
    }
    void *const all[] = {lu->row_power, lu->column_power, lu->row_order, lu->column_order,
                         lu->space};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        tsl_release(all[i]);
    }
    tsl_release(lu);
}

/* log2, to a whole number. */
static double power_of(double value)
{
    int power = 0;
    frexp(value, &power);
    return power;
}

/* Two ways to choose R and C. */
typedef enum scaling {
    BY_LARGEST, /* the largest entry of each row and column near 1 (Ruiz, RAL-TR-2001-034) */
    BY_MEAN     /* the geometric mean, by turns (Curtis & Reid, J. Inst. Math. Appl. 10 (1972) 118):
                   a matrix between two diagonals comes out the same whatever these are */
} scaling;

/* The sum, largest and number of the powers of two in a row or column. */
typedef struct powers {
    double sum, most;
    int64_t count;
} powers;

static void add_power(powers *p, double power)
{
    p->sum += power;
    p->count++;
    p->most = p->count == 1 || power > p->most ? power : p->most;
}

static double middle_of(const powers *p, scaling how)
{
    return p->count == 0 ? 0 : how == BY_MEAN ? p->sum / (double)p->count : p->most;
}

/* What equilibrate() works with. */
typedef struct sweep_space {
    double *row, *column; /* [rows] powers so far, which are whole numbers at the end */
    powers *sums;         /* [rows] of columns */
} sweep_space;

/* Rows, and then columns, are brought nearer to 1. */
static void sweep(sweep_space *s, const tsl_csr *a, scaling how)
{
    const double part = how == BY_LARGEST ? 0.5 : 1; /* half of it is the columns' */
    for (int64_t i = 0; i < a->rows; i++) {
        s->sums[i] = (powers){.count = 0};
    }
    for (int64_t i = 0; i < a->rows; i++) {
        const double before = s->row[i];
        powers own = {.count = 0};
        for (int64_t k = a->row_start[i]; k < a->row_start[i + 1]; k++) {
            if (a->value[k] != 0) {
                add_power(&own, power_of(a->value[k]) + before + s->column[a->column[k]]);
            }
        }
        s->row[i] -= part * middle_of(&own, how);
        for (int64_t k = a->row_start[i]; k < a->row_start[i + 1]; k++) {
            const int64_t j = a->column[k];
            if (a->value[k] != 0) {
                add_power(&s->sums[j], power_of(a->value[k]) + s->column[j] +
                                           (how == BY_LARGEST ? before : s->row[i]));
            }
        }
    }
    for (int64_t j = 0; j < a->rows; j++) {
        s->column[j] -= part * middle_of(&s->sums[j], how);
    }
}

/* The powers of R and C. At the end rows are scaled by their largest entries, so that none is far
 * above 1. */
static void equilibrate(tsl_lu *lu, const tsl_csr *a, scaling how, sweep_space *s)
{
    const int sweeps =
        how == BY_MEAN ? 100 : 10; /* means come near slowly where they vary slowly */
    for (int64_t i = 0; i < a->rows; i++) {
        s->row[i] = s->column[i] = 0;
    }
    for (int i = 0; i < sweeps; i++) {
        sweep(s, a, how);
    }
    for (int64_t i = 0; i < a->rows; i++) {
        lu->column_power[i] = (int)lrint(s->column[i]);
    }
    for (int64_t i = 0; i < a->rows; i++) {
        powers own = {.count = 0};
        for (int64_t k = a->row_start[i]; k < a->row_start[i + 1]; k++) {
            if (a->value[k] != 0) {
                add_power(&own, power_of(a->value[k]) + lu->column_power[a->column[k]]);
            }
        }
        lu->row_power[i] = -(int)middle_of(&own, BY_LARGEST);
    }
}

static tsl_status take(tsl_lu *lu, columns *c, tsl_context *context, const tsl_csr *a)
{
    const size_t n = (size_t)a->rows;
    const size_t entries = (size_t)tsl_csr_nonzeros(a);
    lu->rows = a->rows;
    lu->row_power = tsl_allocate_zeroed(n, sizeof(int));
    lu->column_power = tsl_allocate_zeroed(n, sizeof(int));
    lu->row_order = tsl_allocate(n * sizeof(int));
    lu->column_order = tsl_allocate(n * sizeof(int));
    lu->space = tsl_allocate(n * sizeof(double));
    c->start = tsl_allocate((n + 1) * sizeof(int));
    c->row = tsl_allocate(entries * sizeof(int));
    c->value = tsl_allocate(entries * sizeof(double));
    return lu->row_power != NULL && lu->column_power != NULL && lu->row_order != NULL &&
                   lu->column_order != NULL && lu->space != NULL && c->start != NULL &&
                   c->row != NULL && c->value != NULL
               ? TSL_OK
               : tsl_fail_memory(context, (int64_t)(28 * n + 12 * entries), "a direct solver");
}

/* Zeros that are entries would only fill in. */
static int scale(columns *c, const tsl_lu *lu, const tsl_csr *a)
{
    int count = 0;
    for (int64_t i = 0; i < a->rows; i++) {
        c->start[i] = count;
        for (int64_t k = a->row_start[i]; k < a->row_start[i + 1]; k++) {
            const int64_t j = a->column[k];
            const double value = ldexp(a->value[k], lu->row_power[i] + lu->column_power[j]);
            if (value != 0) {
                c->row[count] = (int)j;
                c->value[count++] = value;
            }
        }
    }
    c->start[a->rows] = count;
    return count;
}

/* Both factors, and half as much again while their arrays grow. */
static tsl_status check_fit(tsl_context *context, int64_t bound, int64_t most)
{
    const int64_t bytes = 12 * 3 * bound;
    most = most > 0 ? most : tsl_host_memory_free() / 2;
    if (bytes <= most && bound < INT32_MAX) {
        return TSL_OK;
    }
    char wanted[16], limit[16];
    return tsl_fail(context, TSL_E_NOMEM,
                    "the factors of a direct solution may take %s, more than the %s that there are "
                    "for them",
                    tsl_format_bytes(wanted, bytes), tsl_format_bytes(limit, most));
}

/* SuperLU ends the program where the little that it takes itself is not there: look for that
 * before. */
static tsl_status check_memory(tsl_context *context, int64_t n, int64_t entries)
{
    const int64_t bytes = 400 * n + 64 * entries + (1 << 20);
    void *probe = tsl_allocate((size_t)bytes);
    if (probe == NULL) {
        return tsl_fail_memory(context, bytes, "ordering a matrix");
    }
    tsl_release(probe);
    return TSL_OK;
}

static double one_norm(const columns *c, int64_t n, double *sums)
{
    double norm = 0;
    for (int64_t j = 0; j < n; j++) {
        sums[j] = 0;
        for (int k = c->start[j]; k < c->start[j + 1]; k++) {
            sums[j] += fabs(c->value[k]);
        }
        norm = fmax(norm, sums[j]);
    }
    return norm;
}

static void estimate(tsl_lu *lu, tsl_lu_facts *facts, const columns *c, SuperLUStat_t *counters)
{
    char norm[] = "1";
    double reciprocal = 0;
    int info = 0;
    dgscon(norm, &lu->l, &lu->u, one_norm(c, lu->rows, lu->space), &reciprocal, counters, &info);
    facts->condition = info == 0 && reciprocal > 0 ? 1 / reciprocal : INFINITY;
}

/* What SuperLU works with. */
typedef struct work {
    superlu_options_t options;
    SuperLUStat_t counters;
    SuperMatrix a, permuted;
    int *tree; /* [rows] */
} work;

static tsl_status factor(tsl_lu *lu, tsl_lu_facts *facts, tsl_context *context, const columns *c,
                         work *w)
{
    const int n = (int)lu->rows;
    GlobalLU_t global;
    int info = 0;
    dgstrf(&w->options, &w->permuted, sp_ienv(2), sp_ienv(1), w->tree, NULL, 0, lu->column_order,
           lu->row_order, &lu->l, &lu->u, &global, &w->counters, &info);
    if (info > n) {
        return tsl_fail_memory(context, 24 * facts->bound, "the factors of a direct solution");
    }
    lu->made = true;
    facts->singular = info > 0 ? info - 1 : -1;
    facts->entries = ((SCformat *)lu->l.Store)->nnz + (int64_t)((NCformat *)lu->u.Store)->nnz;
    if (info == 0) {
        estimate(lu, facts, c, &w->counters);
    }
    return TSL_OK;
}

enum { FORESEE = -1 /* as the most bytes: no factors are wanted */ };

/* Order the columns, look whether the factors fit, and make them. */
static tsl_status order_and_factor(tsl_lu *lu, tsl_lu_facts *facts, tsl_context *context,
                                   columns *c, int entries, int64_t most)
{
    const int n = (int)lu->rows;
    work w;
    w.tree = tsl_allocate((size_t)n * sizeof *w.tree);
    if (w.tree == NULL) {
        return tsl_fail_memory(context, 4 * lu->rows, "a direct solver");
    }
    set_default_options(&w.options);
    StatInit(&w.counters);
    dCreate_CompCol_Matrix(&w.a, n, n, entries, c->value, c->row, c->start, SLU_NC, SLU_D, SLU_GE);
    get_perm_c(COLAMD, &w.a, lu->column_order);
    sp_preorder(&w.options, &w.a, lu->column_order, w.tree, &w.permuted);
    const NCPformat *permuted = w.permuted.Store;
    const tsl_permuted m = {n, permuted->colbeg, permuted->colend, permuted->rowind};
    tsl_status status = tsl_bound_factor(&facts->bound, &facts->work, context, &m, w.tree, entries);
    if (status == TSL_OK && most != FORESEE) {
        status = check_fit(context, facts->bound, most);
    }
    if (status == TSL_OK && most != FORESEE) {
        status = factor(lu, facts, context, c, &w);
    }
    Destroy_CompCol_Permuted(&w.permuted);
    Destroy_SuperMatrix_Store(&w.a);
    StatFree(&w.counters);
    tsl_release(w.tree);
    return status;
}

static tsl_status scale_and_factor(tsl_lu **out, tsl_lu_facts *facts, tsl_context *context,
                                   const tsl_csr *a, scaling how, int64_t most)
{
    columns c = {NULL, NULL, NULL};
    sweep_space space = {.row = tsl_allocate(2 * (size_t)a->rows * sizeof *space.row),
                         .sums = tsl_allocate((size_t)a->rows * sizeof *space.sums)};
    tsl_lu *lu = tsl_allocate_zeroed(1, sizeof *lu);
    *facts = (tsl_lu_facts){.singular = -1};
    tsl_status status = lu != NULL && space.row != NULL && space.sums != NULL
                            ? take(lu, &c, context, a)
                            : tsl_fail_memory(context, 40 * a->rows, "a direct solver");
    if (status == TSL_OK) {
        space.column = space.row + a->rows;
        equilibrate(lu, a, how, &space);
        status = order_and_factor(lu, facts, context, &c, scale(&c, lu, a), most);
    }
    tsl_release(space.row);
    tsl_release(space.sums);
    release_columns(&c);
    if (status == TSL_OK) {
        *out = lu;
    } else {
        tsl_lu_free(lu);
    }
    return status;
}

/* Where the first scaling leaves the matrix near to singular the other is tried too: the better one
 * stays. */
static tsl_status try_scalings(tsl_lu **out, tsl_lu_facts *facts, tsl_context *context,
                               const tsl_csr *a, int64_t most)
{
    static const double doubtful = 1e12;
    tsl_lu *other = NULL;
    tsl_lu_facts others;
    tsl_status status = scale_and_factor(out, facts, context, a, BY_LARGEST, most);
    if (status != TSL_OK || (facts->singular < 0 && facts->condition < doubtful)) {
        return status;
    }
    status = scale_and_factor(&other, &others, context, a, BY_MEAN, most);
    if (status == TSL_E_NOMEM) { /* the first is there */
        return TSL_OK;
    }
    if (status == TSL_OK && others.singular < 0 &&
        (facts->singular >= 0 || others.condition < facts->condition)) {
        tsl_lu *const first = *out;
        *out = other;
        *facts = others;
        other = first;
    }
    tsl_lu_free(other);
    return status;
}

tsl_status tsl_lu_factor(tsl_lu **out, tsl_lu_facts *facts, tsl_context *context, const tsl_csr *a,
                         int64_t most)
{
    int64_t rank = 0;
    *out = NULL;
    *facts = (tsl_lu_facts){.singular = -1};
    if (tsl_csr_nonzeros(a) > INT32_MAX) {
        return tsl_fail(context, TSL_E_UNSUPPORTED,
                        "a direct solution of a matrix with more than 2147483647 entries");
    }
    tsl_status status = tsl_structural_rank(&rank, context, a);
    if (status == TSL_OK && rank < a->rows) { /* SuperLU is not to be asked */
        facts->singular = rank;
        return TSL_OK;
    }
    if (status == TSL_OK) {
        status = check_memory(context, a->rows, tsl_csr_nonzeros(a));
    }
    return status == TSL_OK ? try_scalings(out, facts, context, a, most) : status;
}

tsl_status tsl_lu_foresee(tsl_lu_facts *facts, tsl_context *context, const tsl_csr *a)
{
    tsl_lu *lu = NULL;
    int64_t rank = 0;
    *facts = (tsl_lu_facts){.singular = -1};
    tsl_status status = tsl_structural_rank(&rank, context, a);
    if (status == TSL_OK && (rank < a->rows || tsl_csr_nonzeros(a) > INT32_MAX)) {
        facts->singular = rank < a->rows ? rank : -1;
        facts->work = INFINITY;
        return TSL_OK;
    }
    if (status == TSL_OK) {
        status = check_memory(context, a->rows, tsl_csr_nonzeros(a));
    }
    if (status == TSL_OK) {
        status = scale_and_factor(&lu, facts, context, a, BY_LARGEST, FORESEE);
    }
    tsl_lu_free(lu);
    return status;
}

void tsl_lu_solve(const tsl_lu *lu, double *x)
{
    const int n = (int)lu->rows;
    SuperLUStat_t counters;
    SuperMatrix b;
    int info = 0;
    for (int i = 0; i < n; i++) {
        lu->space[i] = ldexp(x[i], lu->row_power[i]);
    }
    StatInit(&counters);
    dCreate_Dense_Matrix(&b, n, 1, lu->space, n, SLU_DN, SLU_D, SLU_GE);
    dgstrs(TRANS, (SuperMatrix *)&lu->l, (SuperMatrix *)&lu->u, lu->column_order, lu->row_order, &b,
           &counters, &info);
    Destroy_SuperMatrix_Store(&b);
    StatFree(&counters);
    for (int i = 0; i < n; i++) {
        x[i] = ldexp(lu->space[i], lu->column_power[i]);
    }
}

#else

const char *tsl_lu_library(void)
{
    return NULL;
}

tsl_status tsl_lu_factor(tsl_lu **out, tsl_lu_facts *facts, tsl_context *context, const tsl_csr *a,
                         int64_t most)
{
    (void)out;
    (void)facts;
    (void)a;
    (void)most;
    return tsl_fail(context, TSL_E_UNSUPPORTED,
                    "a direct solution: this build has no SuperLU: see tesela info");
}

tsl_status tsl_lu_foresee(tsl_lu_facts *facts, tsl_context *context, const tsl_csr *a)
{
    return tsl_lu_factor(NULL, facts, context, a, 0);
}

void tsl_lu_solve(const tsl_lu *lu, double *x)
{
    (void)lu;
    (void)x;
}

void tsl_lu_free(tsl_lu *lu)
{
    (void)lu;
}

#endif
