/* What a card can do, as include/tesela-lab/lab_rates.h measures it on the card. */
#ifndef TSL_LAB_RATES_H
#define TSL_LAB_RATES_H

#include "lab/card.h"

enum tsl_lab_rate {
    TSL_LAB_COPY,             /* bytes a second, read and written */
    TSL_LAB_READ_ONLY,        /* bytes a second, read alone */
    TSL_LAB_TRIAD,            /* bytes a second of a[i] = b[i] + s c[i] */
    TSL_LAB_SINGLE,           /* operations a second of single precision, two of each fma */
    TSL_LAB_DOUBLE,           /* operations a second of double precision, two of each fma */
    TSL_LAB_TO_CARD,          /* bytes a second, from the host's pageable memory to the card */
    TSL_LAB_FROM_CARD,        /* bytes a second, from the card to the host's pageable memory */
    TSL_LAB_TO_CARD_PINNED,   /* bytes a second, from the host's pinned memory to the card */
    TSL_LAB_FROM_CARD_PINNED, /* bytes a second, from the card to the host's pinned memory */
    TSL_LAB_LAUNCH,           /* seconds of a launch among many */
    TSL_LAB_RESIDENT,         /* threads that the card runs at a time */
    TSL_LAB_START,            /* seconds that a block keeps its place before and after its reads */
    TSL_LAB_LATENCY, /* seconds of a read that the next waits for, the card full of threads */
    TSL_LAB_RATES
};
/* "copy" and so on, as they stand in a file of rates. */
extern const char *const tsl_lab_rate_names[TSL_LAB_RATES];

typedef struct tsl_lab_rates {
    char card[128];
    double value[TSL_LAB_RATES];
} tsl_lab_rates;

/* Build and run the measurement on a card; its files go into `folder`. TSL_E_UNSUPPORTED, with what
 * nvcc or the program said, if it does not build or run; TSL_E_FORMAT if a rate is missing. */
tsl_status tsl_lab_rates_measure(tsl_lab_rates *out, tsl_context *context, const tsl_lab_card *card,
                                 const char *folder);
/* Take line `number` of a file: the name it begins with and what follows, "" if nothing does. */
typedef tsl_status tsl_lab_take_line(void *user, tsl_context *context, int number, const char *name,
                                     const char *rest);
/* Call `take` with each line of a file that is neither empty nor a comment ("#"), up to the first
 * status other than TSL_OK, which is returned. TSL_E_IO if the file cannot be read, TSL_E_FORMAT if
 * it has more than 64 KiB. */
tsl_status tsl_lab_read_lines(tsl_context *context, const char *path, tsl_lab_take_line *take,
                              void *user);
/* nvcc's option for the card's capability: "-arch=sm_90". */
void tsl_lab_card_architecture(char *out, size_t bytes, const tsl_lab_card *card);
/* Read a file of rates: a line each, a name and a number; "card NAME"; "#" begins a comment.
 * TSL_E_FORMAT, with file and line, of what is not so, or a rate that is missing. */
tsl_status tsl_lab_rates_read(tsl_lab_rates *out, tsl_context *context, const char *path);
/* Write such a file. TSL_E_IO. */
tsl_status tsl_lab_rates_write(const tsl_lab_rates *rates, tsl_context *context, const char *path);

#endif
