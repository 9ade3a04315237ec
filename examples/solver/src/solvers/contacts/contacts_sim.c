/* Contacts on sim. */
#include "device/sim.h"
#include "solvers/contacts/contacts.h"

#include "solvers/contacts/contacts_block.inc"

const tsl_contacts_ops tsl_contacts_sim = {.count = gpu_count};
