/* Alternate locations: where a file gives an atom, or a whole residue, more than once, the one of
 * highest occupancy stays, and of equals the first. */
#include <stdlib.h>
#include <string.h>

#include "io/file/text.h"
#include "io/molecule/builder.h"

/* A set of alternate location characters. */
typedef struct letters {
    uint64_t bits[4];
} letters;

static void letters_add(letters *set, char letter)
{
    const unsigned char c = (unsigned char)letter;
    set->bits[c / 64] |= UINT64_C(1) << c % 64;
}

static bool letters_have(const letters *set, char letter)
{
    const unsigned char c = (unsigned char)letter;
    return (set->bits[c / 64] >> c % 64 & 1) != 0;
}

static bool letters_disjoint(const letters *a, const letters *b)
{
    uint64_t common = 0;
    for (int i = 0; i < 4; i++) {
        common |= a->bits[i] & b->bits[i];
    }
    return common == 0;
}

/* Order by chain, number, insertion, residue, atom, and place in the file. */
static int compare_sites(const tsl_atom *a, const tsl_atom *b)
{
    const int chain = strcmp(a->chain, b->chain);
    if (chain != 0) {
        return chain;
    }
    if (a->number != b->number) {
        return a->number < b->number ? -1 : 1;
    }
    return a->insertion - b->insertion;
}

static int compare_residues(const tsl_atom *a, const tsl_atom *b)
{
    const int site = compare_sites(a, b);
    return site != 0 ? site : strcmp(a->residue, b->residue);
}

static int compare_atoms(const tsl_atom *a, const tsl_atom *b)
{
    const int residue = compare_residues(a, b);
    return residue != 0 ? residue : strcmp(a->name, b->name);
}

static int compare_records(const void *left, const void *right)
{
    const tsl_record *a = *(tsl_record *const *)left;
    const tsl_record *b = *(tsl_record *const *)right;
    const int atoms = compare_atoms(&a->atom, &b->atom);
    return atoms != 0 ? atoms : (a->order > b->order) - (a->order < b->order);
}

typedef int (*comparison)(const tsl_atom *a, const tsl_atom *b);

/* End of the run of records that are equal to the first. */
static int64_t run_end(tsl_record **sorted, int64_t begin, int64_t end, comparison compare)
{
    int64_t i = begin + 1;
    while (i < end && compare(&sorted[begin]->atom, &sorted[i]->atom) == 0) {
        i++;
    }
    return i;
}

/* One of several residues at one site. */
typedef struct candidate {
    int64_t begin, end; /* among the sorted records */
    int64_t order;      /* of its first atom in the file */
    double occupancy;   /* mean of its atoms */
    letters used;
} candidate;

static candidate describe(tsl_record **sorted, int64_t begin, int64_t end)
{
    candidate c = {.begin = begin, .end = end, .order = sorted[begin]->order};
    for (int64_t i = begin; i < end; i++) {
        letters_add(&c.used, sorted[i]->alternate);
        c.occupancy += (double)sorted[i]->atom.occupancy;
        c.order = sorted[i]->order < c.order ? sorted[i]->order : c.order;
    }
    c.occupancy /= (double)(end - begin);
    return c;
}

static void drop(tsl_record **sorted, int64_t begin, int64_t end)
{
    for (int64_t i = begin; i < end; i++) {
        sorted[i]->dropped = true;
    }
}

/* Residues of several names at one site are alternatives if their location letters differ and
 * none is blank. Otherwise they are two residues with one number, as where chain identifiers
 * were lost. */
static void choose_residue(tsl_record **sorted, int64_t begin, int64_t end)
{
    candidate best = {0};
    for (int64_t i = begin; i < end; i = run_end(sorted, i, end, compare_residues)) {
        const candidate c = describe(sorted, i, run_end(sorted, i, end, compare_residues));
        if (letters_have(&c.used, ' ')) {
            continue;
        }
        if (best.end == 0) {
            best = c;
        } else if (letters_disjoint(&best.used, &c.used)) {
            const bool better = c.occupancy > best.occupancy ||
                                (!(c.occupancy < best.occupancy) && c.order < best.order);
            const candidate loser = better ? best : c;
            drop(sorted, loser.begin, loser.end);
            best = better ? c : best;
        }
    }
}

/* Choose among atoms of one name in one residue. A letter that comes again begins another residue
 * of the same number; so does a blank one elsewhere in the file. */
static void choose_atom(tsl_record **sorted, int64_t begin, int64_t end)
{
    letters used = {{0}};
    tsl_record *best = NULL;
    for (int64_t i = begin; i < end; i++) {
        tsl_record *record = sorted[i];
        if (record->dropped) {
            continue;
        }
        const bool blank = record->alternate == ' ' || letters_have(&used, ' ');
        const bool again = letters_have(&used, record->alternate) ||
                           (blank && best != NULL && best->site != record->site);
        if (best == NULL || again) {
            best = record;
            used = (letters){{0}};
        } else if (record->atom.occupancy > best->atom.occupancy) {
            best->dropped = true;
            best = record;
        } else {
            record->dropped = true;
        }
        letters_add(&used, record->alternate);
    }
}

/* Check that the occupancies of a site with alternates are numbers. */
static tsl_status check_occupancies(const tsl_builder *builder, tsl_record **sorted, int64_t begin,
                                    int64_t end)
{
    bool any = false;
    for (int64_t i = begin; i < end && !any; i++) {
        any = sorted[i]->alternate != ' ';
    }
    for (int64_t i = begin; i < end && any; i++) {
        const tsl_record *record = sorted[i];
        if (record->occupancy != NULL) {
            char where[TSL_WHERE_TEXT], quoted[TSL_QUOTE_TEXT];
            tsl_describe_residue(&record->atom, where);
            return tsl_fail(builder->context, TSL_E_FORMAT,
                            "%s:%lld: the occupancy of atom %s of %s, \"%s\", is not a number, and "
                            "alternates are chosen by it",
                            builder->name, (long long)record->line, record->atom.name, where,
                            tsl_quote(quoted, record->occupancy, record->occupancy_length));
        }
    }
    return TSL_OK;
}

tsl_status tsl_builder_choose_alternates(tsl_builder *builder)
{
    const int64_t count = builder->count;
    bool any = false;
    for (int64_t i = 0; i < count && !any; i++) {
        any = builder->records[i].alternate != ' ';
    }
    if (!any || builder->as_it_is) {
        return TSL_OK;
    }
    tsl_record **sorted = tsl_allocate((size_t)count * sizeof(tsl_record *));
    if (sorted == NULL) {
        return tsl_fail_memory(builder->context, count * (int64_t)sizeof(tsl_record *),
                               "choosing among alternate locations");
    }
    for (int64_t i = 0; i < count; i++) {
        sorted[i] = &builder->records[i];
    }
    qsort(sorted, (size_t)count, sizeof(tsl_record *), compare_records);
    tsl_status status = TSL_OK;
    for (int64_t i = 0; i < count && status == TSL_OK;) {
        const int64_t end = run_end(sorted, i, count, compare_sites);
        status = check_occupancies(builder, sorted, i, end);
        choose_residue(sorted, i, end);
        for (int64_t k = i; k < end;) {
            const int64_t atom_end = run_end(sorted, k, end, compare_atoms);
            choose_atom(sorted, k, atom_end);
            k = atom_end;
        }
        i = end;
    }
    tsl_release(sorted);
    return status;
}
