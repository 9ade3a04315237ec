/* Experiment: the product of CG's matrix in blocks of columns, kernel by kernel.
 *
 *     tiles DEVICE CLASS WIDTHS KERNEL:AHEAD...
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "blocks/sparse/tiles.h"
#include "core/context.h"
#include "device/device.h"
#include "npb/cg.h"

typedef struct work {
    tsl_context *context;
    tsl_sparse *product;
    double *x, *y;
} work;

static tsl_status queue(void *arguments)
{
    const work *w = arguments;
    return w->context->ops->sparse->multiply(w->product, w->y, w->x, NULL);
}

static tsl_status try_kernels(work *w, const tsl_tiles *t, int64_t nonzeros, int count, char **kernels)
{
    const double bytes = 10 * (double)tsl_tiles_entries(t) +
                         t->blocks * (16 * (double)t->rows + 72 * (double)t->slices);
    double *y = tsl_allocate((size_t)t->rows * 8);
    double *first = tsl_allocate((size_t)t->rows * 8);
    tsl_status status = TSL_OK;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < count && status == TSL_OK; i++) {
            char *kernel = kernels[i];
            char text[32];
            snprintf(text, sizeof text, "%d", atoi(kernel));
            setenv("TILES_KERNEL", text, 1);
            if (pass == 0) {
                status = queue(w);
                status = status == TSL_OK ? w->context->ops->download(w->context, i == 0 ? first : y, w->y, t->rows * 8) : status;
                if (status == TSL_OK && i > 0 && memcmp(y, first, (size_t)t->rows * 8) != 0) {
                    printf("kernel %s: other bits\n", kernel);
                }
                continue;
            }
            double seconds = 0;
            status = tsl_device_time(&seconds, w->context, queue, w, 0.03);
            printf("width %d, %d blocks, filled %.4f, kernel %s: %.1f us, %.0f GB/s of its own, %.0f of 10 B a nonzero\n",
                   t->width, t->blocks, (double)tsl_tiles_entries(t) / (double)nonzeros, kernel, 1e6 * seconds, 1e-9 * bytes / seconds,
                   1e-8 * (double)nonzeros / seconds);
            fflush(stdout);
        }
    }
    tsl_release(y);
    tsl_release(first);
    return status;
}

int main(int argc, char **argv)
{
    if (argc < 5) {
        return 2;
    }
    work w = {0};
    tsl_context_options options = TSL_CONTEXT_OPTIONS_INIT;
    options.device = argv[1];
    tsl_status status = tsl_context_create(&w.context, &options);
    tsl_device_properties properties;
    if (status != TSL_OK || w.context->ops->properties(w.context->device, &properties) != TSL_OK) {
        fprintf(stderr, "tiles: %s\n", tsl_last_error(w.context));
        return 3;
    }
    const tsl_cg_class *class = tsl_cg_find_class(argv[2][0]);
    tsl_csr m;
    double begun = tsl_seconds();
    status = tsl_cg_matrix(&m, w.context, class, 0, class->rows);
    printf("matrix %.2f s, %d threads\n", tsl_seconds() - begun, w.context->threads);
    void *x = NULL;
    void *y = NULL;
    double *host = tsl_allocate((size_t)class->rows * 8);
    for (int64_t i = 0; i < class->rows; i++) {
        host[i] = sin((double)i);
    }
    status = status == TSL_OK ? tsl_device_allocate(&x, w.context, class->rows * 8, "x") : status;
    status = status == TSL_OK ? tsl_device_allocate(&y, w.context, class->rows * 8, "y") : status;
    status = status == TSL_OK ? w.context->ops->upload(w.context, x, host, class->rows * 8) : status;
    w.x = x;
    w.y = y;
    for (char *width = strtok(argv[3], ","); width != NULL && status == TSL_OK; width = strtok(NULL, ",")) {
        const int most = atoi(width) > 0 ? atoi(width) : tsl_tiles_columns(&m, properties.shared);
        tsl_tiles tiles;
        begun = tsl_seconds();
        status = tsl_tiles_make(&tiles, w.context, &m, most);
        if (status == TSL_OK) {
            status = w.context->ops->sparse->create_tiles(&w.product, w.context, &tiles, &properties);
            printf("tiles %.2f s\n", tsl_seconds() - begun);
            status = status == TSL_OK ? try_kernels(&w, &tiles, tsl_csr_nonzeros(&m), argc - 4, argv + 4) : status;
            w.context->ops->sparse->destroy(w.product);
            w.product = NULL;
            tsl_tiles_free(&tiles);
        }
    }
    if (status != TSL_OK) {
        fprintf(stderr, "tiles: %s\n", tsl_last_error(w.context));
    }
    return status == TSL_OK ? 0 : 3;
}
