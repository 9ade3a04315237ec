/* `tesela lab`: its actions. */
#include <string.h>

#include "cli/lab/lab.h"

static const cli_command *const actions[] = {&lab_watch, &lab_list,   &lab_next,     &lab_show,
                                             &lab_check, &lab_hint,   &lab_solution, &lab_reset,
                                             &lab_site,  &lab_lint,   &lab_run,      &lab_occupancy,
                                             &lab_bench, &lab_advise, NULL};

bool lab_card_number(const char *device, int *card)
{
    enum { MOST = 1023 };
    *card = -1;
    if (strcmp(device, "cuda") != 0 && strncmp(device, "cuda:", 5) != 0) {
        return true;
    }
    *card = 0;
    if (device[4] == ':' && (!cli_parse_integer(device + 5, card) || *card < 0 || *card > MOST)) {
        cli_error("--device %s: give a card's number, as cuda:0", device);
        return false;
    }
    return true;
}

const cli_command cli_lab = {.children = actions,
                             .noun = "ACTION",
                             .doc = "CUDA C on any machine: no GPU is needed. A course in Spanish "
                                    "and English begins with `tesela lab watch`."};
