/* The receptor's grids, which the ranks of a plan's communicator make together: its shape each for
 * itself, since that is quick, its potential in parts. */
#ifndef TSL_DOCK_RECEPTOR_H
#define TSL_DOCK_RECEPTOR_H

#include "comm/comm.h"
#include "solvers/dock/plan.h"

/* What the ranks of a communicator tell each other before they set a pair up: of all of them. */
typedef struct tsl_dock_rank_group {
    int first_gpu;  /* the first rank with device memory; -1: there is none */
    bool has_cpu;   /* one of them is without */
    bool makes_any; /* one of them needs the receptor's grids */
} tsl_dock_rank_group;

/* What making the grids takes for a moment, besides them. */
typedef struct tsl_dock_making {
    tsl_dock_atoms atoms;
    void *memory; /* on the device, of the next four: */
    tsl_dock_turns *unturned;
    int64_t *cells; /* [2]: surface, core */
    double *largest;
    int *offsets; /* [count][3] */
    int count;
    double *weights;      /* [ranks]: threads of those on CPUs, 0 on GPUs */
    tsl_comm_pair *pairs; /* [ranks] */
    char *staging;        /* the potential on the host, of the GPU that CPUs have it from */
} tsl_dock_making;

/* What are the ranks? Then: does any need the grids? Take no memory. TSL_E_COMM. Collective. */
tsl_status tsl_dock_meet(tsl_dock_rank_group *out, tsl_context *context);
tsl_status tsl_dock_ask(tsl_dock_rank_group *group, tsl_context *context, bool makes);

/* Bytes that making the grids takes besides them. */
int64_t tsl_dock_making_bytes(const tsl_dock_plan *plan, const tsl_dock_geometry *geometry,
                              const tsl_molecule *receptor, const tsl_dock_rank_group *group);

/* Take all memory for the receptor's grids. What was taken goes by tsl_dock_end_making() and
 * tsl_dock_free_receptor(), after a failure too. */
tsl_status tsl_dock_begin_making(tsl_dock_making *out, tsl_dock_plan *plan,
                                 const tsl_molecule *receptor, const tsl_dock_rank_group *group);
void tsl_dock_end_making(tsl_dock_making *making, tsl_context *context);

/* Fill the grids. CPUs sum the potential together, in proportion to their threads, and hear of
 * each other's failures within a tenth or two of a second. A GPU takes milliseconds for all of it,
 * less than for hearing of parts: each sums its own, and CPUs beside GPUs have the first one's. The
 * cells are independent of each other, so that they have the same bits whoever sums them.
 *
 * Collective; failures are published, but for a potential that is too large, which all see. */
tsl_status tsl_dock_make_receptor(tsl_dock_plan *plan, const tsl_dock_making *making,
                                  const tsl_dock_rank_group *group);
void tsl_dock_free_receptor(tsl_dock_plan *plan);

#endif
