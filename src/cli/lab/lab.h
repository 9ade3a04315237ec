/* What the actions of `tesela lab` share. */
#ifndef TSL_CLI_LAB_H
#define TSL_CLI_LAB_H

#include "cli/shared/cli.h"

extern const cli_command lab_occupancy, lab_run, lab_bench, lab_advise;
/* actions of the course: course_options.c */
extern const cli_command lab_watch, lab_list, lab_next, lab_show, lab_check, lab_hint, lab_solution,
    lab_reset, lab_site, lab_lint;

/* The card of --device "cuda" or "cuda:N"; -1: `device` names none. False, with a message, where N
 * is no number of a card. */
bool lab_card_number(const char *device, int *card);

/* bench.c: measure the rates of card `number`; print them. */
struct tsl_lab_rates;
tsl_status lab_measure_rates(struct tsl_lab_rates *out, tsl_context *context, int number);
void lab_rates_print(FILE *stream, const struct tsl_lab_rates *rates);

#endif
