/* Points sorted into cells: what neighbours, histograms, energies and nearest points have in
 * common. */
#ifndef TSL_PAIRS_SEARCH_H
#define TSL_PAIRS_SEARCH_H

#include "solvers/pairs/pairs.h"

/* Pieces of device memory that a search keeps. */
typedef enum tsl_search_room {
    TSL_ROOM_POINTS,
    TSL_ROOM_RADII,
    TSL_ROOM_SORTED,
    TSL_ROOM_ORDER,
    TSL_ROOM_CELL,
    TSL_ROOM_START,
    TSL_ROOM_OWN,
    TSL_ROOM_LOOSE,
    TSL_ROOM_CELL_COUNTS,
    TSL_ROOM_TILES,
    TSL_ROOM_COUNTS,
    TSL_ROOM_FIRST,
    TSL_ROOM_INDICES,
    TSL_ROOM_DISTANCES,
    TSL_ROOM_RESULT,
    TSL_ROOM_MORE,
    TSL_ROOMS
} tsl_search_room;

/* A search under way. */
typedef struct tsl_search {
    tsl_context *context;
    tsl_neighbor_options options;
    double box[6];           /* what options.box points to */
    const char *name;        /* of the points, for errors */
    double cutoff;           /* or twice the largest radius */
    double low[3], width[3]; /* of open space; of a periodic cell its perpendicular widths */
    tsl_neighbor_task task;
    int64_t cells;
    void *room[TSL_ROOMS]; /* on the device */
    int64_t bytes[TSL_ROOMS];
} tsl_search;

/* Are options, and points of that many coordinates, what tsl_neighbors_find() asks for? TSL_E_ARG.
 * Closed by tsl_search_close() whatever the outcome, as all that follows. */
tsl_status tsl_search_check(tsl_search *search, tsl_context *context,
                            const tsl_neighbor_options *options, const tsl_points *points);

/* Sort points of device memory, of which there is at least one, into cells. They stay as long as
 * the search is used. */
tsl_status tsl_search_sort(tsl_search *search, const void *points);

/* Send the host's points to the device, and sort them into cells. */
tsl_status tsl_search_open(tsl_search *search, const tsl_points *points);

/* Let what follows do this rank's share of the sorted points alone. */
void tsl_search_take_part(tsl_search *search);

void tsl_search_close(tsl_search *search);

/* At least that much memory on the device; its contents are lost where it has to grow. */
tsl_status tsl_search_reserve(tsl_search *search, tsl_search_room room, int64_t bytes,
                              const char *what);

/* Rows of neighbours: counts, and where they begin. Those of other ranks are empty. */
tsl_status tsl_search_count(tsl_search *search);

#endif
