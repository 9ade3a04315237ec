/* How long communication takes. */
#ifndef TSL_COMM_MEASURE_H
#define TSL_COMM_MEASURE_H

#include "comm/comm.h"

typedef enum tsl_measured {
    TSL_MEASURED_BARRIER,
    TSL_MEASURED_BROADCAST,
    TSL_MEASURED_ALL_REDUCE,
    TSL_MEASURED_REDUCER, /* a planned all-reduce of two doubles */
    TSL_MEASURED_GATHER,  /* to all */
    TSL_MEASURED_ALL_TO_ALL,
    TSL_MEASURED_ROWS,     /* an all-to-all of strided rows, as MPI's derived datatypes send them */
    TSL_MEASURED_EXCHANGE, /* with one neighbour each way: a ring */
    TSL_MEASURED_LINK,     /* rank 0 to rank 1, one way */
    TSL_MEASURED_COUNTERS,
    TSL_MEASURED
} tsl_measured;

/* "all-to-all" and so on. */
const char *tsl_measured_name(tsl_measured operation);

/* Does the operation move messages whose size can be chosen? */
bool tsl_measured_has_bytes(tsl_measured operation);

typedef struct tsl_comm_measurement {
    tsl_measured operation;
    int64_t bytes;    /* of a message: of each pair of ranks where all have one for all */
    int64_t sent;     /* by a rank, or received where it receives more */
    double seconds;   /* median over the repeats of the slowest rank's time */
    double bandwidth; /* sent / seconds; 0 where nothing is sent */
    double share;     /* of the link's bandwidth; 0 where that is not known */
} tsl_comm_measurement;

/* Measure an operation on memory of `context`, or of the host for NULL. `work` is host or device
 * memory of tsl_comm_measure_bytes(). Every rank gets the same. Collective; synchronous.
 * TSL_E_UNSUPPORTED if the communicator has no such operation, on all ranks alike. */
tsl_status tsl_comm_measure(tsl_comm_measurement *out, tsl_comm *comm, tsl_context *context,
                            tsl_measured operation, int64_t bytes, int repeats, void *work);

/* Memory that measuring messages of `bytes` bytes takes on each rank. */
int64_t tsl_comm_measure_bytes(const tsl_comm *comm, int64_t bytes);

#endif
