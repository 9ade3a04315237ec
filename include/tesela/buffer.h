/** @file buffer.h
 *  Memory on a context's device, and copies to and from the host.
 */
#ifndef TESELA_BUFFER_H
#define TESELA_BUFFER_H

#include <stdint.h>

#include "tesela/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A contiguous piece of device memory. On `cpu` it is ordinary memory. */
typedef struct tsl_buffer tsl_buffer;

/** Allocate `bytes` bytes of device memory, aligned to 64 bytes. The contents are undefined.
 *
 *  @param[out] out    the new buffer, owned by the caller: tsl_buffer_destroy()
 *  @param[in]  bytes  > 0
 *  @return TSL_OK; TSL_E_ARG if bytes <= 0; TSL_E_NOMEM if memory is exhausted: the error line
 *          gives the size requested.
 */
TSL_API tsl_status tsl_buffer_create(tsl_buffer **out, tsl_context *context, int64_t bytes);

/** Make a buffer of memory that the caller owns. The memory must be on the context's device and
 *  must outlive the buffer. tsl_buffer_destroy() does not free it.
 *  @param[in] data   device address of the first byte
 *  @param[in] bytes  size of the memory, > 0
 *  @return TSL_OK; TSL_E_ARG if data is NULL or bytes <= 0; TSL_E_NOMEM. */
TSL_API tsl_status tsl_buffer_wrap(tsl_buffer **out, tsl_context *context, void *data,
                                   int64_t bytes);

/** Release a buffer. NULL is allowed. */
TSL_API void tsl_buffer_destroy(tsl_buffer *buffer);

/** Device address of the first byte; only the device may dereference it. */
TSL_API void *tsl_buffer_data(const tsl_buffer *buffer);

/** Size in bytes. */
TSL_API int64_t tsl_buffer_bytes(const tsl_buffer *buffer);

/** Copy host memory into a buffer. On return `source` may be reused.
 *  @param[in] offset  first byte of the buffer to write, >= 0
 *  @param[in] source  host memory, [bytes]
 *  @return TSL_OK; TSL_E_ARG if the range leaves the buffer; TSL_E_DEVICE if the copy fails. */
TSL_API tsl_status tsl_buffer_write(tsl_buffer *buffer, int64_t offset, const void *source,
                                    int64_t bytes);

/** Copy a buffer to host memory, after all work queued before on the context's stream. On return
 *  `target` is filled.
 *  @param[in]  offset  first byte of the buffer to read, >= 0
 *  @param[out] target  host memory, [bytes]
 *  @return TSL_OK; TSL_E_ARG if the range leaves the buffer; TSL_E_DEVICE if the copy, or work
 *          queued before, fails. */
TSL_API tsl_status tsl_buffer_read(const tsl_buffer *buffer, int64_t offset, void *target,
                                   int64_t bytes);

/** Set every byte of a buffer to `value`. Queued on the context's stream; on `cpu` done on return.
 *  @return TSL_OK; TSL_E_DEVICE. */
TSL_API tsl_status tsl_buffer_fill(tsl_buffer *buffer, unsigned char value);

#ifdef __cplusplus
}
#endif

#endif
