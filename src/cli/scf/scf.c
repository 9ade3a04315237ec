/* `tesela scf MOLECULE.xyz`: density-functional energies. */
#include <math.h>
#include <string.h>

#include "cli/scf/command.h"
#include "core/context.h"

/* Charges nearer to a nucleus than this draw electrons out of the molecule. */
static const double near_angstrom = 0.8;

static tsl_status read_inputs(tsl_context *context, const scf_command *c,
                              tsl_scf_molecule **molecule, tsl_scf_charges **charges)
{
    const double angstrom = 1 / TSL_SCF_BOHR;
    tsl_status status =
        tsl_scf_molecule_read(molecule, context, c->molecule, c->bohr ? 1 : angstrom);
    if (status != TSL_OK || c->charges == NULL) {
        return status;
    }
    status = tsl_scf_charges_read(charges, context, c->charges, c->charges_in_bohr ? 1 : angstrom);
    if (status == TSL_OK) {
        const double nearest = TSL_SCF_BOHR * tsl_scf_charges_nearest(*charges, *molecule);
        if (nearest < near_angstrom) {
            cli_warning(
                "%s: a charge is %.3g angstrom from a nucleus: electrons may spill out to it",
                c->charges, nearest);
        }
    }
    return status;
}

static tsl_status solve(tsl_context *context, scf_outcome *o, tsl_scf_plan *plan)
{
    const size_t atoms = (size_t)tsl_scf_molecule_count(o->molecule);
    o->result.size = sizeof o->result;
    o->about.size = sizeof o->about;
    tsl_status status = tsl_scf_plan_describe(plan, &o->about);
    if (status == TSL_OK) {
        status = tsl_scf_solve(plan, &o->result);
    }
    if (status != TSL_OK && status != TSL_E_NOCONV) {
        return status;
    }
    o->mulliken = tsl_allocate(sizeof(double) * atoms);
    o->lowdin = tsl_allocate(sizeof(double) * atoms);
    if (o->mulliken == NULL || o->lowdin == NULL) {
        return tsl_fail_memory(context, (int64_t)(16 * atoms), "charges of atoms");
    }
    if (status == TSL_E_NOCONV) {
        cli_error("%s", tsl_last_error(context));
    }
    const tsl_status populations = tsl_scf_populations(plan, o->mulliken, o->lowdin);
    return populations != TSL_OK ? populations : status;
}

static tsl_status tell(tsl_context *context, const scf_outcome *o)
{
    if (!cli_is_quiet()) {
        scf_print(cli_summary_stream(&o->command->common), o);
    }
    return o->command->common.json == NULL ? TSL_OK
                                           : scf_write_report(context, o->command->common.json, o);
}

static int run(tsl_context *context, const scf_command *c)
{
    const double begun = tsl_seconds();
    tsl_scf_molecule *molecule = NULL;
    tsl_scf_charges *charges = NULL;
    tsl_scf_plan *plan = NULL;
    scf_outcome o = {.command = c, .device = tsl_context_device(context)};
    tsl_status status = read_inputs(context, c, &molecule, &charges);
    if (status == TSL_OK) {
        status = tsl_scf_plan_create(&plan, context, molecule, charges, &c->scf);
    }
    o.molecule = molecule;
    o.charges = charges;
    o.plan = plan;
    o.setup = tsl_seconds() - begun;
    if (status == TSL_OK) {
        status = solve(context, &o, plan);
        o.total = tsl_seconds() - begun;
    }
    const bool has_result = status == TSL_OK || (status == TSL_E_NOCONV && o.mulliken != NULL);
    const tsl_status told = has_result ? tell(context, &o) : TSL_OK;
    if (!has_result || told != TSL_OK) {
        cli_error("%s", tsl_last_error(context));
    }
    const int exit_status = cli_exit_status(context, told != TSL_OK ? told : status,
                                            cli_given(&c->common, &c->scf.memory));
    tsl_release(o.mulliken);
    tsl_release(o.lowdin);
    tsl_scf_plan_destroy(plan);
    tsl_scf_charges_destroy(charges);
    tsl_scf_molecule_destroy(molecule);
    return exit_status;
}

int scf_run(const cli_command *self, int argc, char **argv)
{
    scf_command command;
    tsl_context *context = NULL;
    int exit_status;
    if (!cli_parse_options(self, &command, argc, argv, &exit_status)) {
        tsl_release(command.basis);
        return exit_status;
    }
    if (strcmp(command.common.device, "auto") == 0 && command.scf.fit == TSL_SCF_FIT_NONE) {
        command.common.device = "cpu"; /* the only one for all integrals */
    }
    const tsl_status status = cli_open_context(&context, &command.common);
    if (status == TSL_OK) {
        exit_status = run(context, &command);
        if (command.common.profile) {
            cli_profile_print(context);
        }
        tsl_context_destroy(context);
    } else {
        exit_status = cli_exit_status(NULL, status, false);
    }
    tsl_release(command.basis);
    return exit_status;
}
