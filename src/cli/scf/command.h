/* What the files of `tesela scf` share. */
#ifndef TSL_CLI_SCF_COMMAND_H
#define TSL_CLI_SCF_COMMAND_H

#include "cli/shared/cli.h"
#include "tesela/scf.h"

typedef struct scf_command {
    cli_common common;
    const char *molecule, *charges; /* paths; charges NULL: no charges */
    bool bohr, charges_in_bohr;     /* units of the two files */
    bool tight;                     /* the tolerances of --tight */
    char *basis;                    /* the values of --basis, joined by commas; NULL: the default */
    tsl_scf_options scf;
} scf_command;

int scf_run(const cli_command *self, int argc, char **argv);

/* The results of the command. */
typedef struct scf_outcome {
    const scf_command *command;
    const char *device;
    const tsl_scf_molecule *molecule;
    const tsl_scf_charges *charges; /* NULL: there are none */
    const tsl_scf_plan *plan;
    tsl_scf_description about;
    tsl_scf_result result;
    double *mulliken, *lowdin; /* [atoms] */
    double setup, total;       /* seconds */
} scf_outcome;

void scf_print(FILE *stream, const scf_outcome *outcome);
tsl_status scf_write_report(tsl_context *context, const char *path, const scf_outcome *outcome);

#endif
