/* Residues named on the command line: those that are blocked, and those that have to be near each
 * other. A list holds CHAIN:NUMBER, CHAIN:FIRST-LAST or CHAIN:*, with commas between; "_" is the
 * blank chain. */
#include <stdlib.h>
#include <string.h>

#include "cli/dock/command.h"
#include "io/molecule/molecule.h"

/* An item of a list. */
typedef struct item {
    char chain[8];
    long first, last;
} item;

/* Read the item at *text and go on behind its comma; false if it is none. */
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

/* Set marks[i] of the atoms of one item. Returns their number. */
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

tsl_status dock_restraint_aim(dock_restraint *r, tsl_context *context, const dock_input *receptor,
                              const dock_input *ligand)
{
    const dock_input *const inputs[2] = {receptor, ligand};
    tsl_status status = TSL_OK;
    dock_restraint_free(r);
    for (int role = 0; role < 2 && status == TSL_OK; role++) {
        status = dock_residues_mark(&r->marks[role], context, "--restrain", r->residues[role],
                                    inputs[role]);
    }
    return status;
}

void dock_restraint_free(dock_restraint *r)
{
    tsl_release(r->marks[0]);
    tsl_release(r->marks[1]);
    r->marks[0] = r->marks[1] = NULL;
}
