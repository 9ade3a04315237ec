/* What a matrix is: lengths of rows, diagonal, symmetry. */
#include <math.h>

#include "core/context.h"
#include "solvers/linsolve/matrix/matrix.h"

/* a(i, j) and a(j, i) that differ by so little, of the largest of them and of the geometric mean of
 * their diagonal entries, are equal. */
static const double same = 1e-12;
/* A minor that is below 0 by less, of its terms, may be rounding. */
static const double doubt = 1e-10;

/* What the rows `from` to `to` - 1 add to a description; firsts are numbered from 0. */
typedef struct part {
    tsl_sparse_description d;
    double squares; /* of the lengths, from the mean */
} part;

static void note_first(int64_t *count, int64_t *first, int64_t row)
{
    if ((*count)++ == 0) {
        *first = row;
    }
}

static void note_pair(tsl_sparse_description *d, const tsl_csr *m, int64_t i, int64_t k,
                      double diagonal)
{
    const double *mirror = tsl_csr_at(m, m->column[k], i);
    const double other = mirror != NULL ? *mirror : 0;
    double off = 0;
    d->symmetric_pattern &= mirror != NULL;
    if (m->value[k] != other) {
        const double *across = tsl_csr_at(m, m->column[k], m->column[k]);
        const double mean = across != NULL ? sqrt(fabs(diagonal)) * sqrt(fabs(*across)) : 0;
        const double size = fmax(mean, fmax(fabs(m->value[k]), fabs(other)));
        off = fabs(m->value[k] / size - other / size);
    }
    d->asymmetry = fmax(d->asymmetry, off);
    if (off > same && d->symmetric) {
        d->symmetric = 0;
        d->unsymmetric_row = i;
        d->unsymmetric_column = m->column[k];
    }
}

/* [[a(i, i), a(i, j)], [a(j, i), a(j, j)]] with a(i, j)^2 > a(i, i) a(j, j), both above 0, takes
 * values of both signs, so a symmetric matrix with it does. Seen in the row of the smaller diagonal
 * entry; entries that are rounded tell no finer. Quotients by roots, for products may overflow. */
static void note_minor(tsl_sparse_description *d, const tsl_csr *m, int64_t i, int64_t k,
                       double diagonal)
{
    const int64_t j = m->column[k];
    if (d->indefinite_row >= 0 || !(diagonal > 0) || !(fabs(m->value[k]) > diagonal)) {
        return;
    }
    const double *mirror = tsl_csr_at(m, j, i);
    const double *other = tsl_csr_at(m, j, j);
    if (mirror != NULL && other != NULL && *other > 0) {
        const double smaller = fmin(fabs(m->value[k]), fabs(*mirror));
        if (smaller / sqrt(diagonal) / sqrt(*other) > 1 + doubt) {
            d->indefinite_row = i;
            d->indefinite_column = j;
        }
    }
}

static void note_row(part *p, const tsl_csr *m, int64_t i)
{
    tsl_sparse_description *d = &p->d;
    const int64_t length = m->row_start[i + 1] - m->row_start[i];
    const double *const own = tsl_csr_at(m, i, i);
    const double diagonal = own != NULL ? *own : 0;
    double others = 0;
    for (int64_t k = m->row_start[i]; k < m->row_start[i + 1]; k++) {
        const int64_t away = i > m->column[k] ? i - m->column[k] : m->column[k] - i;
        d->bandwidth = away > d->bandwidth ? away : d->bandwidth;
        d->largest = fmax(d->largest, fabs(m->value[k]));
        if (away != 0) {
            others += fabs(m->value[k]);
            if (m->rows == m->columns) {
                note_pair(d, m, i, k, diagonal);
                note_minor(d, m, i, k, diagonal);
            }
        }
    }
    d->shortest_row = length < d->shortest_row ? length : d->shortest_row;
    d->longest_row = length > d->longest_row ? length : d->longest_row;
    const double from_mean = (double)length - d->mean_row;
    p->squares += from_mean * from_mean;
    d->dominant_rows += fabs(diagonal) >= others;
    if (length == 0) {
        note_first(&d->empty_rows, &d->first_empty_row, i);
    }
    if (i < m->columns && diagonal == 0) {
        note_first(&d->zero_diagonals, &d->first_zero_diagonal, i);
    }
    if (diagonal < 0) {
        note_first(&d->negative_diagonals, &d->first_negative_diagonal, i);
    }
}

static void join_first(int64_t *count, int64_t *first, int64_t more, int64_t next)
{
    *first = *count == 0 ? next : *first;
    *count += more;
}

/* Parts are joined in the order of their rows. */
static void join(part *a, const part *b)
{
    tsl_sparse_description *d = &a->d;
    const tsl_sparse_description *e = &b->d;
    d->shortest_row = e->shortest_row < d->shortest_row ? e->shortest_row : d->shortest_row;
    d->longest_row = e->longest_row > d->longest_row ? e->longest_row : d->longest_row;
    d->bandwidth = e->bandwidth > d->bandwidth ? e->bandwidth : d->bandwidth;
    d->largest = fmax(d->largest, e->largest);
    d->asymmetry = fmax(d->asymmetry, e->asymmetry);
    d->dominant_rows += e->dominant_rows;
    a->squares += b->squares;
    join_first(&d->empty_rows, &d->first_empty_row, e->empty_rows, e->first_empty_row);
    join_first(&d->zero_diagonals, &d->first_zero_diagonal, e->zero_diagonals,
               e->first_zero_diagonal);
    join_first(&d->negative_diagonals, &d->first_negative_diagonal, e->negative_diagonals,
               e->first_negative_diagonal);
    d->symmetric_pattern &= e->symmetric_pattern;
    if (d->symmetric && !e->symmetric) {
        d->symmetric = 0;
        d->unsymmetric_row = e->unsymmetric_row;
        d->unsymmetric_column = e->unsymmetric_column;
    }
    if (d->indefinite_row < 0) {
        d->indefinite_row = e->indefinite_row;
        d->indefinite_column = e->indefinite_column;
    }
}

enum { PARTS = 64 };

void tsl_describe_rows(tsl_sparse_description *out, tsl_context *context, const tsl_csr *m,
                       int base)
{
    const int square = m->rows == m->columns;
    const int64_t nonzeros = tsl_csr_nonzeros(m);
    const part nothing = {.d = {.rows = m->rows,
                                .columns = m->columns,
                                .nonzeros = nonzeros,
                                .mean_row = (double)nonzeros / (double)m->rows,
                                .shortest_row = INT64_MAX,
                                .first_empty_row = -1,
                                .first_zero_diagonal = -1,
                                .first_negative_diagonal = -1,
                                .symmetric_pattern = square,
                                .symmetric = square,
                                .unsymmetric_row = -1,
                                .unsymmetric_column = -1,
                                .indefinite_row = -1,
                                .indefinite_column = -1}};
    part parts[PARTS];
#pragma omp parallel for num_threads(tsl_threads_for(context, tsl_csr_nonzeros(m)))                \
    schedule(dynamic)
    for (int number = 0; number < PARTS; number++) {
        parts[number] = nothing;
        const int64_t to = m->rows * (number + 1) / PARTS;
        for (int64_t i = m->rows * number / PARTS; i < to; i++) {
            note_row(&parts[number], m, i);
        }
    }
    for (int number = 1; number < PARTS; number++) {
        join(&parts[0], &parts[number]);
    }
    *out = parts[0].d;
    if (!out->symmetric) {
        out->indefinite_row = out->indefinite_column = -1;
    }
    out->row_deviation = sqrt(parts[0].squares / (double)m->rows);
    int64_t *const numbers[] = {&out->first_empty_row,         &out->first_zero_diagonal,
                                &out->first_negative_diagonal, &out->unsymmetric_row,
                                &out->unsymmetric_column,      &out->indefinite_row,
                                &out->indefinite_column};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        *numbers[i] += *numbers[i] >= 0 ? base : 0;
    }
}
