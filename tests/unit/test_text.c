#include "cdmpp/core/alloc.h"
#include "cdmpp/core/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cmocka.h>

static char folder[] = "/tmp/cdm-test-text-XXXXXX";

static int enter_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int leave_folder(void **state)
{
    (void)state;
    DIR *dir = opendir(folder);
    const struct dirent *entry;

    while (dir && (entry = readdir(dir)))
        unlink(entry->d_name);
    if (dir)
        closedir(dir);
    return rmdir(folder);
}

static void write_file(const char *name, const void *data, size_t length)
{
    FILE *file = fopen(name, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

static size_t write_gzip(const char *name, const void *data, size_t length)
{
    struct stat info;
    gzFile file = gzopen(name, "wb9");

    assert_non_null(file);
    assert_int_equal(gzwrite(file, data, (unsigned)length), (int)length);
    assert_int_equal(gzclose(file), Z_OK);
    assert_int_equal(stat(name, &info), 0);
    return (size_t)info.st_size;
}

static void append(const char *to, const char *from)
{
    struct cdm_str text = {0};
    FILE *file = fopen(from, "rb");
    int c;

    assert_non_null(file);
    while ((c = getc(file)) != EOF)
        cdm_str_putc(&text, (char)c);
    fclose(file);
    file = fopen(to, "ab");
    assert_non_null(file);
    assert_int_equal(fwrite(text.data, 1, text.length, file), text.length);
    fclose(file);
    cdm_str_release(&text);
}

static struct cdm_reader *open_reader(const char *name)
{
    struct cdm_reader *reader;
    struct cdm_error err = {0};

    if (cdm_reader_open(&reader, name, &err) != CDM_OK)
        fail_msg("%s", err.message);
    return reader;
}

static void assert_line(struct cdm_reader *reader, const char *expected)
{
    struct cdm_view line;
    struct cdm_error err = {0};

    assert_int_equal(cdm_reader_line(reader, 1000, &line, &err), CDM_OK);
    assert_non_null(line.data);
    assert_int_equal(line.length, strlen(expected));
    assert_memory_equal(line.data, expected, line.length);
}

static void assert_no_line(struct cdm_reader *reader)
{
    struct cdm_view line;
    struct cdm_error err = {0};

    for (int i = 0; i < 2; i++) {
        assert_int_equal(cdm_reader_line(reader, 1000, &line, &err), CDM_OK);
        assert_null(line.data);
    }
}

static void lines_come_without_their_ends(void **state)
{
    (void)state;
    write_file("lines", "one\n\ntwo\r\n\r\nthree", 17);
    struct cdm_reader *reader = open_reader("lines");

    assert_int_equal(cdm_reader_line_number(reader), 0);
    assert_line(reader, "one");
    assert_int_equal(cdm_reader_line_number(reader), 1);
    assert_line(reader, "");
    assert_line(reader, "two");
    assert_line(reader, "");
    assert_line(reader, "three");
    assert_int_equal(cdm_reader_line_number(reader), 5);
    assert_no_line(reader);
    cdm_reader_close(reader);
}

static void an_end_of_line_at_the_end_makes_no_line(void **state)
{
    (void)state;
    write_file("lines", "one\n", 4);
    struct cdm_reader *reader = open_reader("lines");

    assert_line(reader, "one");
    assert_no_line(reader);
    cdm_reader_close(reader);
}

static void an_empty_file_has_no_lines(void **state)
{
    (void)state;
    write_file("empty", "", 0);
    struct cdm_reader *reader = open_reader("empty");

    assert_no_line(reader);
    cdm_reader_close(reader);
}

static void zero_bytes_are_kept(void **state)
{
    (void)state;
    struct cdm_view line;
    struct cdm_error err = {0};

    write_file("zeros", "a\0b\n\0", 5);
    struct cdm_reader *reader = open_reader("zeros");
    assert_int_equal(cdm_reader_line(reader, 10, &line, &err), CDM_OK);
    assert_int_equal(line.length, 3);
    assert_memory_equal(line.data, "a\0b", 3);
    assert_int_equal(cdm_reader_line(reader, 10, &line, &err), CDM_OK);
    assert_int_equal(line.length, 1);
    cdm_reader_close(reader);
}

/* 2000 lines, each one byte longer than the one before: several of the buffers that the reader
 * fills. */
static struct cdm_str many_lines(void)
{
    struct cdm_str text = {0};

    for (int i = 0; i < 2000; i++)
        cdm_str_printf(&text, "%0*d\n", i + 1, i);
    return text;
}

static void assert_many_lines(const char *name)
{
    struct cdm_reader *reader = open_reader(name);
    struct cdm_view line;
    struct cdm_error err = {0};

    for (int i = 0; i < 2000; i++) {
        assert_int_equal(cdm_reader_line(reader, 2000, &line, &err), CDM_OK);
        assert_non_null(line.data);
        /* Numbers of several digits are longer than the width asked for at the start. */
        if (i >= 10)
            assert_int_equal(line.length, i + 1);
        assert_int_equal(line.data[line.length - 1], '0' + i % 10);
    }
    assert_no_line(reader);
    cdm_reader_close(reader);
}

static void lines_cross_the_readers_buffer(void **state)
{
    (void)state;
    struct cdm_str text = many_lines();

    write_file("many", text.data, text.length);
    assert_many_lines("many");
    cdm_str_release(&text);
}

static void gzip_reads_as_plain_whatever_its_name(void **state)
{
    (void)state;
    struct cdm_str text = many_lines();

    write_gzip("packed.txt", text.data, text.length);
    assert_many_lines("packed.txt");
    cdm_str_release(&text);
}

static void gzip_in_several_members_is_one_text(void **state)
{
    (void)state;
    write_gzip("a.gz", "one\nt", 5);
    write_gzip("b.gz", "wo\nthree\n", 9);
    append("a.gz", "b.gz");
    struct cdm_reader *reader = open_reader("a.gz");

    assert_line(reader, "one");
    assert_line(reader, "two");
    assert_line(reader, "three");
    assert_no_line(reader);
    cdm_reader_close(reader);
}

static void a_line_of_the_longest_length_is_read(void **state)
{
    (void)state;
    struct cdm_view line;
    struct cdm_error err = {0};

    write_file("lines", "12345\n12345\r\n12345", 18);
    struct cdm_reader *reader = open_reader("lines");
    for (int i = 0; i < 3; i++) {
        assert_int_equal(cdm_reader_line(reader, 5, &line, &err), CDM_OK);
        assert_int_equal(line.length, 5);
    }
    cdm_reader_close(reader);
}

static void a_line_too_long_is_refused_and_the_next_one_read(void **state)
{
    (void)state;
    struct cdm_view line;
    struct cdm_error err = {0};

    write_file("lines", "1\n123456\n2\n", 11);
    struct cdm_reader *reader = open_reader("lines");
    assert_line(reader, "1");
    assert_int_equal(cdm_reader_line(reader, 5, &line, &err), CDM_BAD_INPUT);
    assert_null(line.data);
    assert_int_equal(err.line, 2);
    assert_string_equal(err.message, "line is longer than 5 bytes");
    assert_line(reader, "2");
    assert_int_equal(cdm_reader_line_number(reader), 3);
    assert_no_line(reader);
    cdm_reader_close(reader);
}

/* 1 GB without a line end comes out of a gzip file of 1 MB; here 60 MB, below the limit on
 * expansion. */
static void a_very_long_line_is_not_kept(void **state)
{
    (void)state;
    size_t length = (size_t)60 << 20;
    char *text = cdm_alloc(length, 1);
    struct cdm_view line;
    struct cdm_error err = {0};

    memset(text, 'x', length);
    text[length - 5] = text[length - 1] = '\n';
    memcpy(text + length - 4, "end", 3);
    write_gzip("long.gz", text, length);
    free(text);
    struct cdm_reader *reader = open_reader("long.gz");
    assert_int_equal(cdm_reader_line(reader, 1000, &line, &err), CDM_BAD_INPUT);
    assert_line(reader, "end");
    cdm_reader_close(reader);
}

static void a_gzip_bomb_is_refused(void **state)
{
    (void)state;
    size_t length = (size_t)70 << 20;
    char *text = cdm_alloc(length, 1);
    struct cdm_error err = {0};
    struct cdm_str out = {0};

    write_gzip("bomb.gz", text, length);
    free(text);
    assert_int_equal(cdm_read_file("bomb.gz", SIZE_MAX, &out, &err), CDM_BAD_INPUT);
    assert_string_equal(err.message, "gzip data expands to more than 500 times its size: refused");
    cdm_str_release(&out);
}

static void gzip_cut_anywhere_is_an_error(void **state)
{
    (void)state;
    char data[200];
    struct cdm_error err = {0};

    size_t size = write_gzip("whole.gz", "one\ntwo\nthree\n", 14);
    FILE *file = fopen("whole.gz", "rb");
    assert_non_null(file);
    assert_int_equal(fread(data, 1, sizeof data, file), size);
    fclose(file);
    for (size_t length = 2; length < size; length++) {
        struct cdm_str text = {0};
        write_file("cut.gz", data, length);
        assert_int_equal(cdm_read_file("cut.gz", 1000, &text, &err), CDM_BAD_INPUT);
        assert_string_equal(err.message, "gzip data ends too early");
        cdm_str_release(&text);
    }
}

static void damaged_gzip_is_an_error(void **state)
{
    (void)state;
    struct cdm_str text = {0};
    struct cdm_error err = {0};

    write_file("bad.gz", "\x1f\x8b\x08\0\0\0\0\0\0\3garbage garbage", 25);
    assert_int_equal(cdm_read_file("bad.gz", 1000, &text, &err), CDM_BAD_INPUT);
    assert_memory_equal(err.message, "bad gzip data: ", 15);
    cdm_str_release(&text);
}

static void a_failure_is_the_end_of_the_text(void **state)
{
    (void)state;
    struct cdm_view line;
    struct cdm_error err = {0};

    write_gzip("a.gz", "one\ntw", 6);
    write_file("b", "garbage", 7);
    append("a.gz", "b");
    struct cdm_reader *reader = open_reader("a.gz");
    assert_line(reader, "one");
    assert_int_equal(cdm_reader_line(reader, 1000, &line, &err), CDM_BAD_INPUT);
    assert_no_line(reader);
    cdm_reader_close(reader);
}

static void garbage_after_gzip_is_an_error(void **state)
{
    (void)state;
    struct cdm_str text = {0};
    struct cdm_error err = {0};

    write_gzip("a.gz", "one\n", 4);
    write_file("b", "garbage", 7);
    append("a.gz", "b");
    assert_int_equal(cdm_read_file("a.gz", 1000, &text, &err), CDM_BAD_INPUT);
    assert_memory_equal(err.message, "what follows the gzip data is not gzip", 38);
    cdm_str_release(&text);
}

static void a_file_over_the_limit_is_refused(void **state)
{
    (void)state;
    struct cdm_str text = {0};
    struct cdm_error err = {0};

    write_file("six", "123456", 6);
    assert_int_equal(cdm_read_file("six", 6, &text, &err), CDM_OK);
    assert_string_equal(text.data, "123456");
    cdm_str_reset(&text);
    assert_int_equal(cdm_read_file("six", 5, &text, &err), CDM_BAD_INPUT);
    assert_string_equal(err.message, "is larger than 5 bytes");
    cdm_str_release(&text);
}

static void peek_takes_nothing(void **state)
{
    (void)state;
    struct cdm_view next;
    struct cdm_error err = {0};

    write_file("lines", "one\ntwo", 7);
    struct cdm_reader *reader = open_reader("lines");
    assert_int_equal(cdm_reader_peek(reader, 5, &next, &err), CDM_OK);
    assert_true(cdm_view_is(next, "one\nt"));
    assert_line(reader, "one");
    assert_int_equal(cdm_reader_peek(reader, 100, &next, &err), CDM_OK);
    assert_true(cdm_view_is(next, "two"));
    assert_line(reader, "two");
    assert_int_equal(cdm_reader_peek(reader, 100, &next, &err), CDM_OK);
    assert_int_equal(next.length, 0);
    cdm_reader_close(reader);
}

static void the_rest_comes_after_lines(void **state)
{
    (void)state;
    struct cdm_str text = {0};
    struct cdm_error err = {0};

    write_file("lines", "one\ntwo\nthree", 13);
    struct cdm_reader *reader = open_reader("lines");
    assert_line(reader, "one");
    assert_int_equal(cdm_reader_rest(reader, 100, &text, &err), CDM_OK);
    assert_string_equal(text.data, "two\nthree");
    cdm_reader_close(reader);
    cdm_str_release(&text);
}

static void a_pipe_that_gives_single_bytes_is_seen_as_gzip(void **state)
{
    (void)state;
    unsigned char data[200];
    int ends[2];
    struct cdm_reader *reader;
    struct cdm_error err = {0};

    size_t size = write_gzip("a.gz", "one\ntwo\n", 8);
    FILE *file = fopen("a.gz", "rb");
    assert_non_null(file);
    assert_int_equal(fread(data, 1, sizeof data, file), size);
    fclose(file);
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        for (size_t i = 0; i < size; i++) {
            if (write(ends[1], data + i, 1) != 1)
                _exit(1);
            usleep(500);
        }
        _exit(0);
    }
    close(ends[1]);
    assert_int_equal(cdm_reader_open_fd(&reader, ends[0], &err), CDM_OK);
    assert_line(reader, "one");
    assert_line(reader, "two");
    assert_no_line(reader);
    cdm_reader_close(reader);
    close(ends[0]);
}

static void a_missing_file_is_an_io_error(void **state)
{
    (void)state;
    struct cdm_reader *reader;
    struct cdm_error err = {0};

    assert_int_equal(cdm_reader_open(&reader, "nonsuch", &err), CDM_IO);
    assert_null(reader);
    assert_string_equal(err.message, "cannot open: No such file or directory");
}

static void a_folder_is_no_text(void **state)
{
    (void)state;
    struct cdm_reader *reader;
    struct cdm_error err = {0};

    assert_int_equal(cdm_reader_open(&reader, ".", &err), CDM_BAD_INPUT);
    assert_string_equal(err.message, "is a folder");
}

static void a_failing_read_is_an_io_error(void **state)
{
    (void)state;
    struct cdm_reader *reader;
    struct cdm_error err = {0};

    /* The memory of a process cannot be read at 0. */
    assert_int_equal(cdm_reader_open(&reader, "/proc/self/mem", &err), CDM_IO);
    assert_memory_equal(err.message, "cannot read: ", 13);
}

static void assert_content(const char *name, const char *expected)
{
    struct cdm_str text = {0};
    struct cdm_error err = {0};

    assert_int_equal(cdm_read_file(name, 1000, &text, &err), CDM_OK);
    assert_string_equal(text.data, expected);
    cdm_str_release(&text);
}

static int files_in_folder(void)
{
    DIR *dir = opendir(".");
    int n = 0;

    while (readdir(dir))
        n++;
    closedir(dir);
    return n - 2;
}

static void a_file_appears_only_when_it_is_complete(void **state)
{
    (void)state;
    struct cdm_writer writer;
    struct cdm_error err = {0};

    unlink("out");
    assert_int_equal(cdm_writer_open(&writer, "out", &err), CDM_OK);
    fputs("new", writer.file);
    fflush(writer.file);
    assert_int_equal(access("out", F_OK), -1);
    assert_int_equal(cdm_writer_close(&writer, &err), CDM_OK);
    assert_content("out", "new");
}

static void an_abandoned_file_leaves_the_old_one(void **state)
{
    (void)state;
    struct cdm_writer writer;
    struct cdm_error err = {0};

    write_file("out", "old", 3);
    int n = files_in_folder();
    assert_int_equal(cdm_writer_open(&writer, "out", &err), CDM_OK);
    fputs("new", writer.file);
    assert_int_equal(files_in_folder(), n + 1);
    cdm_writer_abandon(&writer);
    cdm_writer_abandon(&writer);
    assert_content("out", "old");
    assert_int_equal(files_in_folder(), n);
}

static void a_new_file_has_the_rights_of_the_old(void **state)
{
    (void)state;
    struct cdm_writer writer;
    struct cdm_error err = {0};
    struct stat info;

    write_file("out", "old", 3);
    chmod("out", 0640);
    assert_int_equal(cdm_writer_open(&writer, "out", &err), CDM_OK);
    assert_int_equal(cdm_writer_close(&writer, &err), CDM_OK);
    assert_int_equal(stat("out", &info), 0);
    assert_int_equal(info.st_mode & 0777, 0640);

    unlink("out");
    mode_t mask = umask(027);
    assert_int_equal(cdm_writer_open(&writer, "out", &err), CDM_OK);
    assert_int_equal(cdm_writer_close(&writer, &err), CDM_OK);
    umask(mask);
    assert_int_equal(stat("out", &info), 0);
    assert_int_equal(info.st_mode & 0777, 0640);
}

static void a_symbolic_link_stays_one(void **state)
{
    (void)state;
    struct cdm_writer writer;
    struct cdm_error err = {0};
    struct stat info;

    write_file("target", "old", 3);
    assert_int_equal(symlink("target", "link"), 0);
    assert_int_equal(cdm_writer_open(&writer, "link", &err), CDM_OK);
    fputs("new", writer.file);
    assert_int_equal(cdm_writer_close(&writer, &err), CDM_OK);
    assert_int_equal(lstat("link", &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    assert_content("target", "new");
}

static void a_full_device_is_noticed(void **state)
{
    (void)state;
    struct cdm_writer writer;
    struct cdm_error err = {0};

    assert_int_equal(cdm_writer_open(&writer, "/dev/full", &err), CDM_OK);
    fputs("text", writer.file);
    assert_int_equal(cdm_writer_close(&writer, &err), CDM_IO);
    assert_string_equal(err.message, "cannot write: No space left on device");
    assert_null(writer.file);
}

static void a_full_device_that_was_met_early_is_noticed(void **state)
{
    (void)state;
    struct cdm_writer writer;
    struct cdm_error err = {0};

    assert_int_equal(cdm_writer_open(&writer, "/dev/full", &err), CDM_OK);
    fputs("text", writer.file);
    assert_int_equal(fflush(writer.file), EOF);
    assert_int_equal(cdm_writer_close(&writer, &err), CDM_IO);
}

static void a_file_in_no_folder_is_an_io_error(void **state)
{
    (void)state;
    struct cdm_writer writer;
    struct cdm_error err = {0};

    assert_int_equal(cdm_writer_open(&writer, "nonsuch/out", &err), CDM_IO);
    assert_string_equal(err.message,
                        "cannot create a file in its folder: No such file or directory");
    assert_null(writer.file);
    assert_int_equal(cdm_writer_open(&writer, ".", &err), CDM_IO);
    assert_string_equal(err.message, "cannot write: is a folder");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_come_without_their_ends),
        cmocka_unit_test(an_end_of_line_at_the_end_makes_no_line),
        cmocka_unit_test(an_empty_file_has_no_lines),
        cmocka_unit_test(zero_bytes_are_kept),
        cmocka_unit_test(lines_cross_the_readers_buffer),
        cmocka_unit_test(gzip_reads_as_plain_whatever_its_name),
        cmocka_unit_test(gzip_in_several_members_is_one_text),
        cmocka_unit_test(a_line_of_the_longest_length_is_read),
        cmocka_unit_test(a_line_too_long_is_refused_and_the_next_one_read),
        cmocka_unit_test(a_very_long_line_is_not_kept),
        cmocka_unit_test(a_gzip_bomb_is_refused),
        cmocka_unit_test(gzip_cut_anywhere_is_an_error),
        cmocka_unit_test(damaged_gzip_is_an_error),
        cmocka_unit_test(a_failure_is_the_end_of_the_text),
        cmocka_unit_test(garbage_after_gzip_is_an_error),
        cmocka_unit_test(a_file_over_the_limit_is_refused),
        cmocka_unit_test(peek_takes_nothing),
        cmocka_unit_test(the_rest_comes_after_lines),
        cmocka_unit_test(a_pipe_that_gives_single_bytes_is_seen_as_gzip),
        cmocka_unit_test(a_missing_file_is_an_io_error),
        cmocka_unit_test(a_folder_is_no_text),
        cmocka_unit_test(a_failing_read_is_an_io_error),
        cmocka_unit_test(a_file_appears_only_when_it_is_complete),
        cmocka_unit_test(an_abandoned_file_leaves_the_old_one),
        cmocka_unit_test(a_new_file_has_the_rights_of_the_old),
        cmocka_unit_test(a_symbolic_link_stays_one),
        cmocka_unit_test(a_full_device_is_noticed),
        cmocka_unit_test(a_full_device_that_was_met_early_is_noticed),
        cmocka_unit_test(a_file_in_no_folder_is_an_io_error),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
