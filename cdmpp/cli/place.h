/* Where the program's own files are: beside the program when it runs from its build folder, else
 * where it was installed. The environment is read here and nowhere below. */
#ifndef CDMPP_CLI_PLACE_H
#define CDMPP_CLI_PLACE_H

#include "cdmpp/core/error.h"

/* Finds a file of the data folders: "pretrained/base.safetensors", "devices". Looks in
 * $CDMPP_DATA_DIR when that is set and nowhere else then; else, seen from the program's folder, in
 * ../share/cdmpp and (a build folder) in ../models and
 * ../data, and at last in the folder of `make install`. The caller frees *path. CDM_UNAVAILABLE
 * when it is nowhere. */
enum cdm_status cdm_place_data(const char *name, char **path, struct cdm_error *err) CDM_MUST_CHECK;

/* The plug-in of that file name ("libcdmpp_torch.so"): in $CDMPP_PLUGIN_DIR when that is set and
 * nowhere else then; else beside the program, in ../lib/cdmpp, and in the folder of `make install`.
 */
enum cdm_status cdm_place_plugin(const char *name, char **path,
                                 struct cdm_error *err) CDM_MUST_CHECK;

/* The model that `predict` uses when nothing else is said. */
#define CDM_SHIPPED_MODEL "pretrained/base.safetensors"

/* The model file to use: `named` (from -m; may be NULL), else $CDMPP_MODEL, else `shipped` among
 * the data files. A path that was named is not checked here. */
enum cdm_status cdm_place_model(const char *named, const char *shipped, char **path,
                                struct cdm_error *err) CDM_MUST_CHECK;

#endif
