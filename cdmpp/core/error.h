/* Status codes and the error value that every fallible function fills.
 *
 * A function that can fail returns enum cdm_status and takes `struct cdm_error *err` last. On
 * success it returns CDM_OK and leaves *err alone; on failure it returns the status that is also in
 * err->status. */
#ifndef CDMPP_CORE_ERROR_H
#define CDMPP_CORE_ERROR_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define CDM_MUST_CHECK __attribute__((warn_unused_result))
#define CDM_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define CDM_MUST_CHECK
#define CDM_PRINTF(text, first)
#endif

/* main.c maps each status to an exit status: see cdm_exit_status(). */
enum cdm_status {
    CDM_OK,
    CDM_BAD_INPUT,   /* the data is wrong: exit status 1 */
    CDM_USAGE,       /* the command line is wrong: exit status 2 */
    CDM_UNAVAILABLE, /* something needed is not there (LibTorch, GPU, permission): exit status 3 */
    CDM_IO,          /* reading or writing failed: exit status 4 */
    CDM_NO_MEMORY, /* a size that comes from the input is more than we allow or have: exit status 1
                    */
    CDM_STOPPED,   /* a signal asked the work to stop; a usable checkpoint was left */
    CDM_BUG,       /* a fault in cdmpp itself: exit status 70 */
};

/* What went wrong and where. `line` and `column` count from 1 in the text that was read, columns in
 * bytes; 0 means unknown. `message` does not repeat them: cdm_error_text() joins the parts. */
struct cdm_error {
    enum cdm_status status;
    int64_t line;
    int64_t column;
    char message[512];
};

/* Fills *err (which may be NULL) and returns `status`. Control characters in the message, which
 * often quotes hostile input, are replaced by '?'. A message that is too long is cut. */
enum cdm_status cdm_fail(struct cdm_error *err, enum cdm_status status, const char *format, ...)
    CDM_PRINTF(3, 4);

/* The same with a place in the text that was read. */
enum cdm_status cdm_fail_at(struct cdm_error *err, enum cdm_status status, int64_t line,
                            int64_t column, const char *format, ...) CDM_PRINTF(5, 6);

/* Puts context before the message of an error that travels up: "CONTEXT: MESSAGE".
 * Returns err->status, so that a caller can `return cdm_fail_in(err, "device %s", name);`. */
enum cdm_status cdm_fail_in(struct cdm_error *err, const char *format, ...) CDM_PRINTF(2, 3);

/* Writes "FILE:LINE:COLUMN: MESSAGE", leaving out the parts that are unknown (file may be NULL),
 * into `text` of `size` bytes. Returns `text`. */
char *cdm_error_text(const struct cdm_error *err, const char *file, char *text, int size);

/* The exit status that stands for `status`. */
int cdm_exit_status(enum cdm_status status);

#ifdef __cplusplus
}
#endif

#endif
