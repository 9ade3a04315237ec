/* Contacts on NVIDIA GPUs. */
#include "device/cuda.h"

extern "C" {
#include "solvers/contacts/contacts.h"
}

#include "solvers/contacts/contacts_block.inc"

extern const tsl_contacts_ops tsl_contacts_cuda = {.count = gpu_count};
