/* Clusters of a list's poses, and the length of the list. */
#include "cli/dock/command.h"

tsl_status dock_cluster(dock_work *work, dock_pair *pair, int64_t most)
{
    tsl_pose_list *list = &pair->list;
    const double begun = tsl_seconds();
    if (work->options->cluster == 0 || list->count == 0) {
        list->count = list->count < most ? list->count : most;
        return TSL_OK;
    }
    const size_t count = (size_t)list->count;
    int64_t *from = tsl_allocate(count * sizeof *from);
    list->sizes = tsl_allocate(count * sizeof *list->sizes);
    if (from == NULL || list->sizes == NULL) {
        tsl_release(from);
        return tsl_fail_memory(work->context, 2 * (int64_t)(count * sizeof *from),
                               "clusters of poses");
    }
    const int64_t clusters = tsl_poses_cluster(work->plan, list->poses, list->count,
                                               work->options->cluster, most, from, list->sizes);
    if (clusters < 0) {
        tsl_release(from);
        return (tsl_status)clusters;
    }
    for (int64_t i = 0; i < clusters; i++) {
        from[i] = list->previous != NULL ? list->previous[from[i]] : from[i] + 1;
    }
    tsl_release(list->previous);
    list->previous = from;
    cli_note("%lld poses in %lld clusters of %g angstrom", (long long)count, (long long)clusters,
             work->options->cluster);
    list->count = clusters;
    tsl_profile_add(work->context, "cluster poses", begun, 0, 0);
    return TSL_OK;
}
