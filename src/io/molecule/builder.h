/* The builder of molecules. Readers add atoms as they find them, and the builder chooses which of
 * them make the molecule. */
#ifndef TSL_IO_BUILDER_H
#define TSL_IO_BUILDER_H

#include "core/core.h"
#include "io/molecule/molecule.h"
#include "io/molecule/residues.h"

/* The largest coordinate that a PDB record can hold; mmCIF files are held to the same. */
#define TSL_MAX_COORDINATE 9999.999

typedef struct tsl_record {
    tsl_atom atom;      /* without parent and residue_index; element "" if the file has none */
    double position[3]; /* angstrom */
    char columns[4];    /* a PDB record's columns 13 to 16; all 0 where names have no place */
    char alternate;     /* alternate location; ' ' if it is the only one */
    int64_t line;       /* in the file */
    /* The file's text of an occupancy that is no number; NULL: it is a number, or is missing. */
    const char *occupancy;
    size_t occupancy_length;
    bool no_number; /* the residue number is asterisks */
    bool is_odd;    /* the record begins with blanks, or in lower case */
    /* Members that the builder sets: */
    bool dropped;
    bool by_name; /* the file's element contradicts the atom's name, which decided */
    bool neutral; /* the residue's side chain has no charge */
    bool foreign; /* an amino acid has no atom of this name */
    tsl_residue_kind kind;
    int64_t order; /* in the file */
    int64_t site;  /* counts runs of equal chain, number and insertion */
} tsl_record;

typedef struct tsl_chain {
    char name[8];
    int64_t kept;  /* atoms of it that were added, less hydrogens, waters and ligands left out */
    int64_t model; /* the model in which it came first */
} tsl_chain;

typedef struct tsl_model {
    int32_t number;
    bool is_taken;
} tsl_model;

typedef struct tsl_builder {
    tsl_context *context;
    const char *name; /* the file's, for messages */
    tsl_hetero hetero;
    int model;     /* as in tsl_molecule_options */
    bool as_it_is; /* FTDock's .parsed: every ATOM record counts, hydrogens and all */
    bool select;
    tsl_chain *selected; /* chains asked for */
    int64_t selected_count;
    tsl_chain *chains; /* chains found */
    int64_t chain_count, chain_capacity, chain_last;
    tsl_model *models; /* found */
    int64_t model_count, model_capacity, model_now;
    bool has_model;             /* a model that is asked for was found */
    char original[8], given[8]; /* the chain that was renamed last, and its new name */
    int64_t renamed_in;         /* the model of that chain; -1: no chain was renamed yet */
    tsl_record *records; /* records from `settled` on are of the residue that is being read */
    int64_t count, capacity, settled;
    int64_t added;
    char residue_name[8]; /* the residue that was looked up last */
    tsl_residue residue;
    tsl_molecule_account account;
    tsl_tally left_out;
    int64_t gaps; /* ligands left out that have a backbone: perhaps residues of a chain */
    tsl_atom gap; /* an atom of the first of them */
} tsl_builder;

/* Begins; TSL_E_ARG if the options are out of range. Release the builder whatever the outcome. */
tsl_status tsl_builder_start(tsl_builder *builder, tsl_context *context, const char *name,
                             const tsl_molecule_options *options);

/* Begins a model: the atoms that follow are of the model with that number in the file, or 0 if it
 * has none. If a model has that number already, they are added to it. To be called before the first
 * atom too. */
tsl_status tsl_builder_begin_model(tsl_builder *builder, int32_t number);
tsl_status tsl_builder_go_to_model(tsl_builder *builder, int32_t number);
/* Are atoms of the present model wanted? If not, tsl_builder_skip() counts each. */
bool tsl_builder_wants_model(const tsl_builder *builder);
void tsl_builder_skip(tsl_builder *builder);

tsl_status tsl_builder_add(tsl_builder *builder, const tsl_record *record);
/* Chooses among alternate locations, assigns charges and makes the molecule. */
tsl_status tsl_builder_finish(tsl_builder *builder, tsl_molecule **out);
void tsl_builder_release(tsl_builder *builder);

/* Decides on the residue that has been read: its kind, its elements, and which of its atoms are
 * left out (settle.c). */
tsl_status tsl_builder_settle(tsl_builder *builder);
/* Finds the entry of a chain, and makes it if the chain is new. */
tsl_status tsl_builder_find_chain(tsl_builder *builder, const char *name, tsl_chain **out);

/* Makes room for one more element of an array. */
tsl_status tsl_builder_make_room(tsl_context *context, void **array, int64_t count,
                                 int64_t *capacity, size_t bytes_each);

bool tsl_same_site(const tsl_atom *a, const tsl_atom *b);
bool tsl_same_residue(const tsl_atom *a, const tsl_atom *b);

enum { TSL_WHERE_TEXT = 80 };
/* Writes "ALA A 31" for an atom's residue. */
void tsl_describe_residue(const tsl_atom *atom, char out[TSL_WHERE_TEXT]);

/* Keeps the best of alternate residues and atoms among the builder's records. */
tsl_status tsl_builder_choose_alternates(tsl_builder *builder);

/* Numbers the residues of the builder's records. Notes in the molecule the residues of other names,
 * those without charges and atoms of foreign names, and warns of the uncharged (notes.c). */
tsl_status tsl_builder_number_residues(tsl_builder *builder, tsl_molecule *molecule);
/* Warn of ligands left out that may be residues of a chain. */
void tsl_builder_warn_of_gaps(const tsl_builder *builder);

/* Counts the atoms that stand where another does. */
tsl_status tsl_builder_count_overlaps(tsl_builder *builder);

/* Read all atoms of a text into the builder. Errors name the line. */
tsl_status tsl_pdb_read(tsl_builder *builder, const char *data, size_t size);
tsl_status tsl_mmcif_read(tsl_builder *builder, const char *data, size_t size);

/* Parse a field of an atom whose names are known. tsl_builder_coordinate(): TSL_E_FORMAT, naming
 * file, line and atom, for a coordinate that is missing, no number or out of range (`axis` is 'x',
 * 'y' or 'z'). An occupancy that is missing is 1; so is one that is no number, unless alternates
 * are to be chosen by it. A temperature factor that cannot be used is 0. */
tsl_status tsl_builder_coordinate(tsl_builder *builder, int64_t line, const tsl_atom *atom,
                                  int axis, const char *field, size_t length, double *out);
void tsl_builder_occupancy(tsl_record *record, const char *field, size_t length);
void tsl_builder_temperature(tsl_atom *atom, const char *field, size_t length);

/* Makes a molecule of the text of a file called `name`, as tsl_molecule_read() does of a file. */
tsl_status tsl_molecule_parse(tsl_molecule **out, tsl_context *context, const char *name,
                              const char *data, size_t size, const tsl_molecule_options *options);

#endif
