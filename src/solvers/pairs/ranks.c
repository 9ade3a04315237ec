/* What ranks have to be alike in. */
#include "comm/comm.h"
#include "core/core.h"
#include "device/device.h"
#include "solvers/pairs/pairs.h"

tsl_status tsl_pairs_compare_ranks(tsl_context *context)
{
    bool same = true;
    int64_t kind = 0;
    if (context->comm->size == 1) {
        return TSL_OK;
    }
    for (const char *c = context->ops->name; *c != '\0'; c++) {
        kind = kind * 31 % 1000000007 + *c;
    }
    const tsl_status status = tsl_comm_compare(&same, context->comm, kind);
    return status != TSL_OK || same
               ? status
               : tsl_fail(context, TSL_E_ARG,
                          "ranks on devices of several kinds, whose rounding differs: give one "
                          "kind, as cuda:0-3 or cpu,cpu");
}
