/* Memory on the host as the ladder's versions want it. Each device's file has the two functions. */
#ifndef TSL_LADDER_HOST_H
#define TSL_LADDER_HOST_H

typedef enum ladder_host {
    LADDER_PAGED,  /* ordinary memory */
    LADDER_PINNED, /* that the device's copies reach directly */
    LADDER_MAPPED  /* that its kernels can use */
} ladder_host;

/* ladder_take_host(out, context, bytes, kind): TSL_OK, TSL_E_NOMEM.
 * ladder_give_host(context, memory, kind): NULL is fine.
 * LADDER_READ_ONLY(at): *at, of memory that no kernel writes meanwhile. */

#endif
