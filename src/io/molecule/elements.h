/* The chemical elements, by number and symbol. */
#ifndef TSL_IO_ELEMENTS_H
#define TSL_IO_ELEMENTS_H

#include <stdint.h>

enum { TSL_ELEMENTS = 118 };

/* "H" of 1 and so on; "X" of any number that is no element's. */
const char *tsl_element_symbol(int32_t number);

/* The number of a symbol, in the customary spelling; 0 if there is none. */
int32_t tsl_element_number(const char *symbol);

#endif
