#include "cdmpp/core/quantity.h"

#include "cdmpp/core/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_NUMBER = 64 };

struct prefix {
    const char *name;
    int power; /* of 10, or of 2 */
    bool is_binary;
};

static const struct prefix prefixes[] = {
    {"", 0, false},   {"k", 3, false},  {"M", 6, false},  {"G", 9, false},         {"T", 12, false},
    {"P", 15, false}, {"m", -3, false}, {"u", -6, false}, {"\xc2\xb5", -6, false}, {"n", -9, false},
    {"Ki", 10, true}, {"Mi", 20, true}, {"Gi", 30, true}, {"Ti", 40, true},
};

static size_t digits(const char *text)
{
    return strspn(text, "0123456789");
}

/* The length of the number at the start of the text: -12.5e-3; 0 = there is none. *n_mantissa is
 * the length of what comes before the exponent. */
static size_t scan_number(const char *text, size_t *n_mantissa)
{
    size_t at = text[0] == '-' ? 1 : 0;
    size_t n = digits(text + at);

    if (!n || (n > 1 && text[at] == '0'))
        return 0;
    at += n;
    if (text[at] == '.' && digits(text + at + 1))
        at += 1 + digits(text + at + 1);
    *n_mantissa = at;
    if (text[at] == 'e' || text[at] == 'E') {
        size_t sign = text[at + 1] == '-' || text[at + 1] == '+';
        n = digits(text + at + 1 + sign);
        if (n)
            at += 1 + sign + n;
    }
    return at;
}

/* The prefix in `rest`, which is what stands behind the number; NULL = not this unit. */
static const struct prefix *find_prefix(const char *rest, const char *unit)
{
    size_t n_rest = strlen(rest);
    size_t n_unit = unit ? strlen(unit) : 0;

    if (!n_rest)
        return &prefixes[0];
    if (!n_unit || n_rest < n_unit || strcmp(rest + n_rest - n_unit, unit) != 0)
        return NULL;
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        const struct prefix *prefix = &prefixes[i];
        if (strlen(prefix->name) == n_rest - n_unit &&
            !strncmp(rest, prefix->name, n_rest - n_unit) && (!prefix->is_binary || unit[0] == 'B'))
            return prefix;
    }
    return NULL;
}

/* The powers of ten are added in the text, so that 1.53 GHz is the same double as 1.53e9. */
static double scaled(const char *text, size_t n_mantissa, size_t n_number,
                     const struct prefix *prefix)
{
    char number[LONGEST_NUMBER + 32];
    long exponent = 0;

    if (n_number > n_mantissa)
        exponent = strtol(text + n_mantissa + 1, NULL, 10);
    if (exponent > 1000 || exponent < -1000)
        exponent = exponent > 0 ? 1000 : -1000;
    if (!prefix->is_binary)
        exponent += prefix->power;
    snprintf(number, sizeof number, "%.*se%ld", (int)n_mantissa, text, exponent);
    double value;
    if (!cdm_parse_double(cdm_view_of(number), &value))
        return INFINITY;
    return prefix->is_binary ? ldexp(value, prefix->power) : value;
}

bool cdm_quantity_parse(const char *text, const char *unit, double *value)
{
    size_t n_mantissa = 0;
    size_t n_number = scan_number(text, &n_mantissa);

    if (!n_number || n_number > LONGEST_NUMBER)
        return false;
    const char *rest = text + n_number;
    while (*rest == ' ')
        rest++;
    const struct prefix *prefix = find_prefix(rest, unit);
    if (!prefix)
        return false;
    *value = scaled(text, n_mantissa, n_number, prefix);
    return true;
}

/* Sizes that are whole KiB are meant in powers of 1024. */
static const char *binary_prefix(double *value)
{
    static const char *const names[] = {"", "Ki", "Mi", "Gi", "Ti"};
    size_t i = 0;

    if (fmod(*value, 1024) != 0)
        return NULL;
    while (i + 1 < sizeof names / sizeof *names && *value >= 1024) {
        *value /= 1024;
        i++;
    }
    return names[i];
}

static const char *decimal_prefix(double *value)
{
    static const char *const names[] = {"n", "\xc2\xb5", "m", "", "k", "M", "G", "T", "P"};
    size_t i = 3;

    while (i + 1 < sizeof names / sizeof *names && fabs(*value) >= 1000) {
        *value /= 1000;
        i++;
    }
    while (i > 0 && *value != 0 && fabs(*value) < 1) {
        *value *= 1000;
        i--;
    }
    return names[i];
}

char *cdm_quantity_text(double value, const char *unit, char *text, size_t size)
{
    if (!unit) {
        snprintf(text, size, "%.15g", value);
        return text;
    }
    const char *prefix = !strcmp(unit, "B") && value >= 1024 ? binary_prefix(&value) : NULL;
    if (!prefix)
        prefix = decimal_prefix(&value);
    snprintf(text, size, "%.6g %s%s", value, prefix, unit);
    return text;
}
