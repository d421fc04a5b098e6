/* Ends a test program with what is not so, where, and what the library says of it. */
#ifndef CHECK_H
#define CHECK_H
#include <schedlab.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(what) \
    do { \
        if (!(what)) { \
            fprintf(stderr, "%s:%d: not so: %s (%s)\n", __FILE__, __LINE__, #what, schedlab_error()); \
            exit(1); \
        } \
    } while (0)

#endif
