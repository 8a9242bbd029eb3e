/* Numbers with units, as people write them: 1530 MHz, 6 MiB, 900 GB/s. */
#ifndef CDMPP_CORE_QUANTITY_H
#define CDMPP_CORE_QUANTITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A number that is either known or absent; absent is not 0. */
struct cdm_quantity {
    double value; /* 0 while unknown */
    bool known;
    int32_t line; /* where the value stands; 0 = nowhere, as when it was computed */
    int32_t column;
};

/* Reads a whole text that is a number (-12.5e3; no hexadecimal, no infinity, no leading zeros), or
 * a number followed by `unit` with or without a prefix. k M G T P and m u n are powers of 1000; Ki
 * Mi Gi Ti are powers of 1024, for units that begin with B. A number without a unit is in `unit`
 * itself; `unit` NULL = only such a number. The result is the double nearest to what is written, or
 * infinite when it is too large. Returns false when the text is something else. */
bool cdm_quantity_parse(const char *text, const char *unit, double *value);

/* Writes a value with six digits and its unit, with the prefix that people use: "1.53 GHz", "48
 * KiB". `unit` NULL = only the number. Returns `text`, of `size` bytes. */
char *cdm_quantity_text(double value, const char *unit, char *text, size_t size);

#endif
