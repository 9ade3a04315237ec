/* A matrix as a picture: a colour for each element, or for each block of elements that is as small
 * as the picture can show. */
#ifndef TSL_IO_MATRIX_PLOT_H
#define TSL_IO_MATRIX_PLOT_H

#include "core/core.h"

/* Cells along a side of the picture at most. */
enum { TSL_MATRIX_PLOT_CELLS = 480 };

typedef struct tsl_matrix_plot {
    const char *title;
    const char *what, *of[2]; /* rows and columns are: `what` of of[0], and of of[1] */
    const char *colours;      /* what the numbers are */
    int64_t size[2];          /* rows and columns of the matrix */
    int cells[2];             /* and of the picture */
    double *least; /* [cells[0]][cells[1]]: the least of a block's elements; infinity: white */
} tsl_matrix_plot;

/* Make a picture of a matrix of `rows` x `columns` elements, all of them white so far. The caller
 * gives names. To be released, also after a failure: tsl_matrix_plot_release(). TSL_E_NOMEM. */
tsl_status tsl_matrix_plot_begin(tsl_matrix_plot *plot, tsl_context *context, int64_t rows,
                                 int64_t columns);

/* Element (i, j) has a value; not-a-number leaves it white. */
void tsl_matrix_plot_add(tsl_matrix_plot *plot, int64_t i, int64_t j, double value);

/* Writes a figure. Kinds of files and errors are those of tsl_figure_write(). */
tsl_status tsl_matrix_plot_write(tsl_context *context, const char *path,
                                 const tsl_matrix_plot *plot);

/* Release cells; all zeros are fine. */
void tsl_matrix_plot_release(tsl_matrix_plot *plot);

#endif
