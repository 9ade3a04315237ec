/* What is known of LU factors before they are made: whether there can be any, and how many entries
 * they have at most. */
#include "solvers/linsolve/direct/lu.h"

/* ---- structure ------------------------------------------------------------------------------ */

/* A search for columns that have no row of their own yet, by depth first from one row. */
typedef struct search {
    const tsl_csr *a;
    int32_t *row_of;  /* [columns] the row that has it; -1: none has */
    int64_t *at;      /* [rows] where the search in a row goes on */
    int32_t *stack;   /* [rows] rows on the way */
    int32_t *visited; /* [columns] the last row to begin a search that came by */
} search;

/* A row finds a column: one that is free, or one whose row finds another. */
static bool find_column(search *s, int32_t row)
{
    const tsl_csr *a = s->a;
    int32_t depth = 0;
    s->stack[0] = row;
    s->at[row] = a->row_start[row];
    while (depth >= 0) {
        const int32_t i = s->stack[depth];
        const int64_t end = a->row_start[i + 1];
        for (; s->at[i] < end; s->at[i]++) {
            const int32_t j = a->column[s->at[i]];
            if (a->value[s->at[i]] != 0 && s->visited[j] != row) {
                break;
            }
        }
        if (s->at[i] == end) {
            depth--;
            if (depth >= 0) {
                s->at[s->stack[depth]]++;
            }
            continue;
        }
        const int32_t j = a->column[s->at[i]];
        s->visited[j] = row;
        if (s->row_of[j] < 0) {
            for (; depth >= 0; depth--) { /* each row on the way takes the column it came by */
                s->row_of[a->column[s->at[s->stack[depth]]]] = s->stack[depth];
            }
            return true;
        }
        s->stack[++depth] = s->row_of[j];
        s->at[s->row_of[j]] = a->row_start[s->row_of[j]];
    }
    return false;
}

/* Most rows find a column at first sight: the diagonal, or the first that is free. */
static bool find_free(search *s, int32_t row)
{
    const tsl_csr *a = s->a;
    int32_t found = -1;
    for (int64_t k = a->row_start[row]; k < a->row_start[row + 1]; k++) {
        const int32_t j = a->column[k];
        if (a->value[k] != 0 && s->row_of[j] < 0 && (found < 0 || j == row)) {
            found = j;
        }
    }
    if (found >= 0) {
        s->row_of[found] = row;
    }
    return found >= 0;
}

tsl_status tsl_structural_rank(int64_t *rank, tsl_context *context, const tsl_csr *a)
{
    const size_t n = (size_t)a->rows;
    search s = {.a = a,
                .row_of = tsl_allocate((size_t)a->columns * sizeof *s.row_of),
                .at = tsl_allocate(n * sizeof *s.at),
                .stack = tsl_allocate(n * sizeof *s.stack),
                .visited = tsl_allocate((size_t)a->columns * sizeof *s.visited)};
    tsl_status status = TSL_OK;
    *rank = 0;
    if (s.row_of == NULL || s.at == NULL || s.stack == NULL || s.visited == NULL) {
        status = tsl_fail_memory(context, 20 * a->rows, "a direct solver");
    } else {
        for (int64_t j = 0; j < a->columns; j++) {
            s.row_of[j] = s.visited[j] = -1;
        }
        for (int32_t i = 0; i < a->rows; i++) {
            *rank += find_free(&s, i) || find_column(&s, i);
        }
    }
    tsl_release(s.row_of);
    tsl_release(s.at);
    tsl_release(s.stack);
    tsl_release(s.visited);
    return status;
}

/* ---- fill ----------------------------------------------------------------------------------- */

/* Counting leaves. */
typedef struct tally {
    int n;
    const int *parent; /* [n] n: none */
    int *first; /* [n] the first of a column's descendants; in a postorder they stand together */
    int *last_first; /* [n] that of the row's last leaf; -1: it has had none */
    int *leaf;       /* [n] that leaf */
    int *ancestor;   /* [n] towards the root of what has been walked through */
    int *next;       /* [n] the next row with the same leftmost column; -1: none */
    int *head;       /* [n] by columns, the first such row */
    int64_t *count;  /* [n] */
} tally;

static int root_of(int *ancestor, int column)
{
    int root = column;
    while (ancestor[root] != root) {
        root = ancestor[root];
    }
    while (ancestor[column] != root) {
        const int up = ancestor[column];
        ancestor[column] = root;
        column = up;
    }
    return root;
}

/* Column j < i is a neighbour of i: does the subtree of row i have a new leaf in it? */
static void note_leaf(tally *t, int i, int j)
{
    if (i <= j || t->first[j] <= t->last_first[i]) {
        return;
    }
    const int before = t->leaf[i];
    t->last_first[i] = t->first[j];
    t->leaf[i] = j;
    t->count[j]++;
    if (before >= 0) {
        t->count[root_of(t->ancestor, before)]--;
    }
}

/* Walk through the columns of each row: those of row r are place[k], k from start[r] to start[r +
 * 1] - 1. */
static void walk_columns(tally *t, const int *start, const int *place)
{
    for (int j = 0; j < t->n; j++) {
        const int up = t->parent[j];
        if (up < t->n) {
            t->count[up]--;
        }
        for (int row = t->head[j]; row >= 0; row = t->next[row]) {
            for (int k = start[row]; k < start[row + 1]; k++) {
                note_leaf(t, place[k], j);
            }
        }
        if (up < t->n) {
            t->ancestor[j] = up;
        }
    }
}

/* Rows of the matrix with permuted columns: start[rows + 1] and place[]. */
static void turn(int *start, int *place, const tsl_permuted *m, int n)
{
    for (int j = 0; j < n; j++) {
        for (int k = m->begin[j]; k < m->end[j]; k++) {
            start[m->row[k] + 1]++;
        }
    }
    for (int i = 0; i < n; i++) {
        start[i + 1] += start[i];
    }
    for (int j = n - 1; j >= 0; j--) { /* so that columns ascend when rows are filled from behind */
        for (int k = m->begin[j]; k < m->end[j]; k++) {
            place[--start[m->row[k] + 1]] = j;
        }
    }
    for (int i = 0; i < n; i++) { /* each start is one too far to the right by now */
        start[i] = start[i + 1];
    }
}

static void begin_tally(tally *t, const int *start, const int *place)
{
    for (int j = 0; j < t->n; j++) {
        t->first[j] = t->last_first[j] = t->leaf[j] = t->head[j] = -1;
        t->ancestor[j] = j;
    }
    for (int j = 0; j < t->n; j++) {
        t->count[j] = t->first[j] < 0;
        for (int up = j; up < t->n && t->first[up] < 0; up = t->parent[up]) {
            t->first[up] = j;
        }
    }
    for (int row = 0; row < t->n; row++) {
        if (start[row] < start[row + 1]) {
            t->next[row] = t->head[place[start[row]]];
            t->head[place[start[row]]] = row;
        }
    }
}

tsl_status tsl_bound_factor(int64_t *bound, double *work, tsl_context *context,
                            const tsl_permuted *m, const int *parent, int64_t entries)
{
    enum { ARRAYS = 6 };
    const int n = m->n;
    const size_t numbers = (ARRAYS + 1) * (size_t)n + 1 + (size_t)entries;
    int *memory = tsl_allocate_zeroed(numbers, sizeof *memory);
    tally t = {.n = n, .parent = parent, .count = tsl_allocate((size_t)n * sizeof *t.count)};
    *bound = 0;
    *work = 0;
    if (memory == NULL || t.count == NULL) {
        tsl_release(memory);
        tsl_release(t.count);
        return tsl_fail_memory(context, (int64_t)(4 * numbers) + 8 * n, "a direct solver");
    }
    int **const arrays[ARRAYS] = {&t.first, &t.last_first, &t.leaf, &t.ancestor, &t.next, &t.head};
    for (int i = 0; i < ARRAYS; i++) {
        *arrays[i] = memory + (size_t)i * (size_t)n;
    }
    int *const start = memory + ARRAYS * (size_t)n;
    int *const place = start + n + 1;
    turn(start, place, m, n);
    begin_tally(&t, start, place);
    walk_columns(&t, start, place);
    for (int j = 0; j < n; j++) {
        *bound += t.count[j];
        *work += (double)t.count[j] * (double)t.count[j];
        if (parent[j] < n) {
            t.count[parent[j]] += t.count[j];
        }
    }
    tsl_release(memory);
    tsl_release(t.count);
    return TSL_OK;
}
