/* Reader of TVM's JSON graphs (`tvm.ir.save_json`), in the form that TVM wrote up to 0.21.
 *
 * The document is {"root": n, "nodes": [...]}: an array of nodes that name each other by their
 * place in it; node 0 is null. Nodes are shared: a node that is used twice becomes one expression,
 * variable or buffer with several users.
 *
 * The root is an IRModule (every PrimFunc in it is a program, in the order of their names) or a
 * PrimFunc. What the reader does not know as an expression becomes EXPR_CALL with the type key as
 * its name; an unknown statement is an error, since what it does to its body cannot be kept. Errors
 * name the node and the field, and give line and column of the node in the text.
 *
 * A graph may be hostile: a cycle, a node number out of range, a field of the wrong type, nesting
 * beyond CDM_MAX_DEPTH and a graph whose tree (shared nodes counted each time they are used) has
 * more than CDM_MAX_NODES nodes are all CDM_BAD_INPUT. */
#ifndef CDMPP_FEATURES_DUMP_JSON_H
#define CDMPP_FEATURES_DUMP_JSON_H

#include "cdmpp/core/json.h"
#include "features/dump.h"

/* Whether the text begins like a JSON object that has one of the names such a graph begins with. */
bool cdm_dump_json_looks_like(struct cdm_view text);

/* The reader of the format table. */
enum cdm_status cdm_dump_json_read(struct cdm_view text, int64_t first_line,
                                   struct cdm_arena *arena, struct cdm_programs *programs,
                                   struct cdm_error *err) CDM_MUST_CHECK;

/* The same for a graph that is a value of a document which has been parsed already, such as the
 * "tir" of a program line. The parser is only used to find places for messages. */
enum cdm_status cdm_dump_json_read_value(const struct cdm_json_parser *parser,
                                         struct cdm_json document, struct cdm_arena *arena,
                                         struct cdm_programs *programs,
                                         struct cdm_error *err) CDM_MUST_CHECK;

#endif
