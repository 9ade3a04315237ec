/* Options of a search, checked. */
#include <math.h>

#include "solvers/dock/plan.h"
#include "solvers/dock/ranges.h"

static tsl_status check_score(tsl_context *context, const tsl_dock_options *o)
{
    const tsl_complementarity *c = &o->complementarity;
    const double weights[] = {c->clash, c->electrostatics, c->contacts};
    if ((int)o->score < 0 || o->score > TSL_SCORE_COMPLEMENTARITY) {
        return tsl_fail(context, TSL_E_ARG, "unknown kind of score: %d", (int)o->score);
    }
    for (size_t i = 0; i < sizeof weights / sizeof *weights; i++) {
        if (!(weights[i] >= 0 && weights[i] <= 100)) {
            return tsl_fail(context, TSL_E_ARG, "a weight of %g: give 0 to 100", weights[i]);
        }
    }
    if (c->blocked[0] != NULL && c->blocked[1] != NULL) {
        return tsl_fail(context, TSL_E_ARG,
                        "atoms of both molecules are blocked: block those of one of them");
    }
    if ((c->restrained[0] == NULL) != (c->restrained[1] == NULL)) {
        return tsl_fail(context, TSL_E_ARG,
                        "a restraint names atoms of one molecule: name some of both");
    }
    if (c->restrained[0] != NULL && !(c->within > 0 && c->within <= 100)) {
        return tsl_fail(context, TSL_E_ARG,
                        "a restraint of %g angstrom: give more than 0 and at most 100", c->within);
    }
    for (int i = 0; c->table != NULL && i < TSL_CONTACT_TYPES * TSL_CONTACT_TYPES; i++) {
        const int row = i / TSL_CONTACT_TYPES, column = i % TSL_CONTACT_TYPES;
        const double other = c->table[column * TSL_CONTACT_TYPES + row];
        if (!(fabs(c->table[i]) <= 100) || fabs(c->table[i] - other) > 1e-9) {
            return tsl_fail(context, TSL_E_ARG,
                            "contact potential of types %d and %d: %g and, the other way round, "
                            "%g: give equal numbers from -100 to 100",
                            row, column, c->table[i], other);
        }
    }
    return TSL_OK;
}

tsl_status tsl_dock_check_options(tsl_context *context, const tsl_dock_options *o)
{
    if (o->size != sizeof *o) {
        return tsl_fail(context, TSL_E_ARG,
                        "dock options: size is %zu, not %zu: initialise them with "
                        "TSL_DOCK_OPTIONS_INIT",
                        o->size, sizeof *o);
    }
    const bool automatic = o->grid == TSL_GRID_SMOOTH || o->grid == TSL_GRID_FTDOCK;
    if (!automatic && (o->grid < TSL_GRID_SMALLEST || o->grid > TSL_GRID_LARGEST)) {
        return tsl_fail(context, TSL_E_ARG, "a grid of %d cells: give an even number from %d to %d",
                        o->grid, TSL_GRID_SMALLEST, TSL_GRID_LARGEST);
    }
    if (!automatic && o->grid % 2 != 0) {
        return tsl_fail(context, TSL_E_ARG, "a grid of %d cells: the number must be even", o->grid);
    }
    const double spacing[] = {TSL_DOCK_SPACING_RANGE}, surface[] = {TSL_DOCK_SURFACE_RANGE};
    const int core[] = {TSL_DOCK_CORE_RANGE}, keep[] = {TSL_DOCK_KEEP_RANGE};
    const int batch[] = {TSL_DOCK_BATCH_RANGE};
    if (o->spacing != 0 && !(o->spacing >= spacing[0] && o->spacing <= spacing[1])) {
        return tsl_fail(context, TSL_E_ARG,
                        "a spacing of %g angstrom: give %g to %g, or 0 for automatic", o->spacing,
                        spacing[0], spacing[1]);
    }
    if (!(o->surface > surface[0] && o->surface <= surface[1])) {
        return tsl_fail(context, TSL_E_ARG,
                        "a surface of %g angstrom: give more than %g and at most %g", o->surface,
                        surface[0], surface[1]);
    }
    if (o->core < core[0] || o->core > core[1]) {
        return tsl_fail(context, TSL_E_ARG, "a core value of %d: give %d to %d", o->core, core[0],
                        core[1]);
    }
    if (o->keep < keep[0] || o->keep > keep[1]) {
        return tsl_fail(context, TSL_E_ARG, "keeping %d poses a rotation: give %d to %d", o->keep,
                        keep[0], keep[1]);
    }
    if (o->batch != 0 && (o->batch < batch[0] || o->batch > batch[1])) {
        return tsl_fail(context, TSL_E_ARG,
                        "a batch of %d rotations: give %d to %d, or 0 for automatic", o->batch,
                        batch[0], batch[1]);
    }
    if (o->memory < 0) {
        return tsl_fail(context, TSL_E_ARG, "a memory bound of %lld bytes: give 0 for none",
                        (long long)o->memory);
    }
    if ((int)o->electrostatics < 0 || o->electrostatics > TSL_ELECTROSTATICS_TRILINEAR) {
        return tsl_fail(context, TSL_E_ARG, "unknown kind of electrostatics: %d",
                        (int)o->electrostatics);
    }
    if ((int)o->correlation < 0 || o->correlation > TSL_CORRELATION_TRANSPOSED) {
        return tsl_fail(context, TSL_E_ARG, "unknown kind of correlation: %d", (int)o->correlation);
    }
    return check_score(context, o);
}
