#include "blocks/convolve/offload.h"

#include "blocks/reduce/reduce.h"

struct tsl_convolve {
    tsl_context *host, *device;
    tsl_convolve_description what;
    tsl_grid_layout layout;
    tsl_convolve *there; /* the device's plan */
    void *boxes, *grids; /* on the device */
    tsl_reduce *reduce;  /* on the host */
};

static tsl_context *device_of(const tsl_context *host)
{
    return ((const tsl_offload *)(const void *)host->ops)->device;
}

/* What the device says of a failure, the host's context says. */
static tsl_status pass_on(const tsl_convolve *plan, tsl_status status)
{
    return status == TSL_OK ? TSL_OK : tsl_fail(plan->host, status, "%s", plan->device->error);
}

static int64_t box_bytes(const tsl_convolve_description *what)
{
    return (int64_t)what->box[0] * what->box[1] * what->box[2];
}

/* The layout that GPUs use, so that grids can be copied without being rearranged. */
static tsl_grid_layout offload_layout(const tsl_convolve_description *what)
{
    return tsl_grid_layout_aligned(what, 2 * (int)what->precision);
}

static int64_t offload_bytes(const tsl_context *host, const tsl_convolve_description *what)
{
    const tsl_context *device = device_of(host);
    const tsl_grid_layout layout = offload_layout(what);
    return device->ops->convolve->bytes(device, what) + what->batch * box_bytes(what) +
           tsl_grid_bytes(&layout, what->batch);
}

static void offload_destroy(tsl_convolve *plan)
{
    if (plan != NULL) {
        plan->device->ops->convolve->destroy(plan->there);
        tsl_device_release(plan->device, plan->boxes);
        tsl_device_release(plan->device, plan->grids);
        tsl_reduce_cpu.destroy(plan->reduce);
        tsl_release(plan);
    }
}

static tsl_status check_layout(const tsl_convolve *plan)
{
    const tsl_grid_layout there = plan->device->ops->convolve->layout(&plan->what);
    return there.row == plan->layout.row && there.lanes == plan->layout.lanes
               ? TSL_OK
               : tsl_fail(plan->host, TSL_E_UNSUPPORTED,
                          "%s: whole transforms leave grids that the host cannot take",
                          plan->device->name);
}

static tsl_status take_memory(tsl_convolve *plan)
{
    tsl_context *device = plan->device;
    const int batch = plan->what.batch;
    tsl_status status = TSL_OK;
    TSL_TRY(device->ops->convolve->create(&plan->there, device, &plan->what));
    TSL_TRY(tsl_device_allocate(&plan->boxes, device, batch * box_bytes(&plan->what),
                                "the ligand's boxes"));
    TSL_TRY(tsl_device_allocate(&plan->grids, device, tsl_grid_bytes(&plan->layout, batch),
                                "the correlation grids"));
done:
    return pass_on(plan, status);
}

static tsl_status offload_create(tsl_convolve **out, tsl_context *host,
                                 const tsl_convolve_description *what)
{
    tsl_convolve *plan = tsl_allocate_zeroed(1, sizeof *plan);
    if (plan == NULL) {
        return tsl_fail_memory(host, sizeof *plan, "a correlation plan");
    }
    plan->host = host;
    plan->device = device_of(host);
    plan->what = *what;
    plan->layout = offload_layout(what);
    tsl_status status = TSL_OK;
    TSL_TRY(check_layout(plan));
    TSL_TRY(take_memory(plan));
    TSL_TRY(tsl_convolve_create_top(&plan->reduce, host, &plan->layout, what));
done:
    if (status != TSL_OK) {
        offload_destroy(plan);
        return status;
    }
    *out = plan;
    return TSL_OK;
}

static tsl_status offload_set_fixed(tsl_convolve *plan, void *grid)
{
    tsl_context *device = plan->device;
    tsl_status status =
        device->ops->upload(device, plan->grids, grid, tsl_grid_bytes(&plan->layout, 1));
    if (status == TSL_OK) {
        status = device->ops->convolve->set_fixed(plan->there, plan->grids);
    }
    return pass_on(plan, status);
}

static tsl_status offload_execute(tsl_convolve *plan, int count, const uint8_t *boxes, void *grids)
{
    tsl_context *device = plan->device;
    const tsl_device_ops *ops = device->ops;
    tsl_status status = TSL_OK;
    TSL_TRY(ops->upload(device, plan->boxes, boxes, count * box_bytes(&plan->what)));
    TSL_TRY(ops->convolve->execute(plan->there, count, plan->boxes, plan->grids));
    TSL_TRY(ops->convolve->store(plan->there, count, plan->grids));
    TSL_TRY(ops->download(device, grids, plan->grids, tsl_grid_bytes(&plan->layout, count)));
done:
    return pass_on(plan, status);
}

/* The grids are here as they are. */
static tsl_status offload_store(tsl_convolve *plan, int count, void *grids)
{
    (void)plan, (void)count, (void)grids;
    return TSL_OK;
}

static tsl_status offload_top(tsl_convolve *plan, const void *grids, int first, int count, int k,
                              int64_t *after, int64_t *keys, int *found, float *error)
{
    return tsl_reduce_cpu.top(plan->reduce, (const char *)grids + first * plan->layout.member_bytes,
                              count, k, after, keys, found, error);
}

void tsl_convolve_offload(tsl_offload *offload, tsl_context *host, tsl_context *device)
{
    static const tsl_convolve_ops convolve = {.layout = offload_layout,
                                              .bytes = offload_bytes,
                                              .create = offload_create,
                                              .destroy = offload_destroy,
                                              .set_fixed = offload_set_fixed,
                                              .execute = offload_execute,
                                              .store = offload_store,
                                              .top = offload_top};
    offload->ops = *host->ops;
    offload->ops.convolve = &convolve;
    offload->device = device;
    host->ops = &offload->ops;
}
