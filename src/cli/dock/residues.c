/* Residues named on the command line: those to be blocked, and those that have to be near each
 * other. A list is CHAIN:NUMBER, CHAIN:FIRST-LAST or CHAIN:*, with commas between; "_" is the blank
 * chain. */
#include <stdlib.h>
#include <string.h>

#include "cli/dock/command.h"
#include "io/molecule/molecule.h"

/* An item of a list. */
typedef struct item {
    char chain[8];
    long first, last;
} item;

/* The item at *text, which goes on behind its comma; false if it is none. */
static bool read_item(const char **text, item *out)
{
    const char *at = *text;
    const size_t chain = strcspn(at, ":,");
    if (at[chain] != ':' || chain == 0 || chain >= sizeof out->chain) {
        return false;
    }
    memcpy(out->chain, at, chain);
    out->chain[chain] = '\0';
    if (strcmp(out->chain, "_") == 0) {
        out->chain[0] = '\0';
    }
    at += chain + 1;
    char *end;
    if (*at == '*') {
        out->first = INT32_MIN;
        out->last = INT32_MAX;
        end = (char *)at + 1;
    } else {
        out->first = out->last = strtol(at, &end, 10);
        if (end == at) {
            return false;
        }
        if (*end == '-') {
            at = end + 1;
            out->last = strtol(at, &end, 10);
            if (end == at || out->last < out->first) {
                return false;
            }
        }
    }
    *text = *end == ',' ? end + 1 : end;
    return *end == '\0' || (*end == ',' && end[1] != '\0');
}

bool dock_residues_valid(const char *list)
{
    item one;
    bool valid = *list != '\0';
    while (valid && *list != '\0') {
        valid = read_item(&list, &one);
    }
    return valid;
}

/* Set marks[i] of the atoms of one item; how many there are. */
static int64_t mark_item(const tsl_molecule *molecule, const item *one, uint8_t *marks)
{
    int64_t count = 0;
    for (int64_t i = 0; i < molecule->count; i++) {
        const tsl_atom *atom = &molecule->atoms[i];
        if (strcmp(atom->chain, one->chain) == 0 && atom->number >= one->first &&
            atom->number <= one->last) {
            marks[i] = 1;
            count++;
        }
    }
    return count;
}

tsl_status dock_residues_mark(uint8_t **out, tsl_context *context, const char *option,
                              const char *list, const dock_input *input)
{
    const tsl_molecule *molecule = input->molecule;
    uint8_t *marks = tsl_allocate_zeroed((size_t)molecule->count, 1);
    *out = marks;
    if (marks == NULL) {
        return tsl_fail_memory(context, molecule->count, "marks of residues");
    }
    while (*list != '\0') {
        const char *begin = list;
        item one;
        if (!read_item(&list, &one) || mark_item(molecule, &one, marks) == 0) {
            const int length = (int)strcspn(begin, ",");
            return tsl_fail(context, TSL_E_ARG,
                            "%s: %s has no residue %.*s: give chains and numbers as the file has "
                            "them",
                            option, input->path, length, begin);
        }
    }
    return TSL_OK;
}

/* ---- restraints --------------------------------------------------------------------------- */

bool dock_restraint_parse(dock_restraint *out, const char *text)
{
    static const char word[] = " within ";
    const char *within = strstr(text, word);
    if (within == NULL || (size_t)(within - text) >= sizeof out->residues[0]) {
        return false;
    }
    memcpy(out->residues[0], text, (size_t)(within - text));
    out->residues[0][within - text] = '\0';
    char *end;
    out->distance = strtod(within + strlen(word), &end);
    if (!(out->distance > 0 && out->distance <= 100) || strncmp(end, " of ", 4) != 0 ||
        strlen(end + 4) >= sizeof out->residues[1]) {
        return false;
    }
    strcpy(out->residues[1], end + 4);
    return dock_residues_valid(out->residues[0]) && dock_residues_valid(out->residues[1]);
}

/* Positions of a molecule's marked atoms; NULL: no memory. */
static double *marked_positions(const tsl_molecule *molecule, const uint8_t *marks, int64_t *count)
{
    double *positions = tsl_allocate((size_t)molecule->count * 3 * sizeof *positions);
    *count = 0;
    for (int64_t i = 0; i < molecule->count && positions != NULL; i++) {
        if (marks[i] != 0) {
            memcpy(positions + 3 * (*count)++, molecule->positions + 3 * i, 3 * sizeof *positions);
        }
    }
    return positions;
}

tsl_status dock_restraint_aim(dock_restraint *r, tsl_context *context, const dock_input *receptor,
                              const dock_input *ligand)
{
    const dock_input *const inputs[2] = {receptor, ligand};
    for (int role = 0; role < 2; role++) {
        uint8_t *marks = NULL;
        tsl_status status =
            dock_residues_mark(&marks, context, "--restrain", r->residues[role], inputs[role]);
        tsl_release(r->positions[role]);
        r->positions[role] = NULL;
        if (status == TSL_OK) {
            r->positions[role] = marked_positions(inputs[role]->molecule, marks, &r->count[role]);
            status = r->positions[role] != NULL
                         ? TSL_OK
                         : tsl_fail_memory(context, inputs[role]->molecule->count * 24,
                                           "the restraint's atoms");
        }
        tsl_release(marks);
        if (status != TSL_OK) {
            return status;
        }
    }
    return TSL_OK;
}

void dock_restraint_free(dock_restraint *r)
{
    tsl_release(r->positions[0]);
    tsl_release(r->positions[1]);
    r->positions[0] = r->positions[1] = NULL;
}

int dock_restraint_allows(void *user, const double motion[3][4])
{
    const dock_restraint *r = user;
    const double square = r->distance * r->distance;
    for (int64_t j = 0; j < r->count[1]; j++) {
        const double *from = r->positions[1] + 3 * j;
        double at[3];
        for (int axis = 0; axis < 3; axis++) {
            at[axis] = motion[axis][0] * from[0] + motion[axis][1] * from[1] +
                       motion[axis][2] * from[2] + motion[axis][3];
        }
        for (int64_t i = 0; i < r->count[0]; i++) {
            const double *to = r->positions[0] + 3 * i;
            const double x = at[0] - to[0], y = at[1] - to[1], z = at[2] - to[2];
            if (x * x + y * y + z * z <= square) {
                return 1;
            }
        }
    }
    return 0;
}
