/* zlib, with its memory from the library's own functions. */
#ifndef TSL_IO_INFLATING_H
#define TSL_IO_INFLATING_H

#include "core/config.h"

#ifdef TSL_HAVE_ZLIB

#define ZLIB_CONST
#include <zlib.h>

#include "core/core.h"

static inline voidpf tsl_zlib_allocate(voidpf opaque, uInt count, uInt bytes)
{
    (void)opaque;
    return tsl_allocate_zeroed(count, bytes);
}

static inline void tsl_zlib_release(voidpf opaque, voidpf memory)
{
    (void)opaque;
    tsl_release(memory);
}

/* A stream, to be given to inflateInit2(). */
static inline z_stream tsl_inflating(void)
{
    return (z_stream){.zalloc = tsl_zlib_allocate, .zfree = tsl_zlib_release};
}

#endif

#endif
