/* What memory.c and symbols.c offer to the calls of the host. */
#ifndef TSL_LAB_MEMORY_H
#define TSL_LAB_MEMORY_H

#include "lab/run/run.h"

/* The dynamic piece of the next launch. */
void tsl_memory_begin_shared(size_t dynamic);
/* Open __device__ and __constant__ variables to the host, for a copy. */
void tsl_memory_open_variables(bool open);
bool tsl_memory_is_variable(uintptr_t address);
/* Is it memory that the host must not touch? */
bool tsl_memory_is_closed(uintptr_t address);
/* The piece that an address is part of. */
bool tsl_memory_piece(uintptr_t address, uintptr_t *begin, size_t *bytes, bool *host_too);

/* Tell the table of structs. */
void tsl_types_write(void);

/* symbols.c: calls `found` for each variable of the program. */
void tsl_symbols_read(void (*found)(void *user, uintptr_t address, size_t bytes), void *user);
/* End a program that defines anew what the runtime calls of the C library. */
void tsl_symbols_own(void);

#endif
