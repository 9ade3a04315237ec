/* The steps of a transposition in place.
 *
 * Square planes are swapped, cubes turned. What is left is, or is made of, the transposition of
 * `rows` x `columns` cells of some elements each, row by row. If it fits the auxiliary memory it
 * goes through it. Else, with more rows than columns, it takes
 *
 *   1. chunks of rows, each transposed by itself through auxiliary memory, so that
 *      [chunks][rows of a chunk][columns] becomes [chunks][columns][pieces];
 *   2. the transposition of [chunks][columns] pieces, which are long, along its cycles;
 *   3. if the chunks leave a tail of rows: room between the rows of the result, and the tail in it.
 *
 * With more columns than rows the same is done backwards. Cells that are long already follow their
 * cycles at once.
 */
#include "blocks/transpose/transpose.h"

/* Bytes of a cell that is worth moving by itself, and of a piece that is made for that. */
enum { LONG_CELL = 1024, SHORTEST_PIECE = 2048 };

/* A matrix of cells, row by row, somewhere in the data. */
typedef struct matrix {
    int64_t offset; /* bytes */
    int64_t rows, columns;
    int64_t cell; /* elements of a cell */
    int element;
} matrix;

static int64_t bytes_of(const matrix *m)
{
    return m->rows * m->columns * m->cell * m->element;
}

static tsl_transpose_place data_at(int64_t offset)
{
    return (tsl_transpose_place){TSL_TRANSPOSE_OUT, offset};
}

static tsl_transpose_place auxiliary_at(int64_t offset)
{
    return (tsl_transpose_place){TSL_TRANSPOSE_AUXILIARY, offset};
}

/* Largest of 16, 8 and 4 that divides an offset. */
static int alignment(int64_t offset)
{
    return offset % 16 == 0 ? 16 : offset % 8 == 0 ? 8 : 4;
}

/* Move n[0] x n[1] x n[2] elements, strides as for tsl_transpose_form_of(). */
static tsl_status add_move(tsl_transpose_steps *steps, tsl_transpose_place out,
                           tsl_transpose_place in, const int64_t n[3], const int64_t in_strides[3],
                           const int64_t out_strides[3], int element)
{
    tsl_transpose_step step = {.action = TSL_TRANSPOSE_MOVE, .out = out, .in = in};
    const int align_out = alignment(out.offset);
    const int align_in = alignment(in.offset);
    tsl_transpose_form_of(&step.form, n, in_strides, out_strides, element,
                          align_in < align_out ? align_in : align_out);
    const tsl_transpose_place *const places[2] = {&step.out, &step.in};
    const int64_t *const strides[2] = {out_strides, in_strides};
    for (int i = 0; i < 2; i++) {
        int64_t end = 1;
        for (int axis = 0; axis < 3; axis++) {
            end += (n[axis] - 1) * strides[i][axis];
        }
        end = places[i]->offset + end * element;
        if (places[i]->memory == TSL_TRANSPOSE_AUXILIARY && end > steps->used) {
            steps->used = end;
        }
    }
    return tsl_transpose_add(steps, &step);
}

/* A contiguous piece from one place to another. */
static tsl_status add_copy(tsl_transpose_steps *steps, tsl_transpose_place out,
                           tsl_transpose_place in, int64_t elements, int element)
{
    const int64_t n[3] = {elements, 1, 1};
    const int64_t strides[3] = {1, elements, elements};
    return add_move(steps, out, in, n, strides, strides, element);
}

/* Transpose `count` matrices that follow each other, as many at a time as fit. */
static tsl_status add_through(tsl_transpose_steps *steps, const matrix *m, int64_t count)
{
    const int64_t elements = m->rows * m->columns * m->cell;
    int64_t together = m->cell == 1 ? steps->auxiliary / bytes_of(m) : 1;
    tsl_status status = TSL_OK;
    for (int64_t i = 0; i < count && status == TSL_OK; i += together) {
        together = together < count - i ? together : count - i;
        const tsl_transpose_place place = data_at(m->offset + i * bytes_of(m));
        if (m->cell == 1) {
            const int64_t n[3] = {m->columns, m->rows, together};
            const int64_t in[3] = {1, m->columns, elements};
            const int64_t out[3] = {m->rows, 1, elements};
            status = add_move(steps, auxiliary_at(0), place, n, in, out, m->element);
        } else {
            const int64_t n[3] = {m->cell, m->columns, m->rows};
            const int64_t in[3] = {1, m->cell, m->columns * m->cell};
            const int64_t out[3] = {1, m->rows * m->cell, m->cell};
            status = add_move(steps, auxiliary_at(0), place, n, in, out, m->element);
        }
        if (status == TSL_OK) {
            status = add_copy(steps, place, auxiliary_at(0), together * elements, m->element);
        }
    }
    return status;
}

/* Bring `count` rows of `length` elements from a distance of `from` to one of `to` elements,
 * through `room` bytes of auxiliary memory at `scratch`. Apart: the last first; together: the first
 * first. */
static tsl_status add_slide(tsl_transpose_steps *steps, const matrix *m, int64_t count,
                            int64_t length, int64_t from, int64_t to, int64_t scratch, int64_t room)
{
    const int64_t fits = room / m->element;
    const int64_t piece = length < fits ? length : fits; /* of a row */
    const int64_t pieces = (length + piece - 1) / piece;
    const int64_t whole = pieces == 1 ? fits / length : 1; /* rows at a time */
    const int64_t groups = (count + whole - 1) / whole;
    const bool apart = to > from;
    tsl_status status = TSL_OK;
    for (int64_t turn = 0; turn < groups * pieces && status == TSL_OK; turn++) {
        const int64_t i = apart ? groups * pieces - 1 - turn : turn;
        const int64_t row = i / pieces * whole;
        const int64_t column = i % pieces * piece;
        const int64_t rows = whole < count - row ? whole : count - row;
        const int64_t columns = piece < length - column ? piece : length - column;
        const int64_t n[3] = {columns, rows, 1};
        const int64_t near_strides[3] = {1, columns, columns * rows};
        const int64_t in[3] = {1, from, from * rows};
        const int64_t out[3] = {1, to, to * rows};
        status = add_move(steps, auxiliary_at(scratch),
                          data_at(m->offset + (row * from + column) * m->element), n, in,
                          near_strides, m->element);
        if (status == TSL_OK) {
            status = add_move(steps, data_at(m->offset + (row * to + column) * m->element),
                              auxiliary_at(scratch), n, near_strides, out, m->element);
        }
    }
    return status;
}

/* How the longer side is cut. */
typedef struct cut {
    int64_t piece;  /* cells of a piece */
    int64_t chunks; /* of that many cells of the longer side */
    int64_t tail;   /* cells left over */
    int64_t half;   /* bytes of half the auxiliary memory */
} cut;

/* The most that fits half the memory; less, but no short pieces and not many moves, if that leaves
 * no tail. */
static tsl_status choose_cut(cut *c, tsl_context *context, const matrix *m, int64_t longer,
                             int64_t shorter, int64_t auxiliary)
{
    const int64_t line = shorter * m->cell * m->element;
    c->half = auxiliary / 2 / 16 * 16;
    const int64_t most = c->half / line;
    if (most < 1) {
        return tsl_fail(context, TSL_E_NOMEM,
                        "in place this shape needs %lld bytes of auxiliary memory, more than the "
                        "%lld allowed",
                        (long long)(2 * ((line + 15) / 16 * 16)), (long long)auxiliary);
    }
    c->piece = most < longer ? most : longer;
    const int64_t least = m->cell == 1 ? SHORTEST_PIECE / m->element : most / 8;
    for (int64_t piece = c->piece; piece > least; piece--) {
        if (longer % piece == 0) {
            c->piece = piece;
            break;
        }
    }
    c->chunks = longer / c->piece;
    c->tail = longer % c->piece;
    return TSL_OK;
}

/* More rows than columns. */
static tsl_status add_tall(tsl_transpose_steps *steps, const matrix *m)
{
    cut c = {0};
    tsl_status status = choose_cut(&c, steps->context, m, m->rows, m->columns, steps->auxiliary);
    if (status != TSL_OK) {
        return status;
    }
    const int64_t cell = m->cell * m->element; /* bytes */
    const int64_t row = m->rows * m->cell;     /* elements of a row of the result */
    const int64_t body = row - c.tail * m->cell;
    matrix chunk = *m;
    chunk.rows = c.piece;
    if (c.piece > 1) {
        status = add_through(steps, &chunk, c.chunks);
    }
    if (status == TSL_OK) {
        const tsl_transpose_cycles pieces = {
            .rows = c.chunks, .columns = m->columns, .pitch = c.piece * cell};
        status = tsl_transpose_add_cycles(steps, data_at(m->offset), &pieces, auxiliary_at(c.half),
                                          c.half);
    }
    if (status != TSL_OK || c.tail == 0) {
        return status;
    }
    /* the tail, transposed, waits in auxiliary memory */
    const int64_t n[3] = {m->cell, m->columns, c.tail};
    const int64_t in[3] = {1, m->cell, m->columns * m->cell};
    const int64_t waiting[3] = {1, c.tail * m->cell, m->cell};
    const int64_t start = m->offset + body * m->columns * m->element;
    status = add_move(steps, auxiliary_at(0), data_at(start), n, in, waiting, m->element);
    if (status == TSL_OK) {
        status = add_slide(steps, m, m->columns, body, body, row, c.half, c.half);
    }
    const int64_t rows[3] = {c.tail * m->cell, m->columns, 1};
    const int64_t from[3] = {1, c.tail * m->cell, 0};
    const int64_t to[3] = {1, row, 0};
    if (status == TSL_OK) {
        status = add_move(steps, data_at(m->offset + body * m->element), auxiliary_at(0), rows,
                          from, to, m->element);
    }
    return status;
}

/* More columns than rows: add_tall() backwards. */
static tsl_status add_wide(tsl_transpose_steps *steps, const matrix *m)
{
    cut c = {0};
    tsl_status status = choose_cut(&c, steps->context, m, m->columns, m->rows, steps->auxiliary);
    if (status != TSL_OK) {
        return status;
    }
    const int64_t cell = m->cell * m->element;
    const int64_t row = m->columns * m->cell;
    const int64_t body = row - c.tail * m->cell;
    if (c.tail > 0) {
        const int64_t n[3] = {m->cell, c.tail, m->rows};
        const int64_t in[3] = {1, m->cell, row};
        const int64_t waiting[3] = {1, m->rows * m->cell, m->cell};
        status = add_move(steps, auxiliary_at(0), data_at(m->offset + body * m->element), n, in,
                          waiting, m->element);
        if (status == TSL_OK) {
            status = add_slide(steps, m, m->rows, body, row, body, c.half, c.half);
        }
    }
    if (status == TSL_OK) {
        const tsl_transpose_cycles pieces = {
            .rows = m->rows, .columns = c.chunks, .pitch = c.piece * cell};
        status = tsl_transpose_add_cycles(steps, data_at(m->offset), &pieces, auxiliary_at(c.half),
                                          c.half);
    }
    matrix chunk = *m;
    chunk.columns = c.piece;
    if (status == TSL_OK && c.tail > 0) {
        /* chunks go through all of the memory: the tail goes home first */
        status = add_copy(steps, data_at(m->offset + body * m->rows * m->element), auxiliary_at(0),
                          c.tail * m->rows * m->cell, m->element);
    }
    if (status == TSL_OK && c.piece > 1) {
        status = add_through(steps, &chunk, c.chunks);
    }
    return status;
}

/* `count` matrices that follow each other. */
static tsl_status add_matrices(tsl_transpose_steps *steps, const matrix *m, int64_t count)
{
    if (bytes_of(m) <= steps->auxiliary) {
        return add_through(steps, m, count);
    }
    if (m->cell * m->element >= LONG_CELL) { /* count is 1: only rows are so long */
        const tsl_transpose_cycles cells = {
            .rows = m->rows, .columns = m->columns, .pitch = m->cell * m->element};
        return tsl_transpose_add_cycles(steps, data_at(m->offset), &cells, auxiliary_at(0),
                                        steps->auxiliary);
    }
    tsl_status status = TSL_OK;
    matrix one = *m;
    for (int64_t i = 0; i < count && status == TSL_OK; i++) {
        status = m->rows > m->columns ? add_tall(steps, &one) : add_wide(steps, &one);
        one.offset += bytes_of(m);
    }
    return status;
}

static bool is_swap(const tsl_transpose_form *f)
{
    if (f->kind == TSL_TRANSPOSE_ROWS) {
        return f->n[1] == f->n[2] && f->in[1] == f->out[2] && f->in[2] == f->out[1];
    }
    return f->n[0] == f->n[1] && f->in[1] == f->out[0] && (f->n[2] == 1 || f->in[2] == f->out[2]);
}

/* Edge of the cube that a form rotates; 0 if it does not. */
static int64_t edge_of(const tsl_transpose_form *f)
{
    const int64_t edge = f->n[0] < f->n[1] ? f->n[0] : f->n[1];
    const int64_t face = f->n[0] < f->n[1] ? f->n[1] : f->n[0];
    return f->kind == TSL_TRANSPOSE_EXCHANGE && f->n[2] == 1 && edge <= face / edge &&
                   edge * edge == face
               ? edge
               : 0;
}

/* zyx as two transpositions that leave an axis alone, one of square planes if there are any. */
static tsl_status add_outer(tsl_transpose_steps *steps, const int64_t shape[3], int element)
{
    int64_t between[3];
    const bool back = shape[1] == shape[2];
    const tsl_permutation first = back ? TSL_PERMUTATION_YZX : TSL_PERMUTATION_YXZ;
    const tsl_permutation second = back ? TSL_PERMUTATION_YXZ : TSL_PERMUTATION_ZXY;
    tsl_permutation_shape(between, shape, first);
    const tsl_status status = tsl_transpose_in_place(steps, shape, first, element);
    return status == TSL_OK ? tsl_transpose_in_place(steps, between, second, element) : status;
}

tsl_status tsl_transpose_in_place(tsl_transpose_steps *steps, const int64_t shape[3],
                                  tsl_permutation permutation, int element)
{
    tsl_transpose_step step = {.out = data_at(0), .in = data_at(0)};
    tsl_transpose_form *f = &step.form;
    tsl_transpose_reduce(f, shape, permutation, element);
    if (f->kind == TSL_TRANSPOSE_COPY) {
        return TSL_OK;
    }
    if (is_swap(f)) {
        step.action = TSL_TRANSPOSE_SWAP;
        return tsl_transpose_add(steps, &step);
    }
    const int64_t edge = edge_of(f);
    if (edge > 0) {
        step.action = TSL_TRANSPOSE_ROTATE;
        f->kind = f->n[0] == edge;
        f->n[0] = edge;
        return tsl_transpose_add(steps, &step);
    }
    const int64_t bytes = f->n[0] * f->n[1] * f->n[2] * f->element;
    if (bytes <= steps->auxiliary) {
        step.action = TSL_TRANSPOSE_MOVE;
        step.out = auxiliary_at(0);
        const tsl_status status = tsl_transpose_add(steps, &step);
        steps->used = bytes > steps->used ? bytes : steps->used;
        return status == TSL_OK
                   ? add_copy(steps, data_at(0), auxiliary_at(0), bytes / element, element)
                   : status;
    }
    if (f->kind == TSL_TRANSPOSE_ROWS) {
        const matrix m = {
            .rows = f->n[1], .columns = f->n[2], .cell = f->n[0], .element = f->element};
        return add_matrices(steps, &m, 1);
    }
    const matrix m = {.rows = f->n[1], .columns = f->n[0], .cell = 1, .element = f->element};
    if (f->n[2] == 1 || f->in[2] == f->n[0] * f->n[1]) {
        return add_matrices(steps, &m, f->n[2]);
    }
    return add_outer(steps, shape, element);
}
