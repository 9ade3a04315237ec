#include "io/file/spool.h"

#include <string.h>
#include <sys/stat.h>

#include "io/file/sha256.h"

static const char standard[] = "-";

bool tsl_spool_is_needed(const char *path)
{
    struct stat about;
    return strcmp(path, standard) == 0 ||
           (stat(path, &about) == 0 && (S_ISFIFO(about.st_mode) || S_ISCHR(about.st_mode) ||
                                        S_ISSOCK(about.st_mode) || S_ISBLK(about.st_mode)));
}

/* What errors call the file. */
static const char *name_of(const tsl_spool *spool)
{
    return strcmp(spool->path, standard) == 0 ? "standard input" : spool->path;
}

tsl_status tsl_spool_open(tsl_spool *out, tsl_context *context, const char *path)
{
    tsl_input *input = NULL;
    *out = (tsl_spool){.path = path, .kept = tsl_spool_is_needed(path)};
    if (!out->kept) {
        return TSL_OK;
    }
    tsl_status status = tsl_input_open_as_is(&input, context, path);
    if (status == TSL_OK) {
        status = tsl_text_take_if(&out->bytes, input, TSL_TEXT_LIMIT, tsl_text_or_gzip);
        tsl_input_close(input);
    }
    return status;
}

void tsl_spool_close(tsl_spool *spool)
{
    tsl_text_release(&spool->bytes);
    *spool = (tsl_spool){.path = NULL};
}

tsl_status tsl_spool_input(tsl_input **out, tsl_context *context, const tsl_spool *spool)
{
    return spool->kept ? tsl_input_open_bytes(out, context, name_of(spool), spool->bytes.data,
                                              spool->bytes.size)
                       : tsl_input_open(out, context, spool->path);
}

tsl_status tsl_spool_digest(const tsl_spool *spool, tsl_context *context, char digest[65])
{
    tsl_sha256 hash;
    if (!spool->kept) {
        return tsl_sha256_file(context, spool->path, digest);
    }
    tsl_sha256_begin(&hash);
    tsl_sha256_add(&hash, spool->bytes.data, spool->bytes.size);
    tsl_sha256_end(&hash, digest);
    return TSL_OK;
}
