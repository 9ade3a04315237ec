#include "io/reading.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void keep_message(void *user, tsl_message_kind kind, const char *line)
{
    reading *r = user;
    assert_int_equal(kind, TSL_MESSAGE_WARNING);
    assert_null(strchr(line, '\n'));
    r->warnings++;
    snprintf(r->warning, sizeof r->warning, "%s", line);
}

int reading_setup(void **state)
{
    reading *r = calloc(1, sizeof *r);
    if (r == NULL) {
        return -1;
    }
    r->context.message = keep_message;
    r->context.user = r;
    r->live = tsl_test_live_allocations();
    *state = r;
    return 0;
}

int reading_teardown(void **state)
{
    reading *r = *state;
    const int64_t leaked = tsl_test_live_allocations() - r->live;
    free(r);
    if (leaked != 0) {
        print_error("%lld allocations leaked\n", (long long)leaked);
    }
    return leaked == 0 ? 0 : -1;
}

tsl_molecule *reading_parse_with(reading *r, const char *text, const char *chains,
                                 tsl_hetero hetero)
{
    tsl_molecule_options options = TSL_MOLECULE_OPTIONS_INIT;
    options.chains = chains;
    options.hetero = hetero;
    tsl_molecule *molecule = NULL;
    const tsl_status status =
        tsl_molecule_parse(&molecule, &r->context, "test", text, strlen(text), &options);
    if (status != TSL_OK) {
        print_error("%s: %s\n", tsl_status_name(status), r->context.error);
    }
    assert_int_equal(status, TSL_OK);
    assert_non_null(molecule);
    return molecule;
}

tsl_molecule *reading_parse(reading *r, const char *text)
{
    return reading_parse_with(r, text, NULL, TSL_HETERO_DROP);
}

void reading_fails(reading *r, const char *text, const char *chains, tsl_status status,
                   const char *part)
{
    tsl_molecule_options options = TSL_MOLECULE_OPTIONS_INIT;
    options.chains = chains;
    tsl_molecule *molecule = NULL;
    const tsl_status got =
        tsl_molecule_parse(&molecule, &r->context, "test", text, strlen(text), &options);
    if (got != status || strstr(r->context.error, part) == NULL) {
        print_error("%s: '%s' where '%s' was expected\n", tsl_status_name(got), r->context.error,
                    part);
    }
    assert_int_equal(got, status);
    assert_null(molecule);
    assert_non_null(strstr(r->context.error, part));
    assert_null(strchr(r->context.error, '\n'));
}

const char *reading_names(const tsl_molecule *molecule)
{
    static char names[1 << 14];
    size_t used = 0;
    names[0] = '\0';
    for (int64_t i = 0; i < molecule->count && used < sizeof names - 64; i++) {
        const tsl_atom *atom = &molecule->atoms[i];
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s/%d%.1s/%s",
                                 i > 0 ? " " : "", atom->chain, (int)atom->number,
                                 atom->insertion != ' ' ? &atom->insertion : "", atom->name);
    }
    return names;
}

void reading_assert_equal(const tsl_molecule *a, const tsl_molecule *b)
{
    assert_int_equal(a->count, b->count);
    assert_int_equal(a->residues, b->residues);
    assert_int_equal(a->uncharged_residues, b->uncharged_residues);
    for (int64_t i = 0; i < a->count; i++) {
        const tsl_atom *p = &a->atoms[i];
        const tsl_atom *q = &b->atoms[i];
        assert_string_equal(p->name, q->name);
        assert_string_equal(p->residue, q->residue);
        assert_string_equal(p->parent, q->parent);
        assert_string_equal(p->chain, q->chain);
        assert_string_equal(p->element, q->element);
        assert_int_equal(p->insertion, q->insertion);
        assert_int_equal(p->hetero, q->hetero);
        assert_int_equal(p->number, q->number);
        assert_int_equal(p->serial, q->serial);
        assert_int_equal(p->residue_index, q->residue_index);
        assert_true(!(p->occupancy < q->occupancy) && !(p->occupancy > q->occupancy));
        assert_true(!(p->temperature < q->temperature) && !(p->temperature > q->temperature));
    }
    const size_t count = (size_t)a->count;
    assert_memory_equal(a->positions, b->positions, 3 * count * sizeof(double));
    assert_memory_equal(a->charges, b->charges, count * sizeof(double));
}

static char folder[64];
static char written[16][96];
static int written_count;

const char *reading_scratch(const char *name)
{
    if (folder[0] == '\0') {
        strcpy(folder, "/tmp/tesela-test-XXXXXX");
        assert_non_null(mkdtemp(folder));
    }
    static char path[96];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

const char *reading_write(const char *name, const void *data, size_t size)
{
    const char *path = reading_scratch(name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    int i = 0;
    while (i < written_count && strcmp(written[i], path) != 0) {
        i++;
    }
    if (i == written_count) {
        assert_true(written_count < 16);
        strcpy(written[written_count++], path);
    }
    return path;
}

int reading_remove_scratch(void **state)
{
    (void)state;
    while (written_count > 0) {
        unlink(written[--written_count]);
    }
    const bool failed = folder[0] != '\0' && rmdir(folder) != 0;
    folder[0] = '\0';
    return failed ? -1 : 0;
}
