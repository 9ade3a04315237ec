#include "sparse/linsolve.h"
tsl_status tsl_make_incomplete(tsl_linsolve_plan *plan){return tsl_fail(plan->context,TSL_E_UNSUPPORTED,"x");}
