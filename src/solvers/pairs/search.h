/* Points sorted into cells: what neighbours and histograms have in common. */
#ifndef TSL_PAIRS_SEARCH_H
#define TSL_PAIRS_SEARCH_H

#include "solvers/pairs/pairs.h"

enum { TSL_SEARCH_PIECES = 12 };

/* A search under way. */
typedef struct tsl_search {
    tsl_context *context;
    const tsl_neighbor_options *options;
    const tsl_points *points;
    double cutoff;           /* or twice the largest radius */
    double low[3], width[3]; /* of open space; of a periodic cell its perpendicular widths */
    tsl_neighbor_task task;
    int64_t cells;
    void *host[3], *radii;           /* sorted, on the host */
    int32_t *order, *cell, *start;   /* likewise */
    void *device[TSL_SEARCH_PIECES]; /* all that is on the device */
    int devices;
} tsl_search;

/* Are options and points what tsl_neighbors_find() asks for? TSL_E_ARG. */
tsl_status tsl_search_check(tsl_search *search, tsl_context *context,
                            const tsl_neighbor_options *options, const tsl_points *points);

/* Sort the points, of which there is at least one, into cells and send them to the device. Closed
 * by tsl_search_close() whatever the outcome. */
tsl_status tsl_search_open(tsl_search *search);
void tsl_search_close(tsl_search *search);

/* Memory on the device until the search is closed, with a copy of `data` unless that is NULL. */
tsl_status tsl_search_place(tsl_search *search, void **out, const void *data, int64_t bytes,
                            const char *what);

#endif
