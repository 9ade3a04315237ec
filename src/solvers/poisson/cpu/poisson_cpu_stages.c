/* What becomes of a segment of columns between the rows' transforms: each stage moves it from one
 * array to the next, so that no pass is for moving alone but where ranks exchange. The arrays:
 * segments.h. */
#include <omp.h>
#include <string.h>

#include "core/clones.h"
#include "solvers/poisson/cpu/poisson_cpu.h"

#define TSL_TEMPLATE "solvers/poisson/cpu/poisson_cpu_lines.inc"
#include "core/both_precisions.inc"

/* Rows of bytes to and from a place where the next begins further on. */
typedef struct strip {
    char *at;
    int64_t pitch;
} strip;

static void copy(strip to, strip from, int count, int64_t bytes)
{
    for (int i = 0; i < count; i++) {
        memcpy(to.at + i * to.pitch, from.at + i * from.pitch, (size_t)bytes);
    }
}

/* There: from `near` to `far`; back: from `far` to `near`. */
static void move(strip near, strip far, int count, int64_t bytes, bool there)
{
    copy(there ? far : near, there ? near : far, count, bytes);
}

/* Parts of at most `width` columns. */
static int blocks_of(const tsl_poisson_solver *solver, tsl_poisson_range columns)
{
    return (columns.count + solver->rank.grid.width - 1) / solver->rank.grid.width;
}

static char *scratch_of(const tsl_poisson_solver *solver)
{
    return solver->scratch + omp_get_thread_num() * solver->a_scratch;
}

/* Among the rows of the plane numbered x of this rank: row y, column kz. */
static char *in_rows(const tsl_poisson_solver *solver, int x, int y, int kz)
{
    return solver->rows + x * solver->plane +
           ((int64_t)y * solver->rank.grid.row + kz) * tsl_poisson_complex(&solver->rank.grid);
}

/* ---- rows and columns --------------------------------------------------------------------- */

static void exchange_rows(const tsl_poisson_solver *solver, int segment, int lane, int x,
                          bool there)
{
    const tsl_poisson_grid *grid = &solver->rank.grid;
    const int64_t number = tsl_poisson_complex(grid);
    const int64_t planes = solver->rank.mine.x.count;
    const int ny = solver->rank.mine.y.count;
    char *part = tsl_poisson_buffer(&solver->rank, lane, 0);
    for (int b = 0; b < solver->rank.share.q; b++) {
        const tsl_poisson_range columns =
            tsl_poisson_segment_of(&solver->rank.share, grid, b, segment);
        const int64_t bytes = columns.count * number;
        move((strip){in_rows(solver, x, 0, columns.begin), grid->row * number},
             (strip){part + x * ny * bytes, bytes}, ny, bytes, there);
        part += planes * ny * bytes;
    }
}

/* Rows y.begin … of plane x of the columns; `piece` counts the ranks along y. */
static strip columns_at(const tsl_poisson_solver *solver, tsl_poisson_range columns, int lane,
                        int x, int piece, tsl_poisson_range *y)
{
    const tsl_poisson_share *share = &solver->rank.share;
    const int64_t number = tsl_poisson_complex(&solver->rank.grid);
    const int64_t bytes = columns.count * number;
    *y = (tsl_poisson_range){0, solver->rank.grid.n[1]};
    if (share->q == 1) {
        return (strip){in_rows(solver, x, 0, columns.begin), solver->rank.grid.row * number};
    }
    if (share->along_y) {
        *y = tsl_poisson_cut(solver->rank.grid.n[1], share->q, piece);
    }
    const int64_t before = (int64_t)solver->rank.x.count * y->begin + (int64_t)x * y->count;
    return (strip){tsl_poisson_buffer(&solver->rank, lane, 1) + before * bytes, bytes};
}

static void exchange_columns(const tsl_poisson_solver *solver, tsl_poisson_range columns, int lane,
                             int x, int first, strip plane, int64_t bytes, bool there)
{
    const int pieces = solver->rank.share.along_y ? solver->rank.share.q : 1;
    for (int piece = 0; piece < pieces; piece++) {
        tsl_poisson_range y;
        strip at = columns_at(solver, columns, lane, x, piece, &y);
        at.at += first * tsl_poisson_complex(&solver->rank.grid);
        move(at, (strip){plane.at + y.begin * plane.pitch, plane.pitch}, y.count, bytes, there);
    }
}

/* ---- columns and lines -------------------------------------------------------------------- */

/* Plane x in the order of ky to the lines of all ranks. */
static void exchange_lines(const tsl_poisson_solver *solver, tsl_poisson_range columns, int lane,
                           int x, int first, strip plane, int64_t bytes, bool there)
{
    const int64_t number = tsl_poisson_complex(&solver->rank.grid);
    const int64_t pitch = columns.count * number;
    char *part = tsl_poisson_buffer(&solver->rank, lane, 0);
    for (int a = 0; a < solver->rank.share.p; a++) {
        const tsl_poisson_lines lines =
            tsl_poisson_lines_of(&solver->rank.share, &solver->rank.grid, a);
        char *at = part + x * lines.count * pitch + first * number;
        for (int run = 0; run < 2; run++) {
            const tsl_poisson_range *ky = &lines.run[run];
            move((strip){plane.at + ky->begin * plane.pitch, plane.pitch}, (strip){at, pitch},
                 ky->count, bytes, there);
            at += ky->count * pitch;
        }
        part += (int64_t)solver->rank.x.count * lines.count * pitch;
    }
}

/* A block of plane x along the second axis. Where the lines are this rank's own and the block is
 * the segment, in the lines' place. */
static void second_axis(const tsl_poisson_solver *solver, tsl_poisson_range columns, int lane,
                        int64_t item, bool there)
{
    const tsl_poisson_grid *grid = &solver->rank.grid;
    const int blocks = blocks_of(solver, columns);
    const int x = (int)(item / blocks);
    const int first = (int)(item % blocks) * grid->width;
    const int left = columns.count - first;
    const int64_t bytes = (left < grid->width ? left : grid->width) * tsl_poisson_complex(grid);
    const int64_t pitch = grid->width * tsl_poisson_complex(grid);
    const bool own = solver->rank.share.p == 1 && columns.count == grid->width;
    const strip plane = {own ? tsl_poisson_buffer(&solver->rank, lane, 0) + x * grid->m[1] * pitch
                             : scratch_of(solver),
                         pitch};
    if (there) {
        if (bytes < pitch) {
            memset(plane.at, 0, (size_t)(grid->n[1] * pitch));
        }
        memset(plane.at + grid->n[1] * pitch, 0, (size_t)((grid->m[1] - grid->n[1]) * pitch));
        exchange_columns(solver, columns, lane, x, first, plane, bytes, true);
        tsl_fft_cpu.execute(solver->second_forward, plane.at, plane.at);
    }
    if (!own) {
        exchange_lines(solver, columns, lane, x, first, plane, bytes, there);
    }
    if (!there) {
        tsl_fft_cpu.execute(solver->second_backward, plane.at, plane.at);
        exchange_columns(solver, columns, lane, x, first, plane, bytes, false);
    }
}

/* Exchange planes that are transformed already. */
static void exchange_plane(const tsl_poisson_solver *solver, tsl_poisson_range columns, int lane,
                           int x, bool there)
{
    const int64_t number = tsl_poisson_complex(&solver->rank.grid);
    const strip plane = {in_rows(solver, x, 0, columns.begin), solver->rank.grid.row * number};
    exchange_lines(solver, columns, lane, x, 0, plane, columns.count * number, there);
}

/* ---- lines -------------------------------------------------------------------------------- */

/* Lines of some columns, `pitch` numbers from one x to the next, times the spectrum and, if one is
 * asked for, the slope along an axis. */
static void multiply(const tsl_poisson_solver *solver, char *lines, int64_t pitch, int column,
                     int count, int ky)
{
    const tsl_poisson_grid *grid = &solver->rank.grid;
    if (grid->precision == TSL_SINGLE) {
        float *numbers = (float *)(void *)lines;
        multiply_lines_single(grid, numbers, pitch, solver->spectrum, column, count, ky);
        slope_lines_single(grid, numbers, pitch, column, count, ky, solver->axis);
    } else {
        double *numbers = (double *)(void *)lines;
        multiply_lines_double(grid, numbers, pitch, solver->spectrum, column, count, ky);
        slope_lines_double(grid, numbers, pitch, column, count, ky, solver->axis);
    }
}

tsl_poisson_standing tsl_poisson_standing_of(const tsl_poisson_rank *rank, int64_t plane,
                                             int columns)
{
    const bool in_rows = rank->planes && rank->share.p == 1;
    const int run = in_rows ? columns : rank->lines.count * columns;
    return (tsl_poisson_standing){.in_rows = in_rows,
                                  .run = run,
                                  .runs = in_rows ? rank->lines.count : 1,
                                  .pieces = (run + rank->grid.width - 1) / rank->grid.width,
                                  .pitch =
                                      in_rows ? plane / tsl_poisson_complex(&rank->grid) : run};
}

/* A piece of lines where they stand: forward, product, backward. */
static void first_axis_standing(const tsl_poisson_solver *solver, tsl_poisson_range columns,
                                int lane, int64_t item)
{
    const tsl_poisson_rank *rank = &solver->rank;
    const int width = rank->grid.width;
    const tsl_poisson_standing s = tsl_poisson_standing_of(rank, solver->plane, columns.count);
    const int first = (int)(item % s.pieces) * width;
    const int count = s.run - first < width ? s.run - first : width;
    const int before = (int)(item / s.pieces) * s.run; /* of all lines' numbers, side by side */
    const int ky = tsl_poisson_line(&rank->lines, before / columns.count);
    char *at = s.in_rows ? in_rows(solver, 0, ky, columns.begin + first)
                         : tsl_poisson_buffer(rank, lane, rank->share.p > 1) +
                               first * tsl_poisson_complex(&rank->grid);
    tsl_fft *const *pair = solver->standing[columns.count < rank->share.span][count < width];
    tsl_fft_cpu.execute(pair[0], at, at);
    for (int done = 0; done < count;) {
        const int number = before + first + done;
        const int column = number % columns.count;
        const int left = columns.count - column;
        const int run = left < count - done ? left : count - done;
        multiply(solver, at + done * tsl_poisson_complex(&rank->grid), s.pitch,
                 columns.begin + column, run,
                 tsl_poisson_line(&rank->lines, number / columns.count));
        done += run;
    }
    tsl_fft_cpu.execute(pair[1], at, at);
}

/* A block of a line: forward, product, slope along an axis if one is asked for, backward. Planes of
 * a rank alone are left where they are. */
static void first_axis(const tsl_poisson_solver *solver, tsl_poisson_range columns, int lane,
                       int64_t item)
{
    const tsl_poisson_grid *grid = &solver->rank.grid;
    const int64_t number = tsl_poisson_complex(grid);
    const int64_t pitch = grid->width * number;
    const int blocks = blocks_of(solver, columns);
    const int line = (int)(item / blocks);
    const int first = (int)(item % blocks) * grid->width;
    const int left = columns.count - first;
    const int count = left < grid->width ? left : grid->width;
    const int ky = tsl_poisson_line(&solver->rank.lines, line);
    const int side = solver->rank.share.p > 1;
    strip from = {in_rows(solver, 0, ky, columns.begin + first), solver->plane};
    if (!solver->rank.planes || side > 0) {
        from.pitch = (int64_t)solver->rank.lines.count * columns.count * number;
        from.at = tsl_poisson_buffer(&solver->rank, lane, side) +
                  ((int64_t)line * columns.count + first) * number;
    }
    const strip lines = {scratch_of(solver), pitch};
    if (count < grid->width) {
        memset(lines.at, 0, (size_t)(grid->n[0] * pitch));
    }
    copy(lines, from, grid->n[0], count * number);
    memset(lines.at + grid->n[0] * pitch, 0, (size_t)((grid->m[0] - grid->n[0]) * pitch));
    tsl_fft_cpu.execute(solver->first_forward, lines.at, lines.at);
    multiply(solver, lines.at, grid->width, columns.begin + first, count, ky);
    tsl_fft_cpu.execute(solver->first_backward, lines.at, lines.at);
    copy(from, lines, grid->n[0], count * number);
}

/* ---- all of them -------------------------------------------------------------------------- */

int64_t tsl_poisson_items(const tsl_poisson_solver *solver, tsl_poisson_stage stage, int segment)
{
    const int blocks = blocks_of(solver, tsl_poisson_columns_in(&solver->rank, segment));
    switch (stage) {
    case TSL_POISSON_GATHER:
    case TSL_POISSON_SCATTER:
        return solver->rank.mine.x.count;
    case TSL_POISSON_SECOND:
    case TSL_POISSON_SECOND_BACK:
        return solver->rank.planes ? solver->rank.x.count : (int64_t)solver->rank.x.count * blocks;
    case TSL_POISSON_FIRST:
        if (solver->rank.grid.strided) {
            const tsl_poisson_standing s = tsl_poisson_standing_of(
                &solver->rank, solver->plane, tsl_poisson_columns_in(&solver->rank, segment).count);
            return (int64_t)s.runs * s.pieces;
        }
        return (int64_t)solver->rank.lines.count * blocks;
    }
    return 0;
}

void tsl_poisson_item(const tsl_poisson_solver *solver, tsl_poisson_stage stage, int segment,
                      int lane, int64_t item)
{
    const tsl_poisson_range columns = tsl_poisson_columns_in(&solver->rank, segment);
    const bool there = stage == TSL_POISSON_GATHER || stage == TSL_POISSON_SECOND;
    switch (stage) {
    case TSL_POISSON_GATHER:
    case TSL_POISSON_SCATTER:
        exchange_rows(solver, segment, lane, (int)item, there);
        break;
    case TSL_POISSON_SECOND:
    case TSL_POISSON_SECOND_BACK:
        if (solver->rank.planes) {
            exchange_plane(solver, columns, lane, (int)item, there);
        } else {
            second_axis(solver, columns, lane, item, there);
        }
        break;
    case TSL_POISSON_FIRST:
        if (solver->rank.grid.strided) {
            first_axis_standing(solver, columns, lane, item);
        } else {
            first_axis(solver, columns, lane, item);
        }
        break;
    }
}
