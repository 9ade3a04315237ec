/* Fuzzes the reader of PDB files: whatever the bytes, a molecule or a one-line error. */
#include "fuzz/molecule.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_molecule(data, size, tsl_pdb_read);
}
