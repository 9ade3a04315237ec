/* The folder of results. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/dock/command.h"
#include "io/file/output.h"
#include "io/file/text.h"

const char *dock_path(char path[DOCK_PATH], const char *folder, const char *name)
{
    const size_t length = strlen(folder);
    const char *slash = length > 0 && folder[length - 1] == '/' ? "" : "/";
    if (snprintf(path, DOCK_PATH, "%s%s%s", folder, slash, name) >= DOCK_PATH) {
        path[0] = '\0'; /* an empty path names nothing */
    }
    return path;
}

/* ---- what earlier runs left --------------------------------------------------------------- */

/* ".tesela-PID-NUMBER.tmp": an output file of a process that was killed. */
static bool is_temporary(const char *name)
{
    const size_t length = strlen(name);
    return strncmp(name, ".tesela-", 8) == 0 && length > 12 &&
           strcmp(name + length - 4, ".tmp") == 0;
}

/* Number of "complex.NUMBER.pdb", or 0 for any other name. */
static long complex_number(const char *name)
{
    char *end;
    if (strncmp(name, "complex.", 8) != 0 || name[8] < '0' || name[8] > '9') {
        return 0;
    }
    const long number = strtol(name + 8, &end, 10);
    return strcmp(end, ".pdb") == 0 ? number : 0;
}

/* Remove temporary files, and complexes with a number above `complexes`. */
static void clean(const char *folder, int64_t complexes)
{
    DIR *entries = opendir(folder);
    if (entries == NULL) {
        return;
    }
    for (const struct dirent *entry; (entry = readdir(entries)) != NULL;) {
        if (is_temporary(entry->d_name) || complex_number(entry->d_name) > complexes) {
            unlinkat(dirfd(entries), entry->d_name, 0);
        }
    }
    closedir(entries);
}

/* ---- writing ------------------------------------------------------------------------------ */

static tsl_status check_signal(tsl_context *context)
{
    return cli_signal() == 0
               ? TSL_OK
               : tsl_fail(context, TSL_E_CANCELLED,
                          "interrupted while the results were written: the same command with "
                          "--resume finishes them");
}

static tsl_status write_complexes(dock_work *work, dock_pair *pair, const char *folder)
{
    char path[DOCK_PATH];
    char name[32];
    double motion[3][4];
    const tsl_pose_list *list = &pair->list;
    const int64_t count = work->options->poses < list->count ? work->options->poses : list->count;
    tsl_status status = count > 0 ? tsl_make_folder(work->context, folder) : TSL_OK;
    for (int64_t i = 0; i < count && status == TSL_OK; i++) {
        snprintf(name, sizeof name, "complex.%04lld.pdb", (long long)i + 1);
        tsl_pose_motion(work->plan, &list->poses[i], motion);
        status = check_signal(work->context);
        if (status == TSL_OK) {
            status = tsl_complex_write(work->context, dock_path(path, folder, name), &list->head,
                                       pair->receptor->molecule, pair->ligand->molecule,
                                       (const double(*)[4])motion, i + 1, &list->poses[i]);
        }
        pair->complexes += status == TSL_OK;
    }
    clean(folder, count);
    if (count == 0) {
        rmdir(folder); /* stays if it holds anything else */
    }
    return status;
}

static tsl_status write_figure(dock_work *work, dock_pair *pair)
{
    static bool said;
    char path[DOCK_PATH];
    dock_path(path, pair->folder, "figure.svg");
    tsl_status status = tsl_dock_figure(work->context, path, &pair->list, pair->receptor->molecule,
                                        pair->ligand->molecule, work->plan);
    pair->figure = status == TSL_OK;
    if (status == TSL_E_UNSUPPORTED) {
        unlink(path); /* a figure of an earlier run */
        if (!said) {
            cli_note("figure.svg is left out: this build has no Cairo (see tesela info)");
        }
        said = true;
        status = TSL_OK;
    }
    return status;
}

tsl_status dock_files_write(dock_work *work, dock_pair *pair)
{
    char path[DOCK_PATH];
    tsl_status status = check_signal(work->context);
    if (status != TSL_OK) {
        return status;
    }
    if (pair->list.count == 0) {
        cli_warning("no pose qualifies: the list is empty");
    }
    unlink(dock_path(path, pair->folder, "run.json")); /* from here on the old run is not whole */
    clean(pair->folder, INT64_MAX);
    TSL_TRY(tsl_ftdock_write(work->context, dock_path(path, pair->folder, "ftdock_global.dat"),
                             &pair->list, pair->lowest_energy));
    TSL_TRY(tsl_zdock_write(work->context, dock_path(path, pair->folder, "zdock.out"), &pair->list,
                            &pair->summary));
    TSL_TRY(write_complexes(work, pair, dock_path(path, pair->folder, "poses")));
    TSL_TRY(check_signal(work->context));
    TSL_TRY(write_figure(work, pair));
done:
    return status;
}

static bool read_report(tsl_text *text, dock_work *work, const dock_pair *pair)
{
    char path[DOCK_PATH];
    dock_path(path, pair->folder, "run.json");
    return access(path, R_OK) == 0 &&
           tsl_text_read(text, work->context, path, TSL_TEXT_LIMIT) == TSL_OK;
}

bool dock_files_complete(dock_work *work, const dock_pair *pair)
{
    tsl_text text;
    if (!read_report(&text, work, pair)) {
        return false;
    }
    const bool complete =
        memmem(text.data, text.size, pair->output_digest, strlen(pair->output_digest)) != NULL;
    tsl_text_release(&text);
    return complete;
}

bool dock_files_of_other_search(dock_work *work, const dock_pair *pair)
{
    static const char key[] = "\"search_digest\": \""; /* no text has it: quotes are escaped */
    const size_t length = strlen(pair->search_digest);
    tsl_text text;
    if (!read_report(&text, work, pair)) {
        return false;
    }
    const char *digest = memmem(text.data, text.size, key, strlen(key));
    digest = digest != NULL ? digest + strlen(key) : text.data + text.size;
    const bool other = (size_t)(text.data + text.size - digest) > length && digest[length] == '"' &&
                       strspn(digest, "0123456789abcdef") == length &&
                       memcmp(digest, pair->search_digest, length) != 0;
    tsl_text_release(&text);
    return other;
}

tsl_status dock_files_copy_report(dock_work *work, const dock_pair *pair, const char *path)
{
    char source[DOCK_PATH];
    tsl_text text;
    tsl_output *output;
    tsl_status status = tsl_text_read(&text, work->context,
                                      dock_path(source, pair->folder, "run.json"), TSL_TEXT_LIMIT);
    if (status != TSL_OK) {
        return status;
    }
    status = tsl_output_open(&output, work->context, path);
    if (status == TSL_OK) {
        fwrite(text.data, 1, text.size, tsl_output_stream(output));
        status = tsl_output_commit(output);
    }
    tsl_text_release(&text);
    return status;
}
