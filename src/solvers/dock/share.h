/* Work with a plan that the ranks of its communicator share. */
#ifndef TSL_DOCK_SHARE_H
#define TSL_DOCK_SHARE_H

#include "blocks/queue/queue.h"
#include "solvers/dock/plan.h"

/* tsl_dock_plan_create() that asks, between pieces of a tenth or two of a second and between plans
 * of transforms, whether it goes on being wanted, in updates too; TSL_E_CANCELLED on all ranks if
 * one is told that it is not. Borrows `watcher`. */
tsl_status tsl_dock_plan_create_while(tsl_dock_plan **out, tsl_context *context,
                                      const tsl_molecule *receptor, const tsl_molecule *ligand,
                                      const tsl_dock_options *options,
                                      const tsl_dock_watcher *watcher);

/* Items 0 … count - 1, each of which leaves `bytes` bytes in `outcome`. */
typedef struct tsl_dock_share {
    tsl_dock_plan *plan;
    /* Do `count` items from number `first` on; *done of them are whole, whatever is returned. */
    tsl_status (*run)(struct tsl_dock_share *share, int64_t first, int64_t count, int64_t *done);
    /* What this rank has to do before its first item, while others are at theirs; it asks
     * `patience` whether there are items left, and returns TSL_E_CANCELLED if not. NULL: nothing.
     */
    tsl_status (*get_ready)(tsl_dock_plan *plan, const tsl_fft_patience *patience);
    char *outcome;     /* [count][bytes] */
    int64_t bytes;     /* a multiple of 8 */
    bool is_for_first; /* only rank 0 gets what others have done */
    void *user;
    tsl_queue *queue; /* NULL: there is one rank */
} tsl_dock_share;

/* Do all items. A rank alone runs them in one go; several take them from a queue, and at the end
 * all have the whole outcome, or rank 0 has.
 *
 * A rank whose run() returns TSL_E_CANCELLED stops the others within a batch or a tenth of a
 * second, and all return that, with what any of them has done in `outcome`; the communicator stays
 * as it was. Any other failure of a rank is published: tsl_comm_fail().
 *
 * Collective over the communicator of the plan's context; `count` and `bytes` are the same on all
 * ranks. */
tsl_status tsl_dock_share_out(tsl_dock_share *share, int64_t count);

/* From here on only rank 0 gets all poses of a search, the others what they have done themselves,
 * and are spared the rest. */
void tsl_dock_share_for_first(tsl_dock_plan *plan);

/* From here on each rank of the plan's communicator does one contiguous part of the work, in
 * proportion to parts[ranks] > 0, borrowed and the same on all ranks; NULL: they take from a queue
 * again. */
void tsl_dock_share_in_parts(tsl_dock_plan *plan, const double *parts);

/* When this rank began with the first item of the last work, tsl_seconds(): once it was ready. */
double tsl_dock_share_begun(const tsl_dock_plan *plan);

/* To be asked by run() after a batch: TSL_E_CANCELLED if another rank has ended the work. */
tsl_status tsl_dock_share_goes_on(tsl_dock_share *share);

#endif
