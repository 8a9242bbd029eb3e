#include "cdmpp/core/json_write.h"

#include "cdmpp/core/json_scan.h"
#include "cdmpp/core/number.h"

#include <math.h>
#include <string.h>

/* Sets the comma that a value or a name needs. */
static void separate(struct cdm_str *out)
{
    if (out->length && !strchr("{[:,\n", out->data[out->length - 1]))
        cdm_str_putc(out, ',');
}

void cdm_json_begin(struct cdm_str *out, char bracket)
{
    separate(out);
    cdm_str_putc(out, bracket);
}

void cdm_json_end(struct cdm_str *out, char bracket)
{
    cdm_str_putc(out, bracket);
}

/* One character that cannot stand as it is. */
static void put_escape(struct cdm_str *out, unsigned char c)
{
    static const char letters[] = "\b\f\n\r\t\"\\";
    static const char escapes[] = "bfnrt\"\\";
    const char *found = c ? strchr(letters, c) : NULL;

    if (found) {
        cdm_str_putc(out, '\\');
        cdm_str_putc(out, escapes[found - letters]);
    } else {
        cdm_str_printf(out, "\\u%04x", c);
    }
}

static void put_quoted(struct cdm_str *out, struct cdm_view text)
{
    size_t written = 0;
    size_t at = 0;

    cdm_str_putc(out, '"');
    while (at < text.length) {
        unsigned char c = (unsigned char)text.data[at];
        size_t n = cdm_json_utf8_length(text.data, text.length, at);
        if (n > 1 || (n && c >= 0x20 && c != '"' && c != '\\' && c != 0x7f)) {
            at += n;
            continue;
        }
        cdm_str_add(out, text.data + written, at - written);
        if (n)
            put_escape(out, c);
        else
            cdm_str_puts(out, "\xef\xbf\xbd");
        written = ++at;
    }
    cdm_str_add(out, text.data + written, at - written);
    cdm_str_putc(out, '"');
}

void cdm_json_name(struct cdm_str *out, const char *name)
{
    separate(out);
    put_quoted(out, cdm_view_of(name));
    cdm_str_putc(out, ':');
}

void cdm_json_put_string(struct cdm_str *out, struct cdm_view text)
{
    separate(out);
    put_quoted(out, text);
}

void cdm_json_put_text(struct cdm_str *out, const char *text)
{
    cdm_json_put_string(out, cdm_view_of(text));
}

void cdm_json_put_int(struct cdm_str *out, int64_t integer)
{
    separate(out);
    cdm_str_add_int64(out, integer);
}

/* A whole number may be written without a fraction, but readers take it for an integer then. Some
 * whole numbers are none: negative zero and those that do not fit in 64 bits. */
static void put_number(struct cdm_str *out, double number, const char *text)
{
    bool no_integer = (number == 0 && signbit(number)) || fabs(number) >= 0x1p63;

    separate(out);
    cdm_str_puts(out, text);
    if (no_integer && !strpbrk(text, ".e"))
        cdm_str_puts(out, ".0");
}

void cdm_json_put_double(struct cdm_str *out, double number)
{
    char text[CDM_NUMBER_SIZE];

    if (!isfinite(number)) {
        cdm_json_put_null(out);
        return;
    }
    cdm_format_double(text, number);
    put_number(out, number, text);
}

void cdm_json_put_float(struct cdm_str *out, float number)
{
    char text[CDM_NUMBER_SIZE];

    if (!isfinite(number)) {
        cdm_json_put_null(out);
        return;
    }
    cdm_format_float(text, number);
    put_number(out, (double)number, text);
}

void cdm_json_put_bool(struct cdm_str *out, bool truth)
{
    separate(out);
    cdm_str_puts(out, truth ? "true" : "false");
}

void cdm_json_put_null(struct cdm_str *out)
{
    separate(out);
    cdm_str_puts(out, "null");
}

void cdm_json_put_raw(struct cdm_str *out, struct cdm_view json)
{
    separate(out);
    cdm_str_add(out, json.data, json.length);
}
