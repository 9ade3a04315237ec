#include "tesela/buffer.h"

#include "device/device.h"

struct tsl_buffer {
    tsl_context *context;
    void *data;
    int64_t bytes;
    bool owned;
};

static tsl_status make(tsl_buffer **out, tsl_context *context, void *data, int64_t bytes,
                       bool owned)
{
    tsl_buffer *buffer = tsl_allocate(sizeof *buffer);
    if (buffer == NULL) {
        return tsl_fail_memory(context, sizeof *buffer, "a buffer's description");
    }
    *buffer = (tsl_buffer){.context = context, .data = data, .bytes = bytes, .owned = owned};
    *out = buffer;
    return TSL_OK;
}

tsl_status tsl_buffer_create(tsl_buffer **out, tsl_context *context, int64_t bytes)
{
    if (bytes <= 0) {
        return tsl_fail(context, TSL_E_ARG, "a buffer needs at least 1 byte, not %lld",
                        (long long)bytes);
    }
    void *data = NULL;
    tsl_status status = tsl_device_allocate(&data, context, bytes, "a buffer");
    if (status == TSL_OK) {
        status = make(out, context, data, bytes, true);
        if (status != TSL_OK) {
            tsl_device_release(context, data);
        }
    }
    return status;
}

tsl_status tsl_buffer_wrap(tsl_buffer **out, tsl_context *context, void *data, int64_t bytes)
{
    if (data == NULL || bytes <= 0) {
        return tsl_fail(context, TSL_E_ARG, "cannot wrap %s as a buffer",
                        data == NULL ? "a null pointer" : "less than 1 byte");
    }
    return make(out, context, data, bytes, false);
}

void tsl_buffer_destroy(tsl_buffer *buffer)
{
    if (buffer != NULL) {
        if (buffer->owned) {
            tsl_device_release(buffer->context, buffer->data);
        }
        tsl_release(buffer);
    }
}

void *tsl_buffer_data(const tsl_buffer *buffer)
{
    return buffer->data;
}

int64_t tsl_buffer_bytes(const tsl_buffer *buffer)
{
    return buffer->bytes;
}

static tsl_status check_range(const tsl_buffer *buffer, int64_t offset, int64_t bytes)
{
    if (offset < 0 || bytes < 0 || offset > buffer->bytes || bytes > buffer->bytes - offset) {
        return tsl_fail(buffer->context, TSL_E_ARG,
                        "bytes %lld … %lld lie outside a buffer of %lld bytes", (long long)offset,
                        (long long)offset + (long long)bytes, (long long)buffer->bytes);
    }
    return TSL_OK;
}

tsl_status tsl_buffer_write(tsl_buffer *buffer, int64_t offset, const void *source, int64_t bytes)
{
    const tsl_status status = check_range(buffer, offset, bytes);
    return status != TSL_OK ? status
                            : buffer->context->ops->upload(
                                  buffer->context, (char *)buffer->data + offset, source, bytes);
}

tsl_status tsl_buffer_read(const tsl_buffer *buffer, int64_t offset, void *target, int64_t bytes)
{
    const tsl_status status = check_range(buffer, offset, bytes);
    return status != TSL_OK
               ? status
               : buffer->context->ops->download(buffer->context, target,
                                                (const char *)buffer->data + offset, bytes);
}

tsl_status tsl_buffer_fill(tsl_buffer *buffer, unsigned char value)
{
    return buffer->context->ops->fill(buffer->context, buffer->data, value, buffer->bytes);
}
