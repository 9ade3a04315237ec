/* Members of zip archives: what .npz files need of PKWARE's APPNOTE 6.3, ZIP64 included. */
#ifndef TSL_IO_ZIP_H
#define TSL_IO_ZIP_H

#include "io/file/source.h"

typedef struct tsl_zip {
    const tsl_source *source;
    char *directory; /* the central one */
    int64_t bytes;   /* of the directory */
} tsl_zip;

/* Read the directory. The source is borrowed. TSL_E_IO, TSL_E_FORMAT, TSL_E_NOMEM. Close with
 * tsl_zip_close(). */
tsl_status tsl_zip_open(tsl_zip *out, tsl_context *context, const tsl_source *source);
void tsl_zip_close(tsl_zip *zip);

/* Gives the name, cut to its first 63 bytes, of the member whose entry is at *at in the directory,
 * and moves *at to the next entry; the first is at 0. False after the last. */
enum { TSL_ZIP_NAME = 64 };
bool tsl_zip_next(const tsl_zip *zip, int64_t *at, char name[TSL_ZIP_NAME]);

/* Read a member, stored or deflated, and check its CRC-32. TSL_E_FORMAT if it is not there or
 * damaged; TSL_E_UNSUPPORTED if it is encrypted or packed in another way, or deflated where the
 * build has no zlib; TSL_E_IO, TSL_E_NOMEM. Release with tsl_text_release(). */
tsl_status tsl_zip_read(tsl_text *out, tsl_context *context, const tsl_zip *zip, const char *name);

#endif
