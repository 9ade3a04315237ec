#include "io/file/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct tsl_output {
    tsl_context *context;
    FILE *stream;
    int file;
    int error;              /* of the first write that failed; a stream would forget it */
    char *path;             /* where the file belongs, links resolved */
    char *temporary;        /* where it is until then; NULL if written directly */
    _Atomic(char *) *place; /* its place in `listed`; NULL: none was free */
};

/* Temporary files of one process are told apart by this number, those of two processes by the
 * processes' numbers. */
static atomic_uint serial;

/* Paths of the temporary files of open outputs, for code that ends the process at once. It takes
 * the paths out of the list before it removes the files, so that nobody releases a path meanwhile.
 * Where there are more files than places, the others are not listed. */
static _Atomic(char *) listed[64];
_Static_assert(ATOMIC_POINTER_LOCK_FREE == 2, "a signal handler must not wait");

static void enlist(tsl_output *output)
{
    for (size_t i = 0; i < sizeof listed / sizeof *listed && output->place == NULL; i++) {
        char *none = NULL;
        if (atomic_compare_exchange_strong(&listed[i], &none, output->temporary)) {
            output->place = &listed[i];
        }
    }
}

/* Take the path out of the list. False if the code that ends the process has it: then it is not to
 * be touched any more. */
static bool delist(tsl_output *output)
{
    char *path = output->temporary;
    const bool own =
        output->place == NULL || atomic_compare_exchange_strong(output->place, &path, NULL);
    output->place = NULL;
    return own;
}

void tsl_output_remove_temporaries(void)
{
    for (size_t i = 0; i < sizeof listed / sizeof *listed; i++) {
        const char *path = atomic_exchange(&listed[i], NULL);
        if (path != NULL) {
            unlink(path); /* finds nothing where the file was renamed or is still to be made */
        }
    }
}

/* The remedy for a failure, which ends its error line. */
static const char *remedy(int error)
{
    switch (error) {
    case ENOENT:
        return "make the folder first";
    case ENOTDIR:
        return "a folder in that path is a file: choose another path";
    case EISDIR:
        return "name a file";
    case EACCES:
    case EPERM:
    case EROFS:
        return "choose a folder you may write to";
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
        return "free some space or choose another folder";
    case ENAMETOOLONG:
        return "choose a shorter name";
    case EBADF:
        return "it is not open for writing: name a file";
    default:
        return "choose another path";
    }
}

tsl_status tsl_output_fail(tsl_context *context, const char *path, int error)
{
    return tsl_fail(context, TSL_E_IO, "%s: cannot write: %s; %s", path, strerror(error),
                    remedy(error));
}

static void release(tsl_output *output)
{
    if (output != NULL) {
        tsl_release(output->path);
        if (delist(output)) {
            tsl_release(output->temporary);
        }
        tsl_release(output);
    }
}

/* The stream's function for writing. */
static ssize_t write_part(void *cookie, const char *data, size_t bytes)
{
    tsl_output *output = cookie;
    size_t written = 0;
    while (written < bytes && output->error == 0) {
        const ssize_t part = write(output->file, data + written, bytes - written);
        if (part > 0) {
            written += (size_t)part;
        } else if (part == 0 || errno != EINTR) {
            output->error = part == 0 ? EIO : errno;
        }
    }
    return output->error == 0 ? (ssize_t)bytes : 0;
}

/* Create a file beside output->path that nobody else has. open() rather than mkstemp(), so that the
 * permissions are those of an ordinary file without touching the process's mask. */
static int open_temporary(tsl_output *output)
{
    const char *slash = strrchr(output->path, '/');
    const int folder = slash != NULL ? (int)(slash - output->path) + 1 : 0;
    const size_t bytes = (size_t)folder + 48;
    output->temporary = tsl_allocate(bytes);
    if (output->temporary == NULL) {
        errno = ENOMEM;
        return -1;
    }
    for (int attempt = 0; attempt < 1000; attempt++) {
        snprintf(output->temporary, bytes, "%.*s.tesela-%ld-%u.tmp", folder, output->path,
                 (long)getpid(), atomic_fetch_add(&serial, 1));
        /* listed before it is made: a signal between the two would leave the file */
        enlist(output);
        const int file = open(output->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file >= 0 || errno != EEXIST) {
            return file;
        }
        if (!delist(output)) {
            output->temporary = NULL; /* the process is ending */
            break;
        }
    }
    return -1;
}

/* The descriptor is used as it is: a socket could not be opened again by its path, and a file would
 * be written from its beginning. */
int tsl_output_descriptor(const char *path)
{
    int number = -1, used = 0;
    if (strcmp(path, "/dev/stdout") == 0) {
        return STDOUT_FILENO;
    }
    if (strcmp(path, "/dev/stderr") == 0) {
        return STDERR_FILENO;
    }
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        const size_t length = strlen(folders[i]);
        if (strncmp(path, folders[i], length) == 0 &&
            sscanf(path + length, "%9d%n", &number, &used) == 1 &&
            path[length + (size_t)used] == 0) {
            return number;
        }
    }
    return -1;
}

bool tsl_output_follow(char out[PATH_MAX], const char *path)
{
    enum { MOST_LINKS = 40 };
    struct stat status;
    char target[PATH_MAX], next[PATH_MAX];
    if ((size_t)snprintf(out, PATH_MAX, "%s", path) >= PATH_MAX) {
        errno = ENAMETOOLONG;
        return false;
    }
    for (int i = 0; i < MOST_LINKS; i++) {
        if (lstat(out, &status) != 0 || !S_ISLNK(status.st_mode)) {
            return true;
        }
        const ssize_t length = readlink(out, target, sizeof target - 1);
        if (length < 0) {
            return false;
        }
        target[length] = 0;
        const char *slash = strrchr(out, '/');
        const int folder = target[0] != '/' && slash != NULL ? (int)(slash - out) + 1 : 0;
        if ((size_t)snprintf(next, sizeof next, "%.*s%s", folder, out, target) >= sizeof next) {
            errno = ENAMETOOLONG;
            return false;
        }
        memcpy(out, next, sizeof next);
    }
    errno = ELOOP;
    return false;
}

bool tsl_output_among_devices(const char *path)
{
    return strncmp(path, "/dev/", strlen("/dev/")) == 0 &&
           strncmp(path, "/dev/shm/", strlen("/dev/shm/")) != 0;
}

/* Open what `path` stands for: a device or pipe as it is, anything else by way of a temporary file.
 * A link is followed, so that it still is a link afterwards. Returns a descriptor, or -1 and errno.
 */
static int open_place(tsl_output *output, const char *path)
{
    struct stat status;
    char place[PATH_MAX];
    const int descriptor = tsl_output_descriptor(path);
    const bool exists = descriptor < 0 && stat(path, &status) == 0;
    if (exists && S_ISDIR(status.st_mode)) {
        errno = EISDIR;
        return -1;
    }
    /* rename() would find this out only at the end */
    if (descriptor < 0 && !exists && errno != ENOENT) {
        return -1;
    }
    const bool direct = descriptor >= 0 || (exists && !S_ISREG(status.st_mode));
    if (!direct && (exists ? realpath(path, place) == NULL : !tsl_output_follow(place, path))) {
        return -1;
    }
    if (!direct && !exists && tsl_output_among_devices(place)) {
        errno = ENODEV;
        return -1;
    }
    output->path = tsl_duplicate_string(direct ? path : place);
    if (output->path == NULL) {
        errno = ENOMEM;
        return -1;
    }
    return descriptor >= 0 ? fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
           : direct        ? open(path, O_WRONLY | O_APPEND | O_CLOEXEC)
                           : open_temporary(output);
}

tsl_status tsl_output_open(tsl_output **out, tsl_context *context, const char *path)
{
    tsl_output *output = tsl_allocate_zeroed(1, sizeof *output);
    if (output == NULL) {
        return tsl_fail_memory(context, (int64_t)sizeof *output, path);
    }
    output->context = context;
    output->file = open_place(output, path);
    if (output->file >= 0) {
        output->stream = fopencookie(output, "w", (cookie_io_functions_t){.write = write_part});
        if (output->stream != NULL) {
            *out = output;
            return TSL_OK;
        }
    }
    const int error = errno;
    if (output->file >= 0) {
        close(output->file);
        if (output->temporary != NULL) {
            unlink(output->temporary);
        }
    }
    release(output);
    return error == ENOMEM ? tsl_fail_memory(context, PATH_MAX, path)
                           : tsl_output_fail(context, path, error);
}

FILE *tsl_output_stream(tsl_output *output)
{
    return output->stream;
}

const char *tsl_output_temporary(const tsl_output *output)
{
    return output->temporary;
}

/* Hand everything to the disk and close. Returns 0, or the reason why something was not written. */
static int finish(tsl_output *output)
{
    if (fclose(output->stream) != 0 && output->error == 0) {
        output->error = errno;
    }
    /* Pipes and devices cannot be synced, which is no fault. */
    if (output->error == 0 && output->temporary != NULL && fsync(output->file) != 0 &&
        errno != EINVAL && errno != ENOSYS && errno != ENOTSUP) {
        output->error = errno;
    }
    if (close(output->file) != 0 && output->error == 0 && errno != EINTR) {
        output->error = errno;
    }
    return output->error;
}

tsl_status tsl_output_commit(tsl_output *output)
{
    int error = finish(output);
    if (error == 0 && output->temporary != NULL && rename(output->temporary, output->path) != 0) {
        error = errno;
    }
    tsl_status status = TSL_OK;
    if (error != 0) {
        if (output->temporary != NULL) {
            unlink(output->temporary);
        }
        status = tsl_output_fail(output->context, output->path, error);
    }
    release(output);
    return status;
}

void tsl_output_discard(tsl_output *output)
{
    if (output == NULL) {
        return;
    }
    fclose(output->stream);
    close(output->file);
    if (output->temporary != NULL) {
        unlink(output->temporary);
    }
    release(output);
}

void tsl_plain_name(char *out, size_t bytes, const char *name, bool blanks)
{
    const char *slash = strrchr(name, '/');
    const char *from = slash != NULL ? slash + 1 : name;
    size_t i = 0;
    for (; i + 1 < bytes && from[i] != 0; i++) {
        const unsigned char c = (unsigned char)from[i];
        const bool stumbles = c < ' ' || c == 127 || (c == ' ' && !blanks);
        out[i] = stumbles ? '_' : from[i];
    }
    out[i] = 0;
}

tsl_plain_numbers tsl_plain_numbers_enter(void)
{
    tsl_plain_numbers numbers = {.plain = newlocale(LC_ALL_MASK, "C", (locale_t)0)};
    /* The "C" locale is built in: getting it fails on no system that has it. */
    if (numbers.plain != (locale_t)0) {
        numbers.before = uselocale(numbers.plain);
    }
    return numbers;
}

void tsl_plain_numbers_leave(tsl_plain_numbers numbers)
{
    if (numbers.plain != (locale_t)0) {
        uselocale(numbers.before);
        freelocale(numbers.plain);
    }
}

static int make_one(const char *path)
{
    struct stat status;
    if (mkdir(path, 0777) == 0) {
        return 0;
    }
    const int error = errno;
    if (stat(path, &status) == 0) {
        return S_ISDIR(status.st_mode) ? 0 : ENOTDIR;
    }
    return error;
}

tsl_status tsl_make_folder(tsl_context *context, const char *path)
{
    char *copy = tsl_duplicate_string(path);
    if (copy == NULL) {
        return tsl_fail_memory(context, (int64_t)strlen(path) + 1, "the path of a folder");
    }
    int error = 0;
    for (char *p = copy; *p != 0 && error == 0; p++) {
        if (*p == '/' && p > copy && p[-1] != '/') {
            *p = 0;
            error = make_one(copy);
            *p = '/';
        }
    }
    if (error == 0) {
        error = make_one(copy);
    }
    tsl_release(copy);
    if (error == ENOTDIR) {
        return tsl_fail(context, TSL_E_IO, "%s: cannot make this folder: a file is in its place",
                        path);
    }
    return error == 0 ? TSL_OK
                      : tsl_fail(context, TSL_E_IO, "%s: cannot make this folder: %s; %s", path,
                                 strerror(error), remedy(error));
}
