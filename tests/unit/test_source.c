/* Streams of programs: where they are cut, and that an error takes nothing else along. */
#include "features/source.h"
#include "tests/unit/place.h"
#include "tests/unit/programs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
/* cmocka.h needs the headers above. */
#include <cmocka.h>

static char folder[128];

static int make_folder(void **state)
{
    (void)state;
    test_folder_make(folder, sizeof folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    test_folder_remove(folder);
    return 0;
}

static const char *path_of(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void write_file(const char *name, const char *data, size_t length)
{
    FILE *file = fopen(path_of(name), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

/* What the stream gives, a line for each step: "LINE id/task function" for a program, "LINE:COLUMN!
 * message" for an error, "end". */
static void read_stream(const char *name, struct cdm_str *out)
{
    struct cdm_source *source;
    struct cdm_source_item item;
    struct cdm_error err = {0};
    enum cdm_status status;
    int n_steps = 0;

    cdm_str_reset(out);
    cdm_str_puts(out, "");
    if (cdm_source_open(&source, path_of(name), &err))
        fail_msg("%s", err.message);
    for (;;) {
        err = (struct cdm_error){0};
        status = cdm_source_next(source, &item, &err);
        if (!status && !item.program)
            break;
        if (status)
            cdm_str_printf(out, "%d:%d! %s\n", (int)err.line, (int)err.column, err.message);
        else
            cdm_str_printf(out, "%d %.*s/%.*s %s\n", (int)item.line, (int)item.id.length,
                           item.id.data, (int)item.task.length, item.task.data, item.program->name);
        assert_true(n_steps++ < 1000);
    }
    /* The end is the end. */
    assert_int_equal(cdm_source_next(source, &item, &err), CDM_OK);
    assert_null(item.program);
    cdm_source_close(source);
}

static void check_stream(const char *text, const char *expected)
{
    struct cdm_str out = {0};

    write_file("stream", text, strlen(text));
    read_stream("stream", &out);
    assert_string_equal(out.data, expected);
    cdm_str_release(&out);
}

#define BODY "(A: T.Buffer((4,), \"float32\")):\n    A[0] = T.float32(0)\n"
#define RECORD_BODY "(A: T.Buffer((4,), \\\"float32\\\")):\\n    A[0] = T.float32(0)\\n\""
#define SCRIPT(name) "@T.prim_func\ndef " name BODY
#define RECORD(id, name) "{\"id\":\"" id "\",\"tir\":\"@T.prim_func\\ndef " name RECORD_BODY "}\n"
/* The graph of `def NAME(): T.evaluate(0)`, one node a line. */
#define GRAPH(name)                                                                                \
    "{\n\"root\": 1,\n\"nodes\": [\n{\"type_key\": \"\"},\n"                                       \
    "{\"type_key\": \"tir.PrimFunc\", \"attrs\": {\"params\": \"2\", \"body\": \"3\", "            \
    "\"buffer_map\": \"5\", \"ret_type\": \"0\", \"attrs\": \"6\", \"span\": \"0\"}},\n"           \
    "{\"type_key\": \"Array\"},\n"                                                                 \
    "{\"type_key\": \"tir.Evaluate\", \"attrs\": {\"value\": \"4\", \"span\": \"0\"}},\n"          \
    "{\"type_key\": \"IntImm\", \"attrs\": {\"dtype\": \"int32\", \"value\": \"0\", \"span\": "    \
    "\"0\"}},\n"                                                                                   \
    "{\"type_key\": \"Map\"},\n"                                                                   \
    "{\"type_key\": \"DictAttrs\", \"attrs\": {\"__dict__\": \"7\"}},\n"                           \
    "{\"type_key\": \"Map\", \"keys\": [\"global_symbol\"], \"data\": [8]},\n"                     \
    "{\"type_key\": \"runtime.String\", \"repr_str\": \"" name "\"}\n"                             \
    "],\n\"b64ndarrays\": [],\n\"attrs\": {\"tvm_version\": \"0.10.0\"}\n}\n"

static void program_lines_have_ids_and_tasks(void **state)
{
    (void)state;
    check_stream("{\"id\":\"first\",\"task\":\"t1\",\"tir\":\"@T.prim_func\\ndef f" RECORD_BODY
                 ",\"other\":[1,{}]}\n"
                 "\n"
                 "  {\"tir\":\"@T.prim_func\\ndef g" RECORD_BODY ", \"id\" : \"second\"}  \n"
                 "{\"tir\":\"@T.prim_func\\ndef h" RECORD_BODY "}",
                 "1 first/t1 f\n"
                 "3 second/ g\n"
                 "4 h/ h\n");
}

static void modules_in_one_stream_are_told_apart(void **state)
{
    (void)state;
    check_stream(SCRIPT("a") SCRIPT("b") "\n# from tvm.script import tir as T\n"
                                         "@tvm.script.ir_module\n"
                                         "class Module:\n"
                                         "    @T.prim_func\n"
                                         "    def c(A: T.Buffer((4,), \"float32\")):\n"
                                         "        A[0] = T.float32(0)\n"
                                         "    @T.prim_func\n"
                                         "    def d(A: T.Buffer((4,), \"float32\")):\n"
                                         "        A[0] = T.float32(0)\n"
                                         "prose\n"
                                         "@T.prim_func\n"
                                         "def e" BODY,
                 "2 a/ a\n5 b/ b\n12 c/ c\n15 d/ d\n19 e/ e\n");
}

static void graphs_may_have_any_number_of_lines(void **state)
{
    char *text = NULL;
    static const char graph[] = GRAPH("g");
    struct cdm_str line = {0};

    (void)state;
    for (const char *c = graph; *c; c++)
        if (*c != '\n')
            cdm_str_putc(&line, *c);
    if (asprintf(&text, "%s\n%s%s\n", line.data, graph, line.data) < 0)
        abort();
    check_stream(text, "1 g/ g\n2 g/ g\n18 g/ g\n");
    free(text);
    if (asprintf(&text,
                 "{\"id\": \"r\", \"task\": \"t\", \"tir\": %s}\n{\"id\": \"s\", \"tir\":\n%s}\n",
                 line.data, line.data) < 0)
        abort();
    check_stream(text, "1 r/t g\n2 s/ g\n");
    free(text);
    cdm_str_release(&line);
}

static void all_forms_may_follow_each_other(void **state)
{
    (void)state;
    check_stream(SCRIPT("a") RECORD("r", "b") SCRIPT("c") GRAPH("d") SCRIPT("e") "text\n" GRAPH("f")
                     RECORD("s", "g"),
                 "2 a/ a\n4 r/ b\n6 c/ c\n8 d/ d\n25 e/ e\n28 f/ f\n44 s/ g\n");
}

static void a_lone_brace_in_other_text_is_no_document(void **state)
{
    (void)state;
    check_stream(SCRIPT("a") "extern \"C\" void kernel()\n{\n  int i;\n}\n" SCRIPT("b"),
                 "2 a/ a\n9 b/ b\n");
}

static void errors_stand_between_good_programs(void **state)
{
    (void)state;
    check_stream(
        RECORD("r", "a") "{\"id\":\"bad\",\"tir\":\"@T.prim_func\\ndef f(A: T.Buffer((4,), "
                         "\\\"float32\\\")):\\n    B[0] = 1\\n\"}\n"
                         "{\"tir\": 3}\n"
                         "{\"tir\": \"nothing\"}\n"
                         "{\"id\": 3, \"tir\": \"\"}\n"
                         "{\"task\": [], \"tir\": \"\"}\n"
                         "{\"other\": 3}\n"
                         "{\"tir\": }\n"
                         "{\"nodes\": []}\n"
                         "{]}\n" RECORD("s", "b"),
        "1 r/ a\n"
        "2:0! \"tir\", line 3, column 5: 'B' is stored to but no buffer of that name is "
        "declared\n"
        "3:9! \"tir\" is neither text nor a JSON graph\n"
        "4:0! \"tir\": this is no dump in a format that cdmpp reads (TVMScript or TVM's "
        "JSON)\n"
        "5:8! \"id\" is no string\n"
        "6:10! \"task\" is no string\n"
        "7:1! this JSON is neither a program line (it has no \"tir\") nor a TVM graph (it "
        "has no \"nodes\")\n"
        "8:9! JSON: expected a value\n"
        "9:1! there is no \"root\"\n"
        "10:2! JSON: expected a name in double quotes\n"
        "11 s/ b\n");
}

static void an_error_in_a_module_leaves_the_next_module(void **state)
{
    (void)state;
    check_stream(SCRIPT("a") "@T.prim_func\ndef b(A: T.Buffer((4,), \"float32\")):\n    A[0 = 1\n"
                             "@T.prim_func\ndef c" BODY,
                 "2 a/ a\n6:9! ']' is expected, not '='\n8 c/ c\n");
}

static void a_document_that_is_cut_off_leaves_the_next(void **state)
{
    (void)state;
    /* In a string, before a value, between members, and a graph. */
    check_stream(
        "{\"id\":\"x\",\"tir\":\"@T.prim_func\\ndef f\n" RECORD(
            "r",
            "a") "{\"id\":\"y\",\"task\":\n" RECORD("s",
                                                    "b") "{\"id\":\"z\",\n" RECORD("t",
                                                                                   "c") "{\"root\":"
                                                                                        " 1,"
                                                                                        "\n\"nodes"
                                                                                        "\": "
                                                                                        "[\n{"
                                                                                        "\"type_"
                                                                                        "key\": "
                                                                                        "\"\"},"
                                                                                        "\n" RECORD(
                                                                                            "u",
                                                                                            "d"),
        "1:17! JSON: the string has no end\n2 r/ a\n"
        "3:18! JSON: the text ends in the middle of the document\n4 s/ b\n"
        "5:11! JSON: the text ends in the middle of the document\n6 t/ c\n"
        "9:18! JSON: the text ends in the middle of the document\n10 u/ d\n");
}

static void nothing_is_an_error_once(void **state)
{
    static const char *const texts[] = {"",
                                        "\n",
                                        "  \n\t\n",
                                        "just prose\nand more\n",
                                        "\xef\xbb\xbf",
                                        "def f(x):\n    return x\n"};

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        check_stream(texts[i], "0:0! there is no program in a format that cdmpp reads (TVMScript, "
                               "TVM's JSON, or program lines with \"tir\")\n");
}

static void a_module_without_functions_is_an_error(void **state)
{
    (void)state;
    check_stream("@T.prim_func\nclass X:\n    pass\n",
                 "1:0! there is no tensor program (T.prim_func) in this TVMScript\n");
}

static void a_byte_order_mark_is_skipped(void **state)
{
    (void)state;
    check_stream("\xef\xbb\xbf" SCRIPT("a"), "2 a/ a\n");
    check_stream("\xef\xbb\xbf" RECORD("r", "a"), "1 r/ a\n");
}

static void lines_may_end_in_cr_lf(void **state)
{
    (void)state;
    check_stream("@T.prim_func\r\ndef a(A: T.Buffer((4,), \"float32\")):\r\n    A[0] = 1\r\n"
                 "{\"id\":\"r\",\"tir\":\"@T.prim_func\\r\\ndef b(A: T.Buffer((4,), "
                 "\\\"float32\\\")):\\r\\n    A[0] = 1\\r\\n\"}\r\n",
                 "2 a/ a\n4 r/ b\n");
}

static void an_id_may_hold_any_characters(void **state)
{
    (void)state;
    check_stream("{\"id\":\"tab\\t \\u00e9 \\\" \",\"task\":\"\\\\\",\"tir\":\"@T.prim_func\\ndef "
                 "f" RECORD_BODY "}\n",
                 "1 tab\t \xc3\xa9 \" /\\ f\n");
}

static void wrong_utf8_is_an_error_in_json_and_a_name_in_tvmscript(void **state)
{
    (void)state;
    check_stream("{\"id\":\"\xff\",\"tir\":\"\"}\n" RECORD("r", "a"),
                 "1:8! JSON: not valid UTF-8\n2 r/ a\n");
    check_stream("@T.prim_func\ndef f\xff" BODY, "2 f\xff/ f\xff\n");
}

static void zero_bytes_are_errors(void **state)
{
    static const char script[] = "@T.prim_func\ndef f(A: T.Buffer((4,), \"float32\")):\n"
                                 "    A[0] = \0 1\n";
    static const char json[] = "{\"id\": \0}\n";
    struct cdm_str out = {0};

    (void)state;
    write_file("stream", script, sizeof script - 1);
    read_stream("stream", &out);
    assert_string_equal(out.data, "3:12! unexpected character 0x00\n");
    write_file("stream", json, sizeof json - 1);
    read_stream("stream", &out);
    assert_string_equal(out.data, "1:8! JSON: expected a value\n");
    cdm_str_release(&out);
}

static void gzip_is_read_as_if_plain(void **state)
{
    static const char text[] = SCRIPT("a") RECORD("r", "b");
    struct cdm_str out = {0};

    (void)state;
    gzFile file = gzopen(path_of("stream"), "wb");
    assert_non_null(file);
    assert_int_equal(gzwrite(file, text, sizeof text - 1), sizeof text - 1);
    assert_int_equal(gzclose(file), Z_OK);
    read_stream("stream", &out);
    assert_string_equal(out.data, "2 a/ a\n4 r/ b\n");
    cdm_str_release(&out);
}

static void damaged_gzip_ends_the_stream_after_the_good_programs(void **state)
{
    struct cdm_str text = {0}, out = {0};
    unsigned char packed[1 << 16];

    (void)state;
    for (int i = 0; i < 300; i++)
        cdm_str_printf(&text, "{\"id\":\"%d\",\"tir\":\"@T.prim_func\\ndef f_%d" RECORD_BODY "}\n",
                       i, i * 7919);
    gzFile file = gzopen(path_of("stream"), "wb");
    gzwrite(file, text.data, (unsigned)text.length);
    gzclose(file);
    FILE *again = fopen(path_of("stream"), "rb");
    size_t length = fread(packed, 1, sizeof packed, again);
    fclose(again);
    write_file("stream", (const char *)packed, length / 2);
    read_stream("stream", &out);
    assert_non_null(strstr(out.data, "1 0/ f_0\n2 1/ f_7919\n"));
    assert_non_null(strstr(out.data, "! gzip data ends too early\n"));
    assert_string_equal(strstr(out.data, "! gzip"), "! gzip data ends too early\n");
    cdm_str_release(&text);
    cdm_str_release(&out);
}

static void a_line_over_the_limit_is_an_error_and_the_next_is_read(void **state)
{
    struct cdm_str out = {0};
    FILE *file = fopen(path_of("stream"), "wb");

    (void)state;
    assert_non_null(file);
    fputs(RECORD("r", "a") "{\"id\":\"long", file);
    /* A hole: zeros that take no room. */
    fseek(file, (long)CDM_MAX_TEXT + 100, SEEK_CUR);
    fputs("\"}\n" RECORD("s", "b"), file);
    fclose(file);
    read_stream("stream", &out);
    assert_string_equal(out.data, "1 r/ a\n2:0! line is longer than 67108864 bytes\n3 s/ b\n");
    cdm_str_release(&out);
}

static void a_module_over_the_limit_is_an_error_and_the_next_is_read(void **state)
{
    struct cdm_str out = {0};
    char line[1 << 12];
    FILE *file = fopen(path_of("stream"), "wb");

    (void)state;
    assert_non_null(file);
    memset(line, '#', sizeof line);
    line[sizeof line - 1] = '\n';
    fputs("@T.prim_func\ndef a(A: T.Buffer((4,), \"float32\")):\n", file);
    for (int i = 0; i < CDM_MAX_TEXT / (int)sizeof line + 1; i++)
        fwrite(line, 1, sizeof line, file);
    fputs("@T.prim_func\ndef b" BODY, file);
    fclose(file);
    read_stream("stream", &out);
    assert_string_equal(out.data, "1:0! the text of one dump is longer than 64 MiB\n16389 b/ b\n");
    cdm_str_release(&out);
}

static void what_cannot_be_opened_says_why(void **state)
{
    struct cdm_source *source;
    struct cdm_error err;

    (void)state;
    assert_int_equal(cdm_source_open(&source, path_of("missing"), &err), CDM_IO);
    assert_null(source);
    assert_string_equal(err.message, "cannot open: No such file or directory");
    assert_int_equal(cdm_source_open(&source, folder, &err), CDM_BAD_INPUT);
    assert_null(source);
    cdm_source_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(program_lines_have_ids_and_tasks),
        cmocka_unit_test(modules_in_one_stream_are_told_apart),
        cmocka_unit_test(graphs_may_have_any_number_of_lines),
        cmocka_unit_test(all_forms_may_follow_each_other),
        cmocka_unit_test(a_lone_brace_in_other_text_is_no_document),
        cmocka_unit_test(errors_stand_between_good_programs),
        cmocka_unit_test(an_error_in_a_module_leaves_the_next_module),
        cmocka_unit_test(a_document_that_is_cut_off_leaves_the_next),
        cmocka_unit_test(nothing_is_an_error_once),
        cmocka_unit_test(a_module_without_functions_is_an_error),
        cmocka_unit_test(a_byte_order_mark_is_skipped),
        cmocka_unit_test(lines_may_end_in_cr_lf),
        cmocka_unit_test(an_id_may_hold_any_characters),
        cmocka_unit_test(wrong_utf8_is_an_error_in_json_and_a_name_in_tvmscript),
        cmocka_unit_test(zero_bytes_are_errors),
        cmocka_unit_test(gzip_is_read_as_if_plain),
        cmocka_unit_test(damaged_gzip_ends_the_stream_after_the_good_programs),
        cmocka_unit_test(a_line_over_the_limit_is_an_error_and_the_next_is_read),
        cmocka_unit_test(a_module_over_the_limit_is_an_error_and_the_next_is_read),
        cmocka_unit_test(what_cannot_be_opened_says_why),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
