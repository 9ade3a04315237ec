/* Poses of a list ranked anew by potentials of pairs of atoms. */
#include "cli/dock/command.h"

tsl_status dock_rerank(dock_work *work, dock_pair *pair)
{
    const dock_options *options = work->options;
    tsl_pose_list *list = &pair->list;
    if (options->rerank == 0 || list->count == 0) {
        return TSL_OK;
    }
    const int64_t before = list->count;
    const int64_t count = before < options->rerank ? before : options->rerank;
    int64_t *from = tsl_allocate((size_t)count * sizeof *from);
    if (from == NULL) {
        return tsl_fail_memory(work->context, count * (int64_t)sizeof *from, "ranking the poses");
    }
    const tsl_status status =
        tsl_dock_rerank(work->plan, list->poses, count, &options->pairs, from);
    if (status != TSL_OK) {
        tsl_release(from);
        return status;
    }
    for (int64_t i = 0; i < count; i++) {
        from[i] = list->previous != NULL ? list->previous[from[i]] : from[i] + 1;
    }
    tsl_release(list->previous);
    list->previous = from;
    list->count = count;
    cli_note("the first %lld of %lld poses are ranked anew by pairs of atoms", (long long)count,
             (long long)before);
    return TSL_OK;
}
