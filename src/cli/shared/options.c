/* Values of options: numbers, paths; and the options every command has. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/shared/cli.h"
#include "core/config.h"
#include "core/context.h"
#include "io/file/output.h"
#include "io/file/sha256.h"
#include "io/file/text.h"
#include "io/report/figure.h"

/* ---- numbers ------------------------------------------------------------------------------ */

bool cli_parse_integer(const char *text, int *out)
{
    int32_t value;
    const bool valid = tsl_parse_integer(text, strlen(text), &value);
    if (valid) {
        *out = value;
    }
    return valid;
}

bool cli_parse_real(const char *text, double *out)
{
    double value;
    if (!tsl_parse_decimal(text, strlen(text), &value) ||
        (value == 0 && text[strcspn(text, "123456789eE")] >= '1' &&
         text[strcspn(text, "123456789eE")] <= '9')) { /* too small for any but 0 */
        return false;
    }
    *out = value;
    return true;
}

bool cli_parse_bytes(const char *text, int64_t *out)
{
    static const char suffixes[] = "KMGT";
    size_t length = strlen(text);
    double value = 0;
    int power = 0;
    if (length > 3 && strcmp(text + length - 2, "iB") == 0) { /* 4GiB is 4G */
        length -= 2;
    }
    for (int i = 0; i < 4 && length > 0; i++) {
        if (text[length - 1] == suffixes[i] || text[length - 1] == suffixes[i] + 'a' - 'A') {
            power = i + 1;
        }
    }
    if (!tsl_parse_decimal(text, length - (power > 0), &value)) {
        return false;
    }
    value *= ldexp(1, 10 * power);
    if (!(value >= 1 && value < 9e18)) {
        return false;
    }
    *out = (int64_t)value;
    return true;
}

/* ---- values -------------------------------------------------------------------------------- */

error_t cli_set_integer(const char *option, const char *text, int low, int high, int *out)
{
    if (!cli_parse_integer(text, out) || *out < low || *out > high) {
        cli_error("%s '%s': give a whole number from %d to %d", option, text, low, high);
        return EINVAL;
    }
    return 0;
}

error_t cli_set_bytes(const char *option, const char *text, const char *example, int64_t *out)
{
    if (!cli_parse_bytes(text, out)) {
        cli_error("%s '%s': give a number of bytes, with K, M, G or T if you like: %s", option,
                  text, example);
        return EINVAL;
    }
    return 0;
}

bool cli_find(const char *word, const char *const names[], int *out)
{
    int i = 0;
    while (names[i] != NULL && strcmp(word, names[i]) != 0) {
        i++;
    }
    *out = names[i] != NULL ? i : *out;
    return names[i] != NULL;
}

error_t cli_set_choice(const char *option, const char *text, const char *const names[], int *out)
{
    char all[256] = "";
    size_t length = 0;
    if (cli_find(text, names, out)) {
        return 0;
    }
    for (int i = 0; names[i] != NULL; i++) {
        const char *link = i == 0 ? "" : names[i + 1] != NULL ? ", " : " or ";
        if (length < sizeof all) {
            length += (size_t)snprintf(all + length, sizeof all - length, "%s%s", link, names[i]);
        }
    }
    const char *near = cli_nearest(text, names);
    cli_error("%s '%s': give %s%s%s%s", option, text, all, near != NULL ? "; did you mean " : "",
              near != NULL ? near : "", near != NULL ? "?" : "");
    return EINVAL;
}

/* ---- options every command has ------------------------------------------------------------ */

enum { KEY_THREADS = 0x200, KEY_PROFILE };

static const struct argp_option common_options[] = {
    {NULL, 0, NULL, 0, "Where and how it runs:", 90},
    {"device", 'd', "DEVICE", 0,
     "auto, cpu or cuda:0 (auto: a GPU if there is one; of comm: cpu); of dock, comm, npb, poisson "
     "and solve a list too, cuda:0-3 or cuda:0,cpu (auto: all GPUs, of npb, poisson and solve "
     "one); see tesela info",
     90},
    {"threads", KEY_THREADS, "COUNT", 0,
     "CPU threads, of several ranks each (all cores, shared out; or OMP_NUM_THREADS)", 90},
    {NULL, 0, NULL, 0, "What it reports:", 91},
    {"json", 'j', "FILE", 0, "write a report as JSON; - is standard output", 91},
    {"profile", KEY_PROFILE, NULL, 0, "print where the time went", 91},
    {"quiet", 'q', NULL, 0, "print errors only", 91},
    {"help", 'h', NULL, OPTION_HIDDEN, NULL, -1},
    {0}};

static error_t parse_common(int key, char *text, struct argp_state *state)
{
    cli_common *common = state->input;
    switch (key) {
    case 'd':
        common->device = text;
        return 0;
    case 'j':
        common->json = text;
        return 0;
    case KEY_THREADS:
        return cli_set_integer("--threads", text, 1, TSL_THREADS, &common->threads);
    case KEY_PROFILE:
        common->profile = true;
        return 0;
    case 'q':
        common->quiet = true;
        cli_be_quiet();
        return 0;
    case 'h':
        argp_state_help(state, stdout, ARGP_HELP_STD_HELP);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* ---- ranks that differ --------------------------------------------------------------------- */

/* Of commands' own options those that each rank may have its own of, as of those that every command
 * has: what is left over when a launch's command lines are compared. */
static const char *const own_of_a_rank[] = {"memory"};

enum { OWN_OF_A_RANK = sizeof own_of_a_rank / sizeof *own_of_a_rank };

void cli_list_rank_options(char *text, size_t bytes)
{
    const char *names[16];
    int count = 0;
    for (const struct argp_option *o = common_options; o->name != NULL || o->doc != NULL; o++) {
        if (o->name != NULL && (o->flags & OPTION_HIDDEN) == 0) {
            names[count++] = o->name;
        }
    }
    for (int i = 0; i < OWN_OF_A_RANK; i++) {
        names[count++] = own_of_a_rank[i];
    }
    size_t length = 0;
    for (int i = 0; i < count && length < bytes; i++) {
        const char *link = i == 0 ? "" : i + 1 < count ? ", " : " and ";
        length += (size_t)snprintf(text + length, bytes - length, "%s--%s", link, names[i]);
    }
}

/* Is this one of those of a parser's own? */
static bool is_of_a_rank(const struct argp *own, int key)
{
    const struct argp_option *o = own->options;
    for (; o != NULL && (o->name != NULL || o->doc != NULL); o++) {
        for (int i = 0; i < OWN_OF_A_RANK && o->name != NULL && o->key == key; i++) {
            if (strcmp(o->name, own_of_a_rank[i]) == 0) {
                return true;
            }
        }
    }
    return false;
}

/* ---- a command's arguments ---------------------------------------------------------------- */

/* Its own options and those every command has, as children of one parser without any. */
typedef struct whole_input {
    const struct argp *argp; /* its own, and what its parser gets */
    void *own;
    cli_common *common;
    tsl_sha256 hash; /* of its own, but for those of a rank */
} whole_input;

static error_t parse_own(int key, char *text, struct argp_state *state)
{
    enum { SPECIAL = 0x1000000 }; /* argp's keys for what is no argument */
    whole_input *input = state->input;
    if (key >= 0 && key < SPECIAL && !is_of_a_rank(input->argp, key)) {
        tsl_sha256_add(&input->hash, &key, sizeof key);
        tsl_sha256_add(&input->hash, text != NULL ? text : "", text != NULL ? strlen(text) + 1 : 1);
    }
    state->input = input->own;
    return input->argp->parser(key, text, state);
}

static error_t parse_whole(int key, char *text, struct argp_state *state)
{
    (void)text;
    whole_input *input = state->input;
    if (key != ARGP_KEY_INIT) {
        return ARGP_ERR_UNKNOWN;
    }
    state->child_inputs[0] = input;
    if (input->common != NULL) {
        state->child_inputs[1] = input->common;
    }
    return 0;
}

bool cli_parse(const struct argp *own, void *input, cli_common *common, int argc, char **argv,
               int *exit_status)
{
    static const struct argp common_argp = {.options = common_options, .parser = parse_common};
    const struct argp options = {.options = own->options, .parser = parse_own};
    const struct argp_child children[] = {
        {.argp = &options}, {.argp = common != NULL ? &common_argp : NULL}, {0}};
    const struct argp whole = {
        .parser = parse_whole, .args_doc = own->args_doc, .doc = own->doc, .children = children};
    whole_input inputs = {.argp = own, .own = input, .common = common};
    static char version[32];
    snprintf(version, sizeof version, "tesela %s", tsl_version());
    argp_program_version = version;
    argp_err_exit_status = CLI_USAGE;
    /* The note explains GNU's conventions; at its own margin glibc breaks lines in odd places. */
    setenv("ARGP_HELP_FMT", "no-dup-args-note,rmargin=100", 0);
    if (common != NULL && common->device == NULL) {
        common->device = "auto";
    }
    *exit_status = CLI_USAGE;
    tsl_sha256_begin(&inputs.hash);
    tsl_sha256_add(&inputs.hash, argv[0], strlen(argv[0]) + 1);
    if (!cli_check_arguments(&whole, argc, argv) ||
        argp_parse(&whole, argc, argv, 0, NULL, &inputs) != 0) {
        return false;
    }
    if (common != NULL) {
        tsl_sha256_end(&inputs.hash, common->command);
    }
    return common == NULL || cli_can_write_report(common->json);
}

/* ---- paths -------------------------------------------------------------------------------- */

/* Cut `path` back to its parent: "a/b" to "a", "a" to ".", "/a" to "/". False at the top. */
static bool to_parent(char *path)
{
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/') {
        path[--length] = '\0';
    }
    if (strcmp(path, "/") == 0 || strcmp(path, ".") == 0) {
        return false;
    }
    char *slash = strrchr(path, '/');
    if (slash == NULL) {
        strcpy(path, ".");
    } else {
        slash[slash == path] = '\0';
    }
    return true;
}

static bool is_writable_folder(const char *option, const char *path, const char *folder)
{
    struct stat about;
    if (stat(folder, &about) != 0) {
        cli_error("%s %s: %s: %s%s", option, path, folder, strerror(errno),
                  errno == ENOENT ? ": make that folder first" : "");
    } else if (!S_ISDIR(about.st_mode)) {
        cli_error("%s %s: %s is a file, not a folder: choose another place", option, path, folder);
    } else if (access(folder, W_OK | X_OK) != 0) {
        cli_error("%s %s: cannot write in %s: %s: choose another place", option, path, folder,
                  strerror(errno));
    } else {
        return true;
    }
    return false;
}

/* Is what was to be a folder a link to nothing? Then no folder can be made there. */
static bool leads_nowhere(const char *option, const char *path, const char *folder)
{
    struct stat about;
    const int reason = errno;
    const bool is_link = lstat(folder, &about) == 0 && S_ISLNK(about.st_mode);
    errno = reason;
    if (is_link) {
        cli_error("%s %s: %s is a link to a folder that is not there: make that folder, or choose "
                  "another path",
                  option, path, folder);
    }
    return is_link;
}

bool cli_can_write(const char *option, const char *path, bool folder)
{
    char parent[PATH_MAX];
    struct stat about;
    if (*path == '\0' || strlen(path) >= sizeof parent) {
        cli_error("%s: %s", option, *path == '\0' ? "the name is empty" : "the name is too long");
        return false;
    }
    const int descriptor = folder ? -1 : tsl_output_descriptor(path);
    if (descriptor >= 0) {
        const int mode = fcntl(descriptor, F_GETFL);
        if (mode < 0 || (mode & O_ACCMODE) == O_RDONLY) {
            cli_error("%s %s: is not open for writing: name a file", option, path);
            return false;
        }
        return true;
    }
    strcpy(parent, path);
    const bool exists = stat(path, &about) == 0;
    if (folder) {
        bool found = exists;
        if (!exists && leads_nowhere(option, path, parent)) {
            return false;
        }
        while (!found && (errno == ENOENT || errno == ENOTDIR) && to_parent(parent)) {
            found = stat(parent, &about) == 0;
            if (!found && leads_nowhere(option, path, parent)) {
                return false;
            }
        }
        return is_writable_folder(option, path, parent);
    }
    if (exists && S_ISDIR(about.st_mode)) {
        cli_error("%s %s: is a folder: give the name of a file", option, path);
        return false;
    }
    if (exists && !S_ISREG(about.st_mode)) { /* a terminal, a pipe, /dev/null */
        return true;
    }
    if (!tsl_output_follow(parent, path)) {
        cli_error("%s %s: %s: choose another path", option, path, strerror(errno));
        return false;
    }
    if (!exists && tsl_output_among_devices(parent)) {
        cli_error("%s %s: there is no such device: choose another path", option, path);
        return false;
    }
    return to_parent(parent) && is_writable_folder(option, path, parent);
}

/* The last name of a path. */
static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

bool cli_same_file(const char *path, const char *other)
{
    struct stat one;
    struct stat two;
    const bool is_there = stat(path, &one) == 0;
    if (is_there != (stat(other, &two) == 0)) {
        return false;
    }
    if (!is_there) { /* one name in one folder? */
        char folder[PATH_MAX];
        char other_folder[PATH_MAX];
        if (!tsl_output_follow(folder, path) || !tsl_output_follow(other_folder, other) ||
            strcmp(name_of(folder), name_of(other_folder)) != 0 || !to_parent(folder) ||
            !to_parent(other_folder) || stat(folder, &one) != 0 || stat(other_folder, &two) != 0) {
            return false;
        }
    }
    return one.st_dev == two.st_dev && one.st_ino == two.st_ino &&
           (!is_there || S_ISREG(one.st_mode));
}

/* Is it right that both are on the command line? */
static bool is_apart(const cli_file *file, const cli_file *other)
{
    if (file->path == NULL || other->path == NULL ||
        (file->option == NULL && other->option == NULL) ||
        !cli_same_file(file->path, other->path)) {
        return true;
    }
    if (file->option == NULL || other->option == NULL) {
        const cli_file *written = file->option != NULL ? file : other;
        cli_error("%s %s: is a file that is read, which it would replace: choose another name",
                  written->option, written->path);
    } else {
        cli_error("%s %s: is the file of %s too: choose another name", other->option, other->path,
                  file->option);
    }
    return false;
}

bool cli_are_apart(const cli_file *files, size_t count, const char *json)
{
    const cli_file report = {"--json", json != NULL ? cli_report_file(json) : NULL};
    for (size_t i = 0; i < count; i++) {
        for (size_t j = i + 1; j < count; j++) {
            if (!is_apart(&files[i], &files[j])) {
                return false;
            }
        }
        if (!is_apart(&files[i], &report)) {
            return false;
        }
    }
    return true;
}

bool cli_can_write_figure(const char *option, const char *path)
{
    if (path != NULL && !tsl_figure_knows(path)) {
        cli_error("%s %s: give a name that ends in .svg, .png or .pdf", option, path);
        return false;
    }
#ifndef TSL_HAVE_CAIRO
    if (path != NULL) {
        cli_error("%s %s: this build has no Cairo: see tesela info", option, path);
        return false;
    }
#endif
    return path == NULL || cli_can_write(option, path, false);
}
