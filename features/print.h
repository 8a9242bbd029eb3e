#ifndef CDMPP_FEATURES_PRINT_H
#define CDMPP_FEATURES_PRINT_H
#include "cdmpp/core/str.h"
#include "features/program.h"
struct cdm_namer;
struct cdm_namer *cdm_namer_new(const struct cdm_program *program);
void cdm_namer_free(struct cdm_namer *namer);
void cdm_print_head(struct cdm_namer *namer, const struct cdm_stmt *stmt, struct cdm_str *out);
#endif
