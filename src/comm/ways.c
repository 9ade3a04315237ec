/* Names of the ways of device memory: for the plug-in and for the command. */
#include <string.h>

#include "comm/plugin.h"

static const char *const names[] = {[TSL_COMM_AUTO] = "auto",
                                    [TSL_COMM_NCCL] = "nccl",
                                    [TSL_COMM_AWARE] = "cuda-aware",
                                    [TSL_COMM_STAGED] = "staged"};

const char *tsl_comm_way_name(tsl_comm_way way)
{
    return names[way];
}

tsl_comm_way tsl_comm_way_of(const char *name)
{
    int way = 0;
    while (way < TSL_COMM_WAYS && strcmp(name, names[way]) != 0) {
        way++;
    }
    return (tsl_comm_way)way;
}
