#include "blocks/csr/sparse.h"

#include "blocks/csr/tiles.h"
#include "core/context.h"
#include "device/device.h"

tsl_status tsl_sparse_create(tsl_sparse **out, tsl_context *context, const tsl_csr *matrix)
{
    const tsl_sparse_ops *ops = context->ops->sparse;
    if (ops->create_tiles == NULL) {
        return ops->create(out, context, matrix);
    }
    tsl_device_properties properties;
    tsl_status status = tsl_device_read_properties(context, &properties);
    if (status != TSL_OK) {
        return status;
    }
    const int most = tsl_tiles_columns(matrix, properties.shared);
    if (!tsl_tiles_suit(matrix, most)) {
        return ops->create(out, context, matrix);
    }
    tsl_tiles tiles;
    status = tsl_tiles_make(&tiles, context, matrix, most, false);
    if (status == TSL_OK) {
        status = tsl_tiles_create(out, context, &tiles, &properties);
        tsl_tiles_free(&tiles);
    }
    return status;
}
