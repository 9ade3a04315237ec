/* Numbers that the solver of pairs and its command line share. */
#ifndef TSL_PAIRS_RANGES_H
#define TSL_PAIRS_RANGES_H

/* Bins of a histogram: 1 to this. */
#define TSL_HISTOGRAM_MOST_BINS 1000000

/* Of a stream of distances that is held in memory at a time, unless it is said how much: MiB. */
#define TSL_DISTANCE_STREAM_MIB 64

#endif
