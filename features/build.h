/* Constructors for the parts of a program. Every reader goes through them, so that types are
 * inferred and limits are enforced in one place.
 *
 * The results live in the program's arena. A constructor never fails: when the program has grown
 * past its limits it sets builder->too_large and goes on; readers check cdm_build_check() once per
 * statement. */
#ifndef CDMPP_FEATURES_BUILD_H
#define CDMPP_FEATURES_BUILD_H

#include "cdmpp/core/error.h"
#include "cdmpp/core/str.h"
#include "features/program.h"

struct cdm_builder {
    struct cdm_arena *arena;
    struct cdm_program *program;
    size_t max_vars, max_buffers; /* capacity of program->vars and ->buffers */
    int64_t n_nodes;
    bool too_large;
};

/* Starts a new program in `arena`, which must outlive it. `format` is the reader's name (static
 * text). */
void cdm_build_start(struct cdm_builder *builder, struct cdm_arena *arena, const char *format);

/* CDM_BAD_INPUT once the program has more nodes than CDM_MAX_NODES. */
enum cdm_status cdm_build_check(const struct cdm_builder *builder,
                                struct cdm_error *err) CDM_MUST_CHECK;

/* The type that `text` spells: "float32", "int8x4", "bool", "uint1", "handle", "bfloat16",
 * "float32xvscalex4", ... An unknown spelling gives TYPE_HANDLE that keeps the name. */
struct cdm_type cdm_type_parse(struct cdm_builder *builder, struct cdm_view text);

/* The spelling of `type` in TVM ("bool" for one bit); `text` has room for `size` bytes. Returns it.
 */
const char *cdm_type_text(struct cdm_type type, char *text, size_t size);

bool cdm_type_is_float(struct cdm_type type); /* float or bfloat */
bool cdm_type_equal(struct cdm_type a, struct cdm_type b);

/* Frequent types. */
struct cdm_type cdm_type_int32(void);
struct cdm_type cdm_type_float32(void);
struct cdm_type cdm_type_bool(void);
struct cdm_type cdm_type_handle(void);

/* Variables and buffers get their id (order of creation). `name` is copied. */
struct cdm_var *cdm_build_var(struct cdm_builder *builder, struct cdm_view name,
                              struct cdm_type type);
/* A variable outside the program's numbering: the name that an attribute's T.iter_var mentions. */
struct cdm_var *cdm_build_loose_var(struct cdm_builder *builder, struct cdm_view name,
                                    struct cdm_type type);
/* `shape` is borrowed (arena memory); scope NULL = "global". */
struct cdm_buffer *cdm_build_buffer(struct cdm_builder *builder, struct cdm_view name,
                                    struct cdm_type type, struct cdm_expr **shape, int32_t n_dims,
                                    const char *scope);

/* `buffer` shares the storage of `other`, and so its scope. */
void cdm_buffer_alias(struct cdm_buffer *buffer, const struct cdm_buffer *other);

/* `buffer` stands for the region of `source` that begins at mins[i] and has extents[i], one of each
 * for every dimension of `source`: it shares the storage, and when the region's last dimensions are
 * the buffer's, which is what T.match_buffer demands, accesses are moved to the source. */
void cdm_buffer_match(struct cdm_buffer *buffer, struct cdm_buffer *source, struct cdm_expr **mins,
                      struct cdm_expr *const *extents);

/* Moves an access of a matched buffer to its source: *buffer, *indices and *n become those of the
 * source. Leaves other buffers alone. cdm_expr_load() does this by itself; stores ask for it. */
void cdm_build_access(struct cdm_builder *builder, struct cdm_buffer **buffer,
                      struct cdm_expr ***indices, int32_t *n);

/* Expressions. */
struct cdm_expr *cdm_expr_new(struct cdm_builder *builder, enum cdm_expr_kind kind,
                              struct cdm_type type, int32_t n_args);
struct cdm_expr *cdm_expr_int(struct cdm_builder *builder, int64_t value, struct cdm_type type);
struct cdm_expr *cdm_expr_float(struct cdm_builder *builder, double value, struct cdm_type type);
struct cdm_expr *cdm_expr_text(struct cdm_builder *builder, struct cdm_view text);
struct cdm_expr *cdm_expr_var(struct cdm_builder *builder, struct cdm_var *var);
struct cdm_expr *cdm_expr_buffer(struct cdm_builder *builder, struct cdm_buffer *buffer);
/* kind EXPR_ADD .. EXPR_OR. Comparisons give bool with the lanes of a; otherwise the type is that
 * of the operand that has one of its own: a bare literal takes the other's, as TVM's Python front
 * end does. */
struct cdm_expr *cdm_expr_binary(struct cdm_builder *builder, enum cdm_expr_kind kind,
                                 struct cdm_expr *a, struct cdm_expr *b);
/* The type is the buffer's, times the lanes of the last index. `n_args` = n_index, or one more with
 * a predicate at the end. The caller fills args. */
struct cdm_expr *cdm_expr_load(struct cdm_builder *builder, struct cdm_buffer *buffer,
                               struct cdm_expr **indices, int32_t n_index,
                               struct cdm_expr *predicate);
/* `expr` stands in one more place. Its nodes are counted as if they were copied, since a walk meets
 * them again: too_large is set when that is too much, and when it is nested deeper than
 * CDM_MAX_DEPTH. *height (which may be NULL) is the height of the tree. Returns `expr`. */
struct cdm_expr *cdm_expr_reuse(struct cdm_builder *builder, struct cdm_expr *expr, int *height);
/* The value of an integer literal, also through casts of one; false when it is none. */
bool cdm_expr_is_int(const struct cdm_expr *expr, int64_t *value);

/* Statements: zeroed but for kind and place. */
struct cdm_stmt *cdm_stmt_new(struct cdm_builder *builder, enum cdm_stmt_kind kind, int64_t line,
                              int64_t column);
/* A sequence of `n` statements (copied array); one statement is returned as it is. */
struct cdm_stmt *cdm_stmt_seq(struct cdm_builder *builder, struct cdm_stmt *const *children,
                              int32_t n);

/* Whether the loop attribute's tag names a virtual thread ("vthread", "vthread.x", "cthread"). */
bool cdm_tag_is_vthread(const char *tag);

/* What the intrinsic `name` (without "T." or "tir.") does, for operation counts. */
enum cdm_call_effect {
    CALL_PURE,  /* TVM's kPure and kExprAnnotation: math functions, if_then_else, likely, shifts */
    CALL_OTHER, /* reads or updates state, or is unknown */
};
enum cdm_call_effect cdm_call_effect(const char *name);

/* The type of a call's result when the dump does not say: that of the first argument, but for a
 * few. */
struct cdm_type cdm_call_type(const char *name, struct cdm_expr *const *args, int32_t n_args);

#endif
