#include "cdmpp/core/alloc.h"
#include "features/dump_json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* cmocka.h needs the headers above. */
#include <cmocka.h>

/* tests/cases/dump_json/NAME.json; the caller releases it. */
static struct cdm_str load_case(const char *name)
{
    char path[128];
    char block[4096];
    struct cdm_str text = {0};
    size_t n;

    snprintf(path, sizeof path, "tests/cases/dump_json/%s.json", name);
    FILE *file = fopen(path, "rb");
    if (!file)
        fail_msg("%s: cannot open (tests run in the root of the checkout)", path);
    while (file && (n = fread(block, 1, sizeof block, file)) > 0)
        cdm_str_add(&text, block, n);
    if (file)
        fclose(file);
    return text;
}

static enum cdm_status read_text(struct cdm_view text, struct cdm_arena *arena,
                                 struct cdm_programs *programs, struct cdm_error *err)
{
    *programs = (struct cdm_programs){0};
    *err = (struct cdm_error){0};
    return cdm_dump_json_read(text, 1, arena, programs, err);
}

/* The programs of a case that must be good. */
static struct cdm_programs read_case(const char *name, struct cdm_arena *arena)
{
    struct cdm_programs programs;
    struct cdm_error err;
    struct cdm_str text = load_case(name);

    if (read_text((struct cdm_view){text.data, text.length}, arena, &programs, &err))
        fail_msg("%s: %d:%d: %s", name, (int)err.line, (int)err.column, err.message);
    cdm_str_release(&text);
    return programs;
}

static int set_up(void **state)
{
    *state = cdm_alloc(1, sizeof(struct cdm_arena));
    return 0;
}

static int tear_down(void **state)
{
    cdm_arena_release(*state);
    free(*state);
    return 0;
}

/* Takes one level off: the statement must have kind `kind`. */
static struct cdm_stmt *body_of(struct cdm_stmt *stmt, enum cdm_stmt_kind kind)
{
    assert_int_equal(stmt->kind, kind);
    return stmt->body;
}

static void gemm_has_its_loops_stores_and_parameters(void **state)
{
    struct cdm_programs programs = read_case("gemm", *state);
    assert_int_equal(programs.n, 1);
    struct cdm_program *program = programs.items[0];

    assert_string_equal(program->name, "main");
    assert_string_equal(program->format, "tvm-json");
    assert_int_equal(program->stage, STAGE_FEATURE);
    assert_int_equal(program->line, 1);
    assert_int_equal(program->n_params, 3);
    for (int32_t i = 0; i < 3; i++) {
        assert_int_equal(program->params[i].buffer->param, i);
        assert_ptr_equal(program->params[i].buffer->base, program->params[i].buffer);
        assert_string_equal(program->params[i].buffer->scope, "global");
        assert_int_equal(program->params[i].buffer->align, 0);
        assert_int_equal(program->params[i].buffer->offset_factor, 0);
        assert_null(program->params[i].buffer->strides);
        assert_null(program->params[i].buffer->elem_offset);
    }
    assert_string_equal(program->params[1].buffer->name, "B");
    assert_int_equal(program->params[1].buffer->n_dims, 2);
    assert_int_equal(program->params[1].buffer->shape[0]->integer, 64);
    assert_int_equal(program->params[1].buffer->shape[1]->integer, 16);

    struct cdm_stmt *realize = program->body;
    struct cdm_stmt *pragma = body_of(realize, STMT_REALIZE);
    assert_ptr_equal(realize->buffer, program->params[2].buffer);
    assert_int_equal(realize->n_indices, 2);
    assert_int_equal(realize->indices[0]->kind, EXPR_RANGE);
    assert_int_equal(realize->indices[0]->args[1]->integer, 32);
    assert_null(realize->condition);
    struct cdm_stmt *outer = body_of(pragma, STMT_ATTR);
    assert_string_equal(pragma->key, "pragma_auto_unroll_max_step");
    assert_int_equal(pragma->node->kind, EXPR_ITER_VAR);
    assert_string_equal(pragma->node->type.name, "DataPar");
    assert_int_equal(pragma->node->var->id, -1);
    assert_int_equal(pragma->value->integer, 16);
    assert_int_equal(outer->loop_kind, LOOP_PARALLEL);
    assert_int_equal(outer->extent->integer, 32);
    assert_string_equal(outer->var->name, "i.outer");
    assert_false(outer->is_attr);
    struct cdm_stmt *second = body_of(outer, STMT_LOOP);
    struct cdm_stmt *seq = body_of(second, STMT_LOOP);
    assert_int_equal(seq->kind, STMT_SEQ);
    assert_int_equal(seq->n_children, 2);

    struct cdm_stmt *init = seq->children[0];
    struct cdm_stmt *update = body_of(seq->children[1], STMT_LOOP);
    assert_int_equal(init->loop_kind, LOOP_VECTORIZED);
    assert_int_equal(init->body->kind, STMT_STORE);
    assert_int_equal(init->body->value->kind, EXPR_FLOAT);
    assert_int_equal(update->loop_kind, LOOP_UNROLLED);
    assert_int_equal(update->n_annotations, 2);
    assert_string_equal(update->annotations[0].key, "another");
    assert_string_equal(update->annotations[0].value->text, "x");
    assert_string_equal(update->annotations[1].key, "pragma_unroll");
    assert_int_equal(update->annotations[1].value->integer, 4);
    struct cdm_stmt *store = update->body;
    assert_int_equal(store->value->kind, EXPR_ADD);
    assert_int_equal(store->value->type.code, TYPE_FLOAT);
    assert_int_equal(store->value->args[1]->kind, EXPR_MUL);
    struct cdm_expr *load = store->value->args[1]->args[1];
    assert_int_equal(load->kind, EXPR_LOAD);
    assert_ptr_equal(load->buffer, program->params[1].buffer);
    assert_ptr_equal(load->args[0]->var, seq->children[1]->var);
    /* Both loops over j.inner are of one variable in the dump and of their own here. */
    assert_ptr_not_equal(init->var, update->var);
    assert_ptr_equal(load->args[1]->args[1]->var, update->var);
}

static void function_attributes_are_sorted_by_name(void **state)
{
    struct cdm_program *program = read_case("gemm", *state).items[0];

    assert_int_equal(program->n_attrs, 3);
    assert_string_equal(program->attrs[0].key, "from_legacy_te_schedule");
    assert_string_equal(program->attrs[1].key, "global_symbol");
    assert_string_equal(program->attrs[1].value->text, "main");
    assert_string_equal(program->attrs[2].key, "tir.noalias");
    assert_int_equal(program->attrs[2].value->integer, 1);
}

static void reduction_across_threads_keeps_combiner_and_buffers(void **state)
{
    struct cdm_program *program = read_case("allreduce", *state).items[0];

    assert_int_equal(program->stage, STAGE_LOWERED);
    struct cdm_stmt *block = program->body;
    struct cdm_stmt *part = body_of(block, STMT_LOOP);
    assert_int_equal(block->loop_kind, LOOP_THREAD);
    assert_true(block->is_attr);
    assert_string_equal(block->thread_tag, "blockIdx.x");
    struct cdm_stmt *result = body_of(part, STMT_ALLOCATE);
    assert_string_equal(part->buffer->scope, "local");
    struct cdm_stmt *thread = body_of(result, STMT_ALLOCATE);
    struct cdm_stmt *seq = body_of(thread, STMT_LOOP);
    assert_int_equal(seq->n_children, 4);
    /* The Buffer over the allocated data says nothing new: it is the allocation. */
    assert_ptr_equal(seq->children[0]->buffer, part->buffer);

    struct cdm_stmt *scope = seq->children[2];
    struct cdm_stmt *evaluate = body_of(scope, STMT_ATTR);
    struct cdm_expr *reducer = scope->node;
    assert_string_equal(scope->key, "reduce_scope");
    assert_int_equal(reducer->kind, EXPR_CALL);
    assert_string_equal(reducer->text, "comm_reducer");
    assert_int_equal(reducer->args[0]->kind, EXPR_LAMBDA);
    assert_int_equal(reducer->args[0]->n_args, 3);
    struct cdm_expr *sum = reducer->args[0]->args[2];
    assert_int_equal(sum->kind, EXPR_ADD);
    assert_ptr_equal(sum->args[0]->var, reducer->args[0]->args[0]->var);
    assert_ptr_equal(sum->args[1]->var, reducer->args[0]->args[1]->var);
    assert_int_equal(reducer->args[1]->kind, EXPR_LIST);
    assert_int_equal(reducer->args[1]->n_args, 1);
    assert_string_equal(scope->value->text, "reinterpret");

    assert_int_equal(evaluate->kind, STMT_EVALUATE);
    assert_string_equal(evaluate->value->text, "tvm_thread_allreduce");
    assert_int_equal(evaluate->value->n_args, 5);
    assert_ptr_equal(evaluate->value->args[4]->var, thread->var);
    assert_ptr_equal(evaluate->value->args[3]->buffer, result->buffer);
}

static void virtual_threads_and_realize_scopes_are_read(void **state)
{
    struct cdm_program *program = read_case("vthread", *state).items[0];
    struct cdm_stmt *block = body_of(program->body, STMT_REALIZE);
    struct cdm_stmt *vthread = body_of(block, STMT_LOOP);
    struct cdm_stmt *thread = body_of(vthread, STMT_LOOP);
    struct cdm_stmt *shared = body_of(thread, STMT_LOOP);

    assert_int_equal(vthread->loop_kind, LOOP_VTHREAD);
    assert_string_equal(vthread->thread_tag, "vthread");
    assert_int_equal(vthread->extent->integer, 2);
    /* The attribute "realize_scope" is gone, the scope is known. */
    assert_int_equal(shared->kind, STMT_REALIZE);
    assert_string_equal(shared->buffer->scope, "shared");
    assert_string_equal(shared->buffer->name, "A.shared");
    assert_ptr_equal(shared->indices[0]->args[0]->var, block->var);
    struct cdm_stmt *twice = shared->body->children[0];
    struct cdm_stmt *again = body_of(twice, STMT_ATTR);
    assert_string_equal(twice->key, "double_buffer_scope");
    assert_int_equal(twice->node->kind, EXPR_BUFFER);
    assert_ptr_equal(twice->node->buffer, shared->buffer);
    assert_string_equal(again->thread_tag, "threadIdx.x");
    assert_ptr_not_equal(again->var, thread->var);
}

static void every_kind_of_statement_is_read(void **state)
{
    static const enum cdm_stmt_kind kinds[] = {STMT_IF,     STMT_IF,       STMT_LET,
                                               STMT_STORE,  STMT_STORE,    STMT_WHILE,
                                               STMT_ASSERT, STMT_EVALUATE, STMT_EVALUATE};
    struct cdm_program *program = read_case("everything", *state).items[0];
    struct cdm_stmt *allocate = program->body;
    struct cdm_stmt *loop = body_of(allocate, STMT_ALLOCATE);
    struct cdm_stmt *seq = body_of(loop, STMT_LOOP);

    assert_string_equal(program->name, "everything");
    assert_int_equal(program->n_params, 4);
    assert_null(program->params[3].buffer);
    assert_string_equal(allocate->annotations[0].key, "key");
    assert_int_equal(loop->min->integer, 2);
    assert_ptr_equal(loop->extent->var, program->params[3].var);
    /* A sequence in a sequence is laid out flat. */
    assert_int_equal(seq->n_children, sizeof kinds / sizeof *kinds);
    for (int32_t i = 0; i < seq->n_children; i++)
        assert_int_equal(seq->children[i]->kind, kinds[i]);
    assert_non_null(seq->children[0]->other);
    assert_null(seq->children[1]->other);
    assert_string_equal(seq->children[1]->condition->text, "likely");
    assert_int_equal(seq->children[1]->body->value->kind, EXPR_CAST);
    assert_string_equal(seq->children[6]->value->text, "too \"large\"\n");

    struct cdm_expr *select = seq->children[0]->body->value;
    assert_int_equal(select->kind, EXPR_SELECT);
    assert_true(select->args[2]->number < -1e308);
    struct cdm_expr *let = seq->children[2]->body->value;
    assert_int_equal(let->kind, EXPR_LET);
    assert_ptr_equal(let->args[1]->args[0]->args[0]->var, let->var);
    assert_string_equal(let->args[1]->text, "if_then_else");

    /* One buffer is a view of the allocation in another shape, the other in another size. */
    struct cdm_buffer *view = seq->children[4]->buffer;
    assert_ptr_equal(seq->children[3]->buffer->base, allocate->buffer);
    assert_int_equal(seq->children[3]->buffer->align, 32);
    assert_int_equal(seq->children[3]->value->integer, 4);
    assert_int_equal(seq->children[3]->indices[0]->type.lanes, 4);
    assert_ptr_equal(view->base, allocate->buffer);
    assert_int_equal(view->strides[0]->integer, 5);
    struct cdm_expr *call = seq->children[7]->value;
    assert_string_equal(call->text, "call_extern");
    assert_int_equal(call->args[1]->kind, EXPR_DIV);
    assert_int_equal(call->args[2]->kind, EXPR_MOD);
    assert_int_equal(call->args[3]->type.bits, 64);
    assert_int_equal(call->args[3]->args[1]->integer, -4);
    assert_ptr_equal(call->args[4]->buffer, allocate->buffer);
    assert_int_equal(seq->children[8]->value->kind, EXPR_SHUFFLE);
    assert_int_equal(seq->children[8]->value->integer, 2);
    assert_int_equal(seq->children[8]->value->n_args, 4);
}

static void functions_of_a_module_are_separate_programs_in_the_order_of_their_names(void **state)
{
    struct cdm_programs programs = read_case("functions", *state);

    assert_int_equal(programs.n, 2);
    struct cdm_program *a = programs.items[0];
    struct cdm_program *b = programs.items[1];
    assert_string_equal(a->name, "a");
    assert_string_equal(b->name, "b");
    assert_int_equal(a->n_vars, 1);
    assert_int_equal(b->n_vars, 1);
    assert_int_equal(b->n_buffers, 1);
    /* The index is one node of the dump, but each program has its own. */
    struct cdm_expr *index = a->body->body->children[0]->indices[0];
    assert_ptr_not_equal(index, b->body->body->indices[0]);
    assert_ptr_equal(index->args[0]->var, a->body->var);
    assert_ptr_equal(b->body->body->indices[0]->args[0]->var, b->body->var);
}

static void loops_can_be_bound_to_threads(void **state)
{
    struct cdm_program *program = read_case("bound", *state).items[0];
    struct cdm_stmt *block = program->body;
    struct cdm_stmt *vthread = body_of(block, STMT_LOOP);
    struct cdm_stmt *thread = body_of(vthread, STMT_LOOP);

    assert_string_equal(program->name, "main"); /* the dump says none */
    assert_int_equal(block->loop_kind, LOOP_THREAD);
    assert_false(block->is_attr);
    assert_string_equal(block->thread_tag, "blockIdx.x");
    assert_int_equal(block->extent->kind, EXPR_FLOORDIV);
    assert_int_equal(vthread->loop_kind, LOOP_VTHREAD);
    assert_string_equal(thread->thread_tag, "threadIdx.x");
    /* The size n is the parameter, in the shape as well. */
    assert_ptr_equal(program->params[0].buffer->shape[0]->var, program->params[1].var);
    assert_ptr_equal(block->extent->args[0]->args[0]->var, program->params[1].var);
}

static void an_expression_used_in_two_loops_refers_to_each_loops_variable(void **state)
{
    struct cdm_stmt *seq = read_case("rebound", *state).items[0]->body;
    struct cdm_stmt *first = seq->children[0];
    struct cdm_stmt *second = seq->children[1];

    assert_ptr_not_equal(first->var, second->var);
    assert_ptr_equal(first->body->indices[0]->args[0]->args[0]->var, first->var);
    assert_ptr_equal(second->body->indices[0]->args[0]->args[0]->var, second->var);
    /* Within a loop the shared node is one expression. */
    assert_ptr_equal(second->body->value->args[0], second->body->indices[0]);
}

static void shared_nodes_are_read_once(void **state)
{
    struct cdm_program *program = read_case("shared", *state).items[0];
    struct cdm_expr *sum = program->body->body->indices[0];

    for (int i = 0; i < 8; i++) {
        assert_int_equal(sum->kind, EXPR_ADD);
        assert_ptr_equal(sum->args[0], sum->args[1]);
        sum = sum->args[0];
    }
    assert_ptr_equal(sum->var, program->body->var);
}

static void what_is_not_known_as_a_value_is_kept(void **state)
{
    struct cdm_stmt *attr = read_case("unknown", *state).items[0]->body;
    struct cdm_expr *value = attr->value;

    assert_null(attr->node);
    assert_int_equal(value->kind, EXPR_CALL);
    assert_string_equal(value->text, "ProducerLoad");
    assert_int_equal(value->type.code, TYPE_FLOAT);
    assert_int_equal(value->n_args, 2);
    assert_int_equal(value->args[0]->kind, EXPR_KEYWORD);
    assert_string_equal(value->args[0]->text, "indices");
    assert_string_equal(value->args[0]->args[0]->text, "30");
    struct cdm_stmt *other = attr->body;
    assert_string_equal(other->node->text, "text");
    assert_int_equal(other->value->kind, EXPR_DICT);
    assert_string_equal(other->value->args[0]->text, "a");
    assert_int_equal(other->value->args[3]->kind, EXPR_LIST);
    assert_string_equal(other->value->args[3]->args[1]->text, "None");
}

static void a_constant_is_an_allocation_with_a_note(void **state)
{
    struct cdm_program *program = read_case("constant", *state).items[0];

    assert_int_equal(program->params[0].buffer->n_dims, 0);
    assert_int_equal(program->body->kind, STMT_ALLOCATE);
    assert_string_equal(program->body->annotations[0].key, "constant");
    assert_int_equal(program->body->body->n_indices, 0);
    assert_ptr_equal(program->body->body->value->buffer, program->body->buffer);
}

/* Errors: a good case in which one piece of text is replaced. */

struct broken {
    const char *name;
    const char *old;
    const char *new;
    const char *message; /* with its line */
};

static const struct broken broken[] = {
    {"rebound", "\"root\":1", "\"root\":99", "1: \"root\" is 99, which is no node (there are 48)"},
    {"rebound", "\"root\":1", "\"root\":-1", "1: \"root\" is -1, which is no node (there are 48)"},
    {"rebound", "\"root\":1", "\"root\":\"1\"", "1: \"root\": expected an integer, found a string"},
    {"rebound", "\"root\":1,", "", "1: there is no \"root\""},
    {"rebound", "\"root\":1", "\"root\":3",
     "6: node 3 (Map): the root is no IRModule and no PrimFunc"},
    {"rebound", "\"nodes\"", "\"knots\"", "1: there is no \"nodes\""},
    {"rebound", "\"body\":\"4\"", "\"body\":\"400\"",
     "4: node 1 (tir.PrimFunc): \"body\" is \"400\", which is no node (there are 48)"},
    {"rebound", "\"body\":\"4\"", "\"body\":\"-4\"",
     "4: node 1 (tir.PrimFunc): \"body\" is \"-4\", which is no node (there are 48)"},
    {"rebound", "\"body\":\"4\"", "\"body\":\"4x\"",
     "4: node 1 (tir.PrimFunc): \"body\" is \"4x\", which is no node (there are 48)"},
    {"rebound", "\"body\":\"4\"", "\"body\":\"99999999999999999999\"",
     "4: node 1 (tir.PrimFunc): \"body\" is \"99999999999999999999\", which is no node (there are "
     "48)"},
    {"rebound", "\"body\":\"4\"", "\"body\":4", "4: node 1 (tir.PrimFunc): \"body\" is no text"},
    {"rebound", "\"body\":\"4\",", "", "4: node 1 (tir.PrimFunc): there is no field \"body\""},
    {"rebound", "\"body\":\"4\"", "\"body\":\"0\"", "3: node 0: a statement is expected here"},
    {"rebound", "\"body\":\"4\"", "\"body\":\"9\"",
     "12: node 9 (tir.Buffer): a statement is expected here"},
    {"rebound", "\"body\":\"8\"", "\"body\":\"4\"",
     "7: node 4 (tir.SeqStmt): the node is part of itself"},
    {"rebound", "\"a\":\"24\"", "\"a\":\"22\"",
     "25: node 22 (tir.Mul): the node is part of itself"},
    {"rebound", "\"shape\":\"18\"", "\"shape\":\"21\"",
     NULL /* a buffer whose shape has a variable: good */},
    {"rebound", "\"kind\":\"0\"", "\"kind\":\"9\"",
     "9: node 6 (tir.For): there is no kind of loop 9"},
    {"rebound", "\"kind\":\"0\"", "\"kind\":\"4\"",
     "9: node 6 (tir.For): a loop of kind 4, and no other, needs a \"thread_binding\""},
    {"rebound", "\"kind\":\"0\"", "\"kind\":\"x\"",
     "9: node 6 (tir.For): \"kind\" is \"x\", which is no integer"},
    {"rebound", "\"loop_var\":\"24\"", "\"loop_var\":\"9\"",
     "12: node 9 (tir.Buffer): a variable is expected here"},
    {"rebound", "\"buffer\":\"9\"", "\"buffer\":\"24\"",
     "11: node 8 (tir.BufferStore): \"buffer\" is node 24 (tir.Var), not Buffer"},
    {"rebound", "\"buffer\":\"9\"", "\"buffer\":\"0\"", "3: node 0: a Buffer is expected here"},
    {"rebound", "\"data_alignment\":\"64\"", "\"data_alignment\":\"9999999999\"",
     "12: node 9 (tir.Buffer): 9999999999 is out of range"},
    {"rebound", "\"strides\":\"20\"", "\"strides\":\"5\"",
     "9: node 6 (tir.For): a value is expected here"},
    {"rebound", "\"data\":[22]", "\"data\":[48]",
     "24: node 21 (Array): \"data\" holds something that is no node (there are 48)"},
    {"rebound", "\"data\":[22]", "\"data\":[\"22\"]",
     "24: node 21 (Array): \"data\" holds something that is no node (there are 48)"},
    {"rebound", "\"data\":[22]", "\"data\":22", "24: node 21 (Array): \"data\" is no array"},
    {"rebound", "\"thread_binding\":\"0\"", "\"step\":\"7\",\"thread_binding\":\"0\"",
     "9: node 6 (tir.For): the field \"step\" is not known"},
    {"rebound", "\"thread_binding\":\"0\"", "\"step\":\"0\",\"thread_binding\":\"0\"", NULL},
    {"rebound", "{\"type_key\":\"tir.SeqStmt\"", "{\"type\":\"tir.SeqStmt\"",
     "7: node 4: there is no \"type_key\" with a text"},
    {"rebound", "{\"type_key\":\"tir.SeqStmt\"", "{\"type_key\":\"tir.SeqStat\"",
     "7: node 4 (tir.SeqStat): a statement is expected here"},
    {"rebound", "{\"type_key\":\"tir.SeqStmt\"", "{\"type_key\":\"tir.BlockRealize\"",
     "7: node 4 (tir.BlockRealize): this program is scheduled but not lowered (it has blocks): "
     "save "
     "it after lowering"},
    {"rebound", "{\"root\":1", "{\"root_index\":1",
     "1: this is a graph of TVM 0.22 or newer, which is not read yet"},
    {"rebound", "\"dtype\":\"int32\",\"span\":\"0\",\"value\":\"3\"",
     "\"dtype\":\"int32\",\"span\":\"0\",\"value\":\"3.0\"",
     "30: node 27 (IntImm): \"value\" is \"3.0\", which is no integer"},
    {"rebound", "\"dtype\":\"int32\",\"span\":\"0\",\"value\":\"3\"",
     "\"dtype\":\"int32\",\"span\":\"0\",\"value\":\"9223372036854775808\"",
     "30: node 27 (IntImm): \"value\" is \"9223372036854775808\", which is no integer"},
    {"everything", "\"lanes\":\"4\"", "\"lanes\":\"0\"", "*: 0 lanes: 1 to 65535 are possible"},
    {"everything", "\"value\":\"-inf\"", "\"value\":\"-Inf\"", "*: \"value\" is no number"},
    {"everything", "\"repr_str\":\"tir.likely\"", "\"repr\":\"tir.likely\"",
     "*: an operator needs a \"repr_str\""},
    {"gemm", "\"keys\":[\"another\",\"pragma_unroll\"]", "\"keys\":[\"another\"]",
     "*: the keys and the values of the Map do not pair up"},
    {"gemm", "\"keys\":[\"another\",\"pragma_unroll\"]", "\"keys\":[\"another\",1]",
     "*: \"keys\" holds something that is no text"},
    {"functions", "\"type_key\":\"tir.PrimFunc\"", "\"type_key\":\"relay.PrimFunc\"", NULL},
    {"allreduce", "\"thread_tag\"", "\"thread_tags\"", "*: the field \"thread_tags\" is not known"},
    {"gemm", "\"data\":[129,71,132,89,", "\"data\":[129,71,132,71,",
     "*: two parameters have the same buffer"},
    {"gemm", "\"data\":[129,71,132,89,", "\"data\":[71,71,132,89,",
     "*: \"buffer_map\" must map variables to Buffers"},
    {"bomb", "\"root\"", "\"root\"", "*: the expressions have more than 4194304 nodes"},
};

/* `text` with the first `old` replaced by `new`. */
static struct cdm_str replaced(const struct cdm_str *text, const char *old, const char *new)
{
    struct cdm_str result = {0};
    const char *at = strstr(text->data, old);

    if (!at)
        fail_msg("the case has no %s", old);
    cdm_str_add(&result, text->data, (size_t)(at - text->data));
    cdm_str_puts(&result, new);
    cdm_str_puts(&result, at + strlen(old));
    return result;
}

static void broken_graphs_are_refused_with_node_and_field(void **state)
{
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        struct cdm_programs programs;
        struct cdm_error err;
        struct cdm_str text = load_case(broken[i].name);
        struct cdm_str bad = replaced(&text, broken[i].old, broken[i].new);
        char found[600] = "accepted";
        if (read_text((struct cdm_view){bad.data, bad.length}, *state, &programs, &err)) {
            assert_int_equal(err.status, CDM_BAD_INPUT);
            assert_true(err.column > 0);
            snprintf(found, sizeof found, "%d: %s", (int)err.line, err.message);
        }
        const char *wanted = broken[i].message ? broken[i].message : "accepted";
        /* "*: what" leaves out line and node. */
        const char *tail = strstr(found, "): ");
        bool same = !strncmp(wanted, "*: ", 3) ? tail && !strcmp(tail + 3, wanted + 3)
                                               : !strcmp(found, wanted);
        if (!same)
            fail_msg("%s, %s -> %s: \"%s\", wanted \"%s\"", broken[i].name, broken[i].old,
                     broken[i].new, found, wanted);
        cdm_str_release(&text);
        cdm_str_release(&bad);
        cdm_arena_reset(*state);
    }
}

static void programs_before_an_error_are_kept(void **state)
{
    struct cdm_str text = load_case("functions");
    /* The first body in the text is that of function b, which is read after a. */
    struct cdm_str bad = replaced(&text, "\"body\":\"", "\"body\":\"999");
    struct cdm_programs programs;
    struct cdm_error err;

    assert_int_equal(read_text((struct cdm_view){bad.data, bad.length}, *state, &programs, &err),
                     CDM_BAD_INPUT);
    assert_int_equal(programs.n, 1);
    assert_string_equal(programs.items[0]->name, "a");
    cdm_str_release(&text);
    cdm_str_release(&bad);
}

/* {"root":1,"nodes":[null, PrimFunc, its parts, then `n` nested nodes, then a leaf]}. `node` has
 * one %zu, the number of the next node. */
static struct cdm_str nested_graph(size_t n, const char *node, const char *leaf)
{
    struct cdm_str text = {0};
    enum { FIRST = 10 };

    cdm_str_puts(&text,
                 "{\"root\":1,\"nodes\":[{\"type_key\":\"\"},"
                 "{\"type_key\":\"tir.PrimFunc\",\"attrs\":{\"params\":\"2\",\"buffer_map\":\"3\","
                 "\"attrs\":\"0\",\"body\":\"4\"}},{\"type_key\":\"Array\"},{\"type_key\":\"Map\"},"
                 "{\"type_key\":\"tir.Evaluate\",\"attrs\":{\"value\":\"10\"}},"
                 "{\"type_key\":\"Array\"},{\"type_key\":\"Array\"},{\"type_key\":\"Array\"},"
                 "{\"type_key\":\"Array\"},{\"type_key\":\"Array\"}");
    for (size_t i = 0; i < n; i++) {
        cdm_str_putc(&text, ',');
        const char *at = strstr(node, "%zu");
        cdm_str_add(&text, node, (size_t)(at - node));
        cdm_str_printf(&text, "%zu", FIRST + i + 1);
        cdm_str_puts(&text, at + strlen("%zu"));
    }
    cdm_str_printf(&text, ",%s]}", leaf);
    return text;
}

static const char leaf[] =
    "{\"type_key\":\"IntImm\",\"attrs\":{\"dtype\":\"int32\",\"value\":\"1\"}}";
static const char not_node[] =
    "{\"type_key\":\"tir.Not\",\"attrs\":{\"a\":\"%zu\",\"dtype\":\"bool\"}}";

static void expressions_may_be_as_deep_as_the_limit_and_no_deeper(void **state)
{
    /* Function and statement are two levels, the leaf is one. */
    static const size_t fits = CDM_MAX_DEPTH - 3;

    for (size_t more = 0; more < 2; more++) {
        struct cdm_str text = nested_graph(fits + more, not_node, leaf);
        struct cdm_programs programs;
        struct cdm_error err;
        enum cdm_status status =
            read_text((struct cdm_view){text.data, text.length}, *state, &programs, &err);
        assert_int_equal(status, more ? CDM_BAD_INPUT : CDM_OK);
        if (more)
            assert_non_null(strstr(err.message, ": the program is nested deeper than 512"));
        cdm_str_release(&text);
    }
}

static void a_very_deep_graph_is_refused_in_place(void **state)
{
    struct cdm_str text = nested_graph(200000, not_node, leaf);
    struct cdm_programs programs;
    struct cdm_error err;

    assert_int_equal(read_text((struct cdm_view){text.data, text.length}, *state, &programs, &err),
                     CDM_BAD_INPUT);
    assert_non_null(strstr(err.message, "node 520 (tir.Not): the program is nested deeper"));
    cdm_str_release(&text);
}

/* Sequences that hold the next sequence twice: 2^400 statements, all of them nothing. */
static void sequences_that_double_are_refused_in_bounded_time(void **state)
{
    struct cdm_str text = {0};
    struct cdm_programs programs;
    struct cdm_error err;

    cdm_str_puts(
        &text, "{\"root\":1,\"nodes\":[{\"type_key\":\"\"},"
               "{\"type_key\":\"tir.PrimFunc\",\"attrs\":{\"params\":\"2\",\"buffer_map\":\"3\","
               "\"attrs\":\"0\",\"body\":\"4\"}},{\"type_key\":\"Array\"},{\"type_key\":\"Map\"}");
    for (int i = 0; i < 400; i++)
        cdm_str_printf(&text,
                       ",{\"type_key\":\"tir.SeqStmt\",\"attrs\":{\"seq\":\"%d\"}},"
                       "{\"type_key\":\"Array\",\"data\":[%d,%d]}",
                       5 + 2 * i, 6 + 2 * i, 6 + 2 * i);
    cdm_str_puts(&text, ",{\"type_key\":\"tir.SeqStmt\",\"attrs\":{\"seq\":\"2\"}}]}");
    assert_int_equal(read_text((struct cdm_view){text.data, text.length}, *state, &programs, &err),
                     CDM_BAD_INPUT);
    assert_non_null(strstr(err.message, "the graph takes more than 16777216 steps to read"));
    cdm_str_release(&text);
}

/* An Array whose "data" comes after very many other members is used again and again: each use looks
 * for it. */
static void members_that_make_each_look_up_slow_are_refused_in_bounded_time(void **state)
{
    enum { N_MEMBERS = 100000, N_USES = 1000 };
    struct cdm_str text = {0};
    struct cdm_programs programs;
    struct cdm_error err;

    cdm_str_puts(&text,
                 "{\"root\":1,\"nodes\":[{\"type_key\":\"\"},"
                 "{\"type_key\":\"tir.PrimFunc\",\"attrs\":{\"params\":\"2\",\"buffer_map\":\"3\","
                 "\"attrs\":\"0\",\"body\":\"4\"}},{\"type_key\":\"Array\"},{\"type_key\":\"Map\"},"
                 "{\"type_key\":\"tir.SeqStmt\",\"attrs\":{\"seq\":\"5\"}},{\"type_key\":\"Array\","
                 "\"data\":[8");
    for (int i = 1; i < N_USES; i++)
        cdm_str_printf(&text, ",%d", 8 + 2 * i);
    cdm_str_puts(&text, "]},{\"type_key\":\"Array\"");
    for (int i = 0; i < N_MEMBERS; i++)
        cdm_str_puts(&text, ",\"m\":0");
    cdm_str_puts(&text, ",\"data\":[]},{\"type_key\":\"Op\",\"repr_str\":\"tir.f\"}");
    for (int i = 0; i < N_USES; i++)
        cdm_str_printf(&text,
                       ",{\"type_key\":\"tir.Evaluate\",\"attrs\":{\"value\":\"%d\"}},"
                       "{\"type_key\":\"tir.Call\",\"attrs\":{\"args\":\"6\",\"dtype\":\"int32\","
                       "\"op\":\"7\"}}",
                       9 + 2 * i);
    cdm_str_puts(&text, "]}");
    assert_int_equal(read_text((struct cdm_view){text.data, text.length}, *state, &programs, &err),
                     CDM_BAD_INPUT);
    assert_string_equal(err.message,
                        "node 6 (Array): the graph takes more than 16777216 steps to read");
    cdm_str_release(&text);
}

static void every_cut_of_a_graph_is_refused(void **state)
{
    struct cdm_str text = load_case("rebound");
    struct cdm_programs programs;
    struct cdm_error err;

    while (text.data[text.length - 1] != '}')
        text.length--;
    for (size_t length = 0; length < text.length; length++) {
        char *cut = cdm_alloc(length ? length : 1, 1); /* on the heap: an overrun is seen */
        memcpy(cut, text.data, length);
        assert_int_equal(read_text((struct cdm_view){cut, length}, *state, &programs, &err),
                         CDM_BAD_INPUT);
        free(cut);
    }
    cdm_str_release(&text);
}

static void graphs_are_told_from_other_text(void **state)
{
    static const struct {
        const char *text;
        bool graph;
    } cases[] = {
        {"{\"root\": 1, \"nodes\": []}", true},
        {"\xef\xbb\xbf \n{\n  \"nodes\": [", true},
        {"{\"root_index\":4", true},
        {"{\"b64ndarrays\": []", true},
        {"{\"id\":\"x\",\"tir\":\"\"}", false},
        {"{\"i\": [[\"[\\\"matmul\\\"", false},
        {"[1]", false},
        {"{", false},
        {"{\"root", false},
        {"", false},
        {"@T.prim_func", false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (cdm_dump_json_looks_like(cdm_view_of(cases[i].text)) != cases[i].graph)
            fail_msg("%s", cases[i].text);
}

static void a_graph_inside_another_document_is_read_with_the_same_parser(void **state)
{
    struct cdm_json_parser *parser = cdm_json_parser_new(CDM_MAX_TEXT);
    struct cdm_str text = load_case("rebound");
    struct cdm_str line = {0};
    struct cdm_programs programs = {0};
    struct cdm_json root, graph;
    struct cdm_error err = {0};

    cdm_str_printf(&line, "{\"id\":\"x\",\n\"tir\":%s}", text.data);
    assert_int_equal(
        cdm_json_parse(parser, (struct cdm_view){line.data, line.length}, 10, &root, &err), CDM_OK);
    assert_int_equal(cdm_json_field_object(parser, root, "tir", &graph, &err), CDM_OK);
    assert_int_equal(cdm_dump_json_read_value(parser, graph, *state, &programs, &err), CDM_OK);
    assert_int_equal(programs.n, 1);
    assert_int_equal(programs.items[0]->line, 11);
    cdm_json_parser_free(parser);
    cdm_str_release(&text);
    cdm_str_release(&line);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(gemm_has_its_loops_stores_and_parameters),
        CASE(function_attributes_are_sorted_by_name),
        CASE(reduction_across_threads_keeps_combiner_and_buffers),
        CASE(virtual_threads_and_realize_scopes_are_read),
        CASE(every_kind_of_statement_is_read),
        CASE(functions_of_a_module_are_separate_programs_in_the_order_of_their_names),
        CASE(loops_can_be_bound_to_threads),
        CASE(an_expression_used_in_two_loops_refers_to_each_loops_variable),
        CASE(shared_nodes_are_read_once),
        CASE(what_is_not_known_as_a_value_is_kept),
        CASE(a_constant_is_an_allocation_with_a_note),
        CASE(broken_graphs_are_refused_with_node_and_field),
        CASE(programs_before_an_error_are_kept),
        CASE(expressions_may_be_as_deep_as_the_limit_and_no_deeper),
        CASE(a_very_deep_graph_is_refused_in_place),
        CASE(sequences_that_double_are_refused_in_bounded_time),
        CASE(members_that_make_each_look_up_slow_are_refused_in_bounded_time),
        CASE(every_cut_of_a_graph_is_refused),
        CASE(graphs_are_told_from_other_text),
        CASE(a_graph_inside_another_document_is_read_with_the_same_parser),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
