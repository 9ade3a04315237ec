/* What measurements of transforms say as rules: how much memory a plan takes, how much data a batch
 * should have, and when transposing first is worth it. The rules' form is that of Jodra, Gurrutxaga
 * & Muguerza (3PGCIC 2015) for cuFFT on a Tesla M2090. */
#ifndef TSL_FFT_STUDY_H
#define TSL_FFT_STUDY_H

#include "blocks/fft/measure.h"

/* What they found: the workspace is the data, the fall of the time a transform slackens at this
 * much data, and ends in this range. */
enum {
    TSL_FFT_KNEE = 256 << 10,
    TSL_FFT_PLATEAU_FIRST = 25 << 20,
    TSL_FFT_PLATEAU_LAST = 50 << 20
};

/* A curve of time over data; all in bytes of data, 0: there is none. "Time" is that of a byte of
 * data, and so proportional to that of a transform. */
typedef struct tsl_fft_curve {
    /* Where the plateau begins: from there on all times are within 10 % of the last three's median.
     * At least three measurements, and not all, belong to it. */
    int64_t plateau;
    int64_t before_plateau; /* the measurement before: it begins between the two */
    /* Where the fall to the plateau slackens: the break of two straight lines that fit log(time)
     * over log(data) up to the plateau best, by least squares. If no two fit much better than one,
     * and time does fall, where the plateau begins. */
    double knee;
    int64_t enough; /* least data whose time is within 10 % of the shortest */
    int best;       /* measurement of the shortest time, from 0 */
} tsl_fft_curve;

/* `rows` differ in the batch alone, and come in its order; count >= 1. */
void tsl_fft_fit_curve(tsl_fft_curve *out, const tsl_fft_measurement *rows, int count);

/* workspace = slope * data + constant, by least squares. */
typedef struct tsl_fft_workspace {
    int rows;        /* whose workspace is known; 0: the rest is 0 too */
    double slope;    /* 0 if all data are alike */
    double constant; /* bytes */
    double residual; /* root mean square, bytes */
    int off;         /* rows where the workspace is not the data within 10 % */
} tsl_fft_workspace;

void tsl_fft_fit_workspace(tsl_fft_workspace *out, const tsl_fft_measurement *rows, int count);

/* Rows that differ in the batch alone. */
typedef struct tsl_fft_series {
    int first, count;
    tsl_fft_curve curve;
    tsl_fft_workspace workspace;
    bool knee_holds;    /* there is a knee, within a factor of 2 of the source's */
    bool plateau_holds; /* there is a plateau, and it begins in the source's range as far as the
                           batches measured tell */
} tsl_fft_series;

/* Over all series: the median and range of a kind of place. */
typedef struct tsl_fft_places {
    int found; /* series that have one; 0: the rest is 0 too */
    int hold;  /* where the source's rule holds */
    double least, median, most;
} tsl_fft_places;

/* Batches with a stride, done as they lie and by way of transpositions. */
typedef struct tsl_fft_detour {
    int cases;
    int faster;         /* where transposing there and back takes less time */
    int faster_one_way; /* where transposing there alone does */
    /* Geometric means of time over the faster way's, there and back: what it costs to do always the
     * same. 1 if there are no cases. */
    double never, always;
} tsl_fft_detour;

typedef struct tsl_fft_study {
    const tsl_fft_measurement *rows; /* the caller's */
    int count;
    tsl_fft_series *series;
    int series_count;
    tsl_fft_workspace workspace; /* of all rows */
    tsl_fft_places knee, plateau;
    tsl_fft_detour detour;
} tsl_fft_study;

/* Fit all rules. `rows` of a series stand together, in order of the batch. tsl_fft_study_release()
 * frees what it takes. TSL_E_NOMEM. */
tsl_status tsl_fft_study_make(tsl_fft_study *out, tsl_context *context,
                              const tsl_fft_measurement *rows, int count);
void tsl_fft_study_release(tsl_fft_study *study);

#endif
