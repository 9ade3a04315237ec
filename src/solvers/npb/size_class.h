/* A class of NPB's in a message. */
#ifndef TSL_NPB_SIZE_CLASS_H
#define TSL_NPB_SIZE_CLASS_H

/* Itself; '?' where it cannot be printed, as 0, which would end the line. */
static inline char tsl_shown_class(char size_class)
{
    return size_class > ' ' && size_class <= '~' ? size_class : '?';
}

#endif
