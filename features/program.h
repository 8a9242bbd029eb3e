/* A tensor program: the loop nest that every reader builds and every later stage walks.
 *
 * A program is one function. Everything it points to lives in one arena and dies with it. Readers
 * fill the structures through features/build.h; nobody changes a finished program.
 *
 * Expressions have one shape for all kinds: a kind, a data type and an array of argument
 * expressions, so that a walk needs no switch. Statements are a tree of bodies in program order.
 * What a reader does not understand is kept (EXPR_CALL with the unknown name, STMT_EVALUATE,
 * attributes with any key), never dropped. */
#ifndef CDMPP_FEATURES_PROGRAM_H
#define CDMPP_FEATURES_PROGRAM_H

#include "cdmpp/core/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cdm_type_code {
    TYPE_INT,
    TYPE_UINT, /* bool is uint with 1 bit */
    TYPE_FLOAT,
    TYPE_BFLOAT,
    TYPE_HANDLE, /* pointers, strings, void, and types that we do not know (`name` says which) */
};

/* A data type such as float32x4. */
struct cdm_type {
    uint8_t code;     /* enum cdm_type_code */
    uint8_t scalable; /* 1: lanes is a multiple of vscale */
    uint16_t bits;    /* per lane; 0 for handle */
    uint16_t lanes;   /* 1 for a scalar */
    const char
        *name; /* spelling of a type that is not int, uint, bool, float or bfloat; else NULL */
};

enum cdm_expr_kind {
    EXPR_INT,    /* integer */
    EXPR_FLOAT,  /* number */
    EXPR_STRING, /* text */
    EXPR_VAR,    /* var */
    EXPR_BUFFER, /* buffer: a buffer named as a value, as in an attribute or an intrinsic */
    /* Two arguments. */
    EXPR_ADD,
    EXPR_SUB,
    EXPR_MUL,
    EXPR_DIV, /* truncating for integers */
    EXPR_MOD, /* truncating for integers */
    EXPR_FLOORDIV,
    EXPR_FLOORMOD,
    EXPR_MIN,
    EXPR_MAX,
    EXPR_EQ,
    EXPR_NE,
    EXPR_LT,
    EXPR_LE,
    EXPR_GT,
    EXPR_GE,
    EXPR_AND,
    EXPR_OR,
    /* Others. */
    EXPR_NOT,       /* args[0] */
    EXPR_CAST,      /* args[0], to `type` */
    EXPR_SELECT,    /* args: condition, value if true, value if false */
    EXPR_LOAD,      /* buffer, args: indices (and a predicate: see n_index) */
    EXPR_RAMP,      /* args: base, stride; `integer` lanes (args[2] when they are an expression) */
    EXPR_BROADCAST, /* args: value; `integer` lanes (args[1] when they are an expression) */
    EXPR_SHUFFLE,   /* args: vectors, then indices; `integer` = number of vectors */
    EXPR_CALL,   /* text = name without "T." or "tir."; args; keyword arguments are EXPR_KEYWORD */
    EXPR_LET,    /* var, args: value, body */
    EXPR_REDUCE, /* a reduction that is not lowered; text = "reduce"; args as they are printed */
    EXPR_ITER_VAR, /* var, text = thread tag, `integer` = iteration type; args: min, extent or none
                    */
    EXPR_RANGE,    /* args: min, extent; as printed in a region a:b */
    EXPR_LIST,     /* args; [a, b] or (a, b) */
    EXPR_DICT,     /* args: key, value, key, value */
    EXPR_KEYWORD,  /* text = name, args[0] = value; only inside EXPR_CALL */
    EXPR_LAMBDA,   /* args: parameters (EXPR_VAR), the last one the body */
    EXPR_N_KINDS,
};

struct cdm_var {
    const char *name; /* as the dump has it */
    struct cdm_type type;
    int32_t id; /* 0 .. program->n_vars - 1, in order of first appearance */
};

struct cdm_buffer {
    const char *name;
    struct cdm_type type;
    const char *scope; /* "global", "shared", "local", ... ; never NULL */
    struct cdm_expr **shape;
    int32_t n_dims;
    struct cdm_expr **strides;    /* NULL: compact */
    struct cdm_expr *elem_offset; /* NULL: 0 */
    int32_t align;                /* data_alignment in bytes; 0 = not said */
    int32_t offset_factor;        /* 0 = not said */
    struct cdm_buffer
        *base; /* the buffer whose storage this one views; itself when it has its own */
    struct cdm_buffer *source; /* it is a region of that one: see cdm_buffer_match(); else NULL */
    struct cdm_expr **source_mins; /* [source->n_dims]: where the region starts */
    int32_t id;                    /* 0 .. program->n_buffers - 1, in order of first appearance */
    int32_t param;                 /* index in program->params, or -1 */
};

struct cdm_expr {
    uint8_t kind; /* enum cdm_expr_kind */
    struct cdm_type type;
    int32_t n_args;
    int32_t
        n_index; /* EXPR_LOAD: how many of args are indices; the one after them is the predicate */
    struct cdm_expr **args;
    union {
        int64_t integer;
        double number;
        const char *text;
    };
    union {
        struct cdm_var *var;
        struct cdm_buffer *buffer;
    };
};

enum cdm_loop_kind {
    LOOP_SERIAL,
    LOOP_PARALLEL,
    LOOP_VECTORIZED,
    LOOP_UNROLLED,
    LOOP_THREAD,  /* bound to a GPU axis: thread_tag says which */
    LOOP_VTHREAD, /* virtual thread */
};

enum cdm_stmt_kind {
    STMT_SEQ,      /* children */
    STMT_LOOP,     /* var from min, extent times; body */
    STMT_ATTR,     /* node, key, value; body */
    STMT_REALIZE,  /* buffer, bounds; body */
    STMT_ALLOCATE, /* buffer (its shape = extents), condition; body */
    STMT_STORE,    /* buffer[indices] = value if predicate */
    STMT_IF,       /* condition; body, other (NULL without else) */
    STMT_LET,      /* var = value; body */
    STMT_ASSERT,   /* condition, value = message; body */
    STMT_EVALUATE, /* value */
    STMT_WHILE,    /* condition; body */
    STMT_N_KINDS,
};

struct cdm_annotation {
    const char *key;
    struct cdm_expr *value;
};

struct cdm_stmt {
    uint8_t kind;      /* enum cdm_stmt_kind */
    uint8_t loop_kind; /* enum cdm_loop_kind */
    bool
        is_attr; /* STMT_LOOP: the dump had an attribute (thread_extent, virtual_thread), no loop */
    int32_t line; /* where it starts in the text that was read; 0 = unknown */
    int32_t column;

    struct cdm_stmt
        *body; /* never NULL for kinds that have one; an empty one is an empty STMT_SEQ */
    struct cdm_stmt *other;     /* STMT_IF */
    struct cdm_stmt **children; /* STMT_SEQ */
    int32_t n_children;

    struct cdm_var *var;                /* STMT_LOOP, STMT_LET */
    struct cdm_expr *min;               /* STMT_LOOP */
    struct cdm_expr *extent;            /* STMT_LOOP */
    const char *thread_tag;             /* STMT_LOOP of LOOP_THREAD or LOOP_VTHREAD; else NULL */
    struct cdm_annotation *annotations; /* STMT_LOOP, STMT_ALLOCATE */
    int32_t n_annotations;

    struct cdm_buffer *buffer; /* STMT_STORE, STMT_REALIZE, STMT_ALLOCATE */
    struct cdm_expr **indices; /* STMT_STORE: indices; STMT_REALIZE: bounds, each EXPR_RANGE */
    int32_t n_indices;
    struct cdm_expr *value;     /* STMT_STORE, STMT_ATTR, STMT_LET, STMT_EVALUATE, STMT_ASSERT */
    struct cdm_expr *condition; /* STMT_IF, STMT_ASSERT, STMT_WHILE; predicate of STMT_STORE;
                                   condition of STMT_REALIZE and STMT_ALLOCATE; NULL = always */
    struct cdm_expr *node;      /* STMT_ATTR: NULL when the dump has none */
    const char *key;            /* STMT_ATTR */
};

/* How far TVM had lowered the program when it was dumped. */
enum cdm_stage {
    STAGE_BLOCK,   /* scheduled, with blocks */
    STAGE_FEATURE, /* loops and realized multi-dimensional buffers: what the model was trained on */
    STAGE_LOWERED, /* flat buffers, vectors as ramps */
};

struct cdm_param {
    struct cdm_var *var;       /* the handle or scalar */
    struct cdm_buffer *buffer; /* its buffer; NULL for a scalar or a bare handle */
};

struct cdm_program {
    struct cdm_arena *arena; /* owns all that follows */
    const char *name;        /* function name: "main" */
    const char *format;      /* name of the reader that made it: "tvmscript", "tvm-json" */
    enum cdm_stage stage;
    int64_t line; /* where it starts in the stream that was read, from 1 */

    struct cdm_param *params;
    int32_t n_params;
    struct cdm_annotation *attrs; /* function attributes, in the order of the dump */
    int32_t n_attrs;

    struct cdm_stmt *body; /* never NULL */

    struct cdm_var **vars; /* [n_vars] */
    int32_t n_vars;
    struct cdm_buffer **buffers; /* [n_buffers] */
    int32_t n_buffers;
};

/* Limits on one program, so that hostile input cannot exhaust memory or the stack. */
enum {
    CDM_MAX_DEPTH = 512,     /* nesting of statements and of expressions */
    CDM_MAX_DIMS = 32,       /* dimensions of a buffer */
    CDM_MAX_TEXT = 64 << 20, /* bytes of text of one program */
    CDM_MAX_NODES = 1 << 22, /* expressions and statements of one program */
};

#endif
