/* Times the stages that every program goes through: bench_programs parse|features FILE...
 * Prints programs, failures, processor seconds and the process's peak memory in KiB, with tabs
 * between them. Only work that `predict` does as well is timed: nothing is printed per program. */
#include "cdmpp/core/log.h"
#include "cdmpp/core/text.h"
#include "features/leaf.h"
#include "features/source.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

struct tally {
    int64_t programs;
    int64_t failures;
    int64_t leaves;
};

static double processor_seconds(const struct rusage *usage)
{
    return (double)usage->ru_utime.tv_sec + (double)usage->ru_stime.tv_sec +
           1e-6 * (double)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec);
}

static enum cdm_status run_file(const char *path, struct cdm_extractor *extractor,
                                struct tally *tally, struct cdm_error *err)
{
    struct cdm_source *source;
    struct cdm_source_item item;
    enum cdm_status status = cdm_source_open(&source, path, err);

    while (status == CDM_OK) {
        struct cdm_leaf_matrix matrix;
        struct cdm_error program_err = {0};
        status = cdm_source_next(source, &item, &program_err);
        if (status == CDM_OK && !item.program)
            break;
        if (status == CDM_OK && extractor)
            status =
                cdm_extract(extractor, item.program, CDM_VIEW_LEAF, false, &matrix, &program_err);
        tally->programs += status == CDM_OK;
        tally->failures += status != CDM_OK;
        if (status == CDM_OK && extractor)
            tally->leaves += matrix.n_rows;
        if (status == CDM_BAD_INPUT)
            status = CDM_OK;
        else if (status != CDM_OK)
            *err = program_err;
    }
    cdm_source_close(source);
    return status;
}

int main(int argc, char **argv)
{
    struct tally tally = {0};
    struct cdm_error err = {0};
    struct rusage usage;

    if (argc < 3 || (strcmp(argv[1], "parse") != 0 && strcmp(argv[1], "features") != 0)) {
        fputs("usage: bench_programs parse|features FILE...\n", stderr);
        return 2;
    }
    struct cdm_extractor *extractor = strcmp(argv[1], "parse") ? cdm_extractor_new() : NULL;
    for (int i = 2; i < argc; i++) {
        enum cdm_status status = run_file(argv[i], extractor, &tally, &err);
        if (status != CDM_OK) {
            cdm_log_error(&err, argv[i]);
            return cdm_exit_status(status);
        }
    }
    cdm_extractor_free(extractor);
    getrusage(RUSAGE_SELF, &usage);
    printf("%lld\t%lld\t%.3f\t%ld\n", (long long)tally.programs, (long long)tally.failures,
           processor_seconds(&usage), usage.ru_maxrss);
    return 0;
}
