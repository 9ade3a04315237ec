/* What the readers of molecules share: they add atoms as they find them, and the builder chooses
 * which of them make the molecule. */
#ifndef TSL_IO_BUILDER_H
#define TSL_IO_BUILDER_H

#include "core/core.h"
#include "io/molecule/molecule.h"
#include "io/molecule/residues.h"

/* The largest coordinate a PDB record can hold; mmCIF is held to the same. */
#define TSL_MAX_COORDINATE 9999.999

typedef struct tsl_record {
    tsl_atom atom;      /* without parent and residue_index; element "" if the file has none */
    double position[3]; /* angstrom */
    char columns[4];    /* a PDB record's columns 13 to 16; all 0 where names have no place */
    char alternate;     /* location; ' ' if it is the only one */
    /* Set by the builder: */
    bool dropped;
    tsl_residue_kind kind;
    int64_t order; /* in the file */
    int64_t site;  /* counts runs of equal chain, number and insertion */
} tsl_record;

typedef struct tsl_chain {
    char name[8];
    int64_t kept; /* atoms added of it, less those left out as hydrogen, water or ligand */
} tsl_chain;

typedef struct tsl_builder {
    tsl_context *context;
    const char *name; /* the file's, for messages */
    tsl_hetero hetero;
    bool as_it_is; /* FTDock's .parsed: every ATOM record counts, hydrogens and all */
    bool select;
    tsl_chain *selected; /* chains asked for */
    int64_t selected_count;
    tsl_chain *chains; /* chains found */
    int64_t chain_count, chain_capacity, chain_last;
    tsl_record *records;
    int64_t count, capacity;
    int64_t added, hydrogens, waters, ligands;
    int64_t gaps;      /* ligands left out that have a backbone: perhaps residues of a chain */
    tsl_atom gap;      /* an atom of the first of them */
    tsl_atom nitrogen; /* the last N left out with a ligand; nameless if its CA is counted */
} tsl_builder;

/* Begin; TSL_E_ARG if the options are out of range. Release the builder whatever the outcome. */
tsl_status tsl_builder_start(tsl_builder *builder, tsl_context *context, const char *name,
                             const tsl_molecule_options *options);
tsl_status tsl_builder_add(tsl_builder *builder, const tsl_record *record);
/* Choose among alternate locations, assign charges, make the molecule. */
tsl_status tsl_builder_finish(tsl_builder *builder, tsl_molecule **out);
void tsl_builder_release(tsl_builder *builder);

/* Leave the best of alternate residues and atoms among the builder's records. */
tsl_status tsl_builder_choose_alternates(tsl_builder *builder);

/* Read all atoms of a text into the builder. Errors name the line. */
tsl_status tsl_pdb_read(tsl_builder *builder, const char *data, size_t size);
tsl_status tsl_mmcif_read(tsl_builder *builder, const char *data, size_t size);

/* Parse a field of an atom whose names are known. TSL_E_FORMAT, naming file, line and atom, for a
 * coordinate that is missing, no number or out of range (`axis` is 'x', 'y' or 'z'), and for an
 * occupancy that is no number; a missing one is 1. A temperature factor that cannot be used is 0.
 */
tsl_status tsl_builder_coordinate(tsl_builder *builder, int64_t line, const tsl_atom *atom,
                                  int axis, const char *field, size_t length, double *out);
tsl_status tsl_builder_occupancy(tsl_builder *builder, int64_t line, tsl_atom *atom,
                                 const char *field, size_t length);
void tsl_builder_temperature(tsl_atom *atom, const char *field, size_t length);

/* A molecule of the text of a file called `name`: tsl_molecule_read() without the file. */
tsl_status tsl_molecule_parse(tsl_molecule **out, tsl_context *context, const char *name,
                              const char *data, size_t size, const tsl_molecule_options *options);

#endif
