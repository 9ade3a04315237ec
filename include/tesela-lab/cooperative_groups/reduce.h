/* Reductions of cooperative groups: all are in cooperative_groups.h. */
#include "../cooperative_groups.h"
