/* The error line of a communicator: for members, which must not reach for contexts. */
#include <stdarg.h>
#include <stdio.h>

#include "comm/comm.h"

tsl_status tsl_comm_report(tsl_comm *comm, tsl_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(comm->root->error, sizeof comm->root->error, format, arguments);
    va_end(arguments);
    return status;
}

tsl_status tsl_comm_report_failure(tsl_comm *comm)
{
    int rank = 0;
    tsl_status status = TSL_OK;
    const char *reason = comm->ops->failure(comm, &rank, &status);
    return tsl_comm_report(comm, TSL_E_COMM, "rank %d: %s", rank, reason);
}
