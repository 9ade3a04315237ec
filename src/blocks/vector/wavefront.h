/* Lists of expressions that are run as a wavefront over the rows. A list's product needs what the
 * list before has left in the rows around, no farther than the matrix's entries are from the
 * diagonal; so on the CPU each thread takes its rows through all lists together, each list that far
 * behind the one before, and what they have in common comes from memory once. The same bits as one
 * list after the other. */
#ifndef TSL_WAVEFRONT_H
#define TSL_WAVEFRONT_H

#include "blocks/vector/expressions.h"

enum { TSL_WAVEFRONT_LISTS = 4, TSL_WAVEFRONT_EXPRESSIONS = 4 };

typedef struct tsl_wavefront {
    tsl_context *context;
    const tsl_layout *layout;
    int bytes; /* of a number: 8 or 4 */
    int64_t
        reach; /* rows between an entry that a list's product reads, of a vector that another
                  list of the wavefront writes, and the row it is for, at most; 0: run one by one */
    int count;
    struct {
        tsl_expression expression[TSL_WAVEFRONT_EXPRESSIONS];
        int count;
    } list[TSL_WAVEFRONT_LISTS];
} tsl_wavefront;

/* Add a list of up to TSL_WAVEFRONT_EXPRESSIONS expressions, without scalar products; those before
 * may be run, if there is no room. A list may write what the one before reads, but not what that
 * needs of it in other rows than its own and `reach` around. */
tsl_status tsl_wavefront_add(tsl_wavefront *wavefront, const tsl_expression *expressions,
                             int count);
/* Run what was added; the wavefront is empty then. Asynchronous like a list. */
tsl_status tsl_wavefront_run(tsl_wavefront *wavefront);

#endif
