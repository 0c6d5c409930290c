/* test_safetensors.c: the file format: round trips, exact bytes, every kind of malformed file, and
 * Python as judge. Writing files (full disks, kills): test_file.c. */
#include "harness.h"
#include "python.h"
#include "safetensors.h"
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The tensors that tests/torch/safetensors_files.py knows too. */
typedef struct Example {
    float weight[24], bias[3], scalar, one;
    SafeTensor tensors[5];
    char *keys[2], *values[2];
    SafeTensors all;
} Example;

static void example(Example *e)
{
    *e = (Example){.bias = {-0.0f, INFINITY, 1e-42f}, .scalar = 3.5f, .one = 1};
    for (int i = 0; i < 24; i++)
        e->weight[i] = (float)i / 7;
    const SafeTensor tensors[5] = {{"layer.weight", 3, {2, 3, 4}, e->weight},
                                   {"layer.bias", 1, {3}, e->bias},
                                   {"scalar", 0, {0}, &e->scalar},
                                   {"nothing", 2, {2, 0}, e->weight},
                                   {"größe", 1, {1}, &e->one}};
    memcpy(e->tensors, tensors, sizeof tensors);
    e->keys[0] = "format", e->values[0] = "pt";
    e->keys[1] = "note", e->values[1] = "quotes \" and \\ and\nlines";
    e->all = (SafeTensors){e->tensors, 5, e->keys, e->values, 2, NULL};
}

static size_t count_of(const SafeTensor *t)
{
    size_t count = 1;
    for (int i = 0; i < t->dims; i++)
        count *= (size_t)t->shape[i];
    return count;
}

static void expect_example(const SafeTensors *t)
{
    Example e;
    example(&e);
    assert_int_equal(t->count, 5);
    for (int i = 0; i < 5; i++) {
        const SafeTensor *a = safetensors_find(t, e.tensors[i].name), *b = &e.tensors[i];
        assert_non_null(a);
        assert_int_equal(a->dims, b->dims);
        assert_memory_equal(a->shape, b->shape, sizeof a->shape);
        assert_int_equal((uintptr_t)a->data % sizeof(float), 0);
        if (count_of(b))
            assert_memory_equal(a->data, b->data, sizeof(float) * count_of(b));
    }
    assert_null(safetensors_find(t, "no such"));
    for (int i = 0; i < 2; i++)
        assert_string_equal(safetensors_value(t, e.keys[i]), e.values[i]);
    assert_null(safetensors_value(t, "no such"));
    assert_int_equal(t->pairs, 2);
}

TEST(round_trip)
{
    Example e;
    example(&e);
    const char *path = path_in(scratch_dir(), "example.safetensors");
    assert_null(safetensors_write(path, &e.all));
    SafeTensors t;
    assert_null(safetensors_read(path, &t));
    expect_example(&t);
    for (int i = 0; i < 5; i++)
        assert_string_equal(t.tensors[i].name, e.tensors[i].name); /* in the order given */
    safetensors_free(&t);
}

TEST(exact_bytes)
{
    float elements[3] = {1, -2, 0.5f};
    SafeTensor tensors[2] = {{"b", 2, {2, 1}, elements}, {"a", 1, {1}, elements + 2}};
    char *keys[1] = {"k"}, *values[1] = {"v"};
    SafeTensors all = {tensors, 2, keys, values, 1, NULL};
    const char *path = path_in(scratch_dir(), "exact.safetensors");
    assert_null(safetensors_write(path, &all));
    const char *header = "{\"__metadata__\":{\"k\":\"v\"},"
                         "\"b\":{\"dtype\":\"F32\",\"shape\":[2,1],\"data_offsets\":[0,8]},"
                         "\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[8,12]}}";
    size_t size, length = (strlen(header) + 7) / 8 * 8;
    char *bytes = slurp(path, &size);
    assert_int_equal(size, 8 + length + sizeof elements);
    const unsigned char prefix[8] = {(unsigned char)length};
    assert_memory_equal(bytes, prefix, 8);
    assert_memory_equal(bytes + 8, header, strlen(header));
    for (size_t i = strlen(header); i < length; i++)
        assert_int_equal(bytes[8 + i], ' ');
    assert_memory_equal(bytes + 8 + length, elements, sizeof elements);
}

/* A file in memory of exactly its size, so that the address sanitizer sees a read behind it. */
static unsigned char *file_new(const char *header, size_t length, size_t data, size_t *size)
{
    unsigned char *bytes = keep(calloc(8 + length + data, 1));
    for (int i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(length >> 8 * i);
    memcpy(bytes + 8, header, length);
    *size = 8 + length + data;
    return bytes;
}

static void expect_empty(const SafeTensors *t)
{
    const SafeTensors empty = {0};
    assert_memory_equal(t, &empty, sizeof empty);
}

/* bytes must be refused by one line with `word` in it. */
static void refuse(const void *bytes, size_t size, const char *word)
{
    SafeTensors t;
    char *wrong = safetensors_parse(bytes, size, &t);
    if (!wrong)
        fail_msg("accepted, expected '%s'", word);
    expect_empty(&t);
    if (!strstr(wrong, word) || strpbrk(wrong, "\n\r\t\033") || strlen(wrong) > 400)
        fail_msg("expected one line with '%s', got: %s", word, wrong);
    free(wrong);
}

TEST(truncated)
{
    Example e;
    example(&e);
    const char *path = path_in(scratch_dir(), "whole.safetensors");
    assert_null(safetensors_write(path, &e.all));
    size_t size;
    char *bytes = slurp(path, &size);
    for (size_t length = 0; length < size; length++) { /* at every byte */
        char *part = malloc(length ? length : 1);
        memcpy(part, bytes, length);
        refuse(part, length, "truncated");
        free(part);
    }
    SafeTensors t;
    assert_null(safetensors_parse(bytes, size, &t));
    safetensors_free(&t);
    bytes[size] = 0;
    refuse(bytes, size + 1, "1 bytes at the end belong to no tensor");
}

#define ENTRY(name, shape, offsets) \
    "\"" name "\":{\"dtype\":\"F32\",\"shape\":" shape ",\"data_offsets\":" offsets "}"
#define A(shape, offsets) "{" ENTRY("a", shape, offsets) "}"
#define AB(a, b) "{" ENTRY("a", "[2]", a) "," ENTRY("b", "[2]", b) "}"

static const struct {
    const char *header;
    size_t data;
    const char *word;
} malformed[] = {
    {"", 0, "not JSON"},
    {"[]", 0, "not JSON"},
    {" {}", 0, "not JSON"},
    {"{", 0, "invalid JSON"},
    {"{}x", 0, "invalid JSON"},
    {"{\"a\":}", 0, "invalid JSON"},
    {"{\"a\":\"\n\"}", 0, "invalid JSON"},
    {"{\"\xff\":1}", 0, "invalid JSON"},
    {"{\"a\":1,\"a\":2}", 0, "duplicate"},
    {"{\"a\":{\"dtype\":\"F32\",\"dtype\":\"F32\"}}", 0, "duplicate"},
    {"{}", 4, "4 bytes at the end"},
    {"{\"__metadata__\":[]}", 0, "__metadata__"},
    {"{\"__metadata__\":{\"k\":1}}", 0, "'k' is not a string"},
    {"{\"a\":1}", 0, "'a': has no dtype"},
    {"{\"a\":{}}", 0, "'a': has no dtype"},
    {"{\"a\\n\\u001b[2J\":{}}", 0, "'a??[2J': has no dtype"},
    {"{\"a\":{\"dtype\":1,\"shape\":[1],\"data_offsets\":[0,4]}}", 4, "no dtype"},
    {"{\"a\":{\"dtype\":\"BF16\",\"shape\":[2],\"data_offsets\":[0,4]}}", 4,
     "'a': its dtype is BF16, expected F32"},
    {"{\"a\":{\"dtype\":\"F64\",\"shape\":[1],\"data_offsets\":[0,8]}}", 8, "F64"},
    {"{\"a\":{\"dtype\":\"F32\",\"data_offsets\":[0,4]}}", 4, "its shape"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1]}}", 4, "data_offsets are not two"},
    {A("1", "[0,4]"), 4, "its shape is not a list"},
    {A("[1,1,1,1,1,1,1,1,1]", "[0,4]"), 4, "its shape is not a list of up to 8"},
    {A("[-1]", "[0,4]"), 4, "its shape"},
    {A("[1.0]", "[0,4]"), 4, "its shape"},
    {A("[\"1\"]", "[0,4]"), 4, "its shape"},
    {A("[4294967296,4294967296]", "[0,4]"), 4, "invalid sizes"},
    {A("[4611686018427387904,4]", "[0,0]"), 0, "invalid sizes"},
    {A("[4611686018427387904]", "[0,0]"), 0, "its shape needs"}, /* times 4 is 0 in 64 bits */
    {A("[9223372036854775808]", "[0,4]"), 4, "invalid JSON"},
    {A("[1]", "[0,4,8]"), 4, "data_offsets are not two"},
    {A("[1]", "[0.0,4]"), 4, "data_offsets are not two"},
    {A("[1]", "{}"), 4, "data_offsets are not two"},
    {A("[1]", "[-4,0]"), 4, "outside"},
    {A("[1]", "[4,0]"), 4, "outside"},
    {A("[1]", "[4,8]"), 4, "outside"},
    {A("[1]", "[0,9223372036854775807]"), 4, "outside"},
    {A("[2]", "[0,4]"), 4, "its shape needs 2"},
    {A("[1]", "[0,8]"), 8, "its shape needs 1"},
    {A("[1]", "[0,5]"), 5, "its shape needs 1"},
    {A("[1]", "[1,5]"), 5, "1 bytes before its data"},
    {A("[1]", "[4,8]"), 8, "4 bytes before its data"},
    {AB("[0,8]", "[4,12]"), 12, "'b': its data overlap those of 'a'"},
    {AB("[4,12]", "[0,8]"), 12, "'a': its data overlap those of 'b'"},
    {AB("[0,8]", "[0,8]"), 8, "overlap"},
    {AB("[0,8]", "[12,20]"), 20, "'b': 4 bytes before"},
    {AB("[0,8]", "[8,16]"), 20, "4 bytes at the end"},
};

TEST(bad_headers)
{
    for (size_t i = 0; i < sizeof malformed / sizeof *malformed; i++) {
        size_t size;
        unsigned char *bytes = file_new(malformed[i].header, strlen(malformed[i].header),
                                        malformed[i].data, &size);
        printf("    %s\n", malformed[i].header);
        fflush(stdout);
        refuse(bytes, size, malformed[i].word);
    }
}

/* The same shapes, right: the refusals above are not for another reason. */
TEST(good_headers)
{
    static const struct {
        const char *header;
        size_t data;
        int count;
    } good[] = {{"{}", 0, 0},
                {"{}        ", 0, 0},
                {"{\"__metadata__\":{}}", 0, 0},
                {A("[1]", "[0,4]"), 4, 1},
                {A("[]", "[0,4]"), 4, 1},
                {A("[0]", "[0,0]"), 0, 1},
                {A("[1,1,1,1,1,1,1,1]", "[0,4]"), 4, 1},
                {AB("[0,8]", "[8,16]"), 16, 2},
                {AB("[8,16]", "[0,8]"), 16, 2}};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        size_t size;
        unsigned char *bytes = file_new(good[i].header, strlen(good[i].header), good[i].data,
                                        &size);
        SafeTensors t;
        char *wrong = safetensors_parse(bytes, size, &t);
        if (wrong)
            fail_msg("%s: %s", good[i].header, wrong);
        assert_int_equal(t.count, good[i].count);
        safetensors_free(&t);
    }
}

TEST(bad_lengths)
{
    size_t size;
    unsigned char *bytes = file_new("{}", 2, 0, &size);
    for (int byte = 0; byte < 8; byte++) { /* a header of 2, and 255 times 256^byte more */
        unsigned char before = bytes[byte];
        bytes[byte] = 255;
        refuse(bytes, size, "a header of");
        bytes[byte] = before;
    }
    bytes[0] = 3;
    refuse(bytes, size, "truncated");
    bytes[0] = 1;
    refuse(bytes, size, "invalid JSON");
    char text[] = "These are not the bytes that you are looking for.";
    refuse(text, sizeof text, "not a safetensors file");
}

TEST(long_names)
{
    char *header = malloc(100100);
    int length = sprintf(header, "{\"%0100000d\":1}", 0);
    size_t size;
    unsigned char *bytes = file_new(header, (size_t)length, 0, &size);
    refuse(bytes, size, "tensor '000");
    free(header);
}

/* Read as JSON, it would take a hundred times its size. */
TEST(long_header)
{
    static char header[(1 << 20) + 2];
    for (size_t i = 0; i + 3 < sizeof header; i += 3)
        memcpy(header + i, "{},", 3);
    size_t size;
    unsigned char *bytes = file_new(header, (1 << 20) + 1, 0, &size);
    refuse(bytes, size, "a header of 1048577 bytes: at most 1048576 are read");
}

/* ---- files ---- */

static void refuse_file(const char *path, const char *word)
{
    SafeTensors t;
    char *wrong = safetensors_read(path, &t);
    if (!wrong || !strstr(wrong, word) || strncmp(wrong, path, strlen(path)))
        fail_msg("expected '%s', got: %s", word, wrong ? wrong : "no complaint");
    printf("    %s\n", wrong);
    expect_empty(&t);
    free(wrong);
}

TEST(not_files)
{
    const char *folder = scratch_dir();
    refuse_file("/nowhere/x.safetensors", "No such file");
    refuse_file(folder, "not a regular file");
    refuse_file("/dev/zero", "not a regular file");
    const char *path = path_in(folder, "pipe");
    assert_int_equal(mkfifo(path, 0600), 0);
    refuse_file(path, "not a regular file"); /* and does not wait for a writer */
    path = path_in(folder, "empty");
    close(open(path, O_CREAT | O_WRONLY, 0600));
    refuse_file(path, "0 bytes, too short");
    assert_int_equal(truncate(path, 1LL << 40), 0); /* a terabyte of zeros that takes no space */
    refuse_file(path, "not JSON");
    int fd = open(path, O_WRONLY);
    const unsigned char large[8] = {0xff, 0xff, 0xff, 0xff, 0xff};
    assert_int_equal(pwrite(fd, large, 8, 0), 8);
    close(fd);
    refuse_file(path, "a header of 1099511627775 bytes");
}

TEST(bad_writes)
{
    Example e;
    example(&e);
    char *wrong = safetensors_write("/nowhere/x.safetensors", &e.all);
    assert_string_equal(wrong, "/nowhere/x.safetensors: No such file or directory");
    free(wrong);
    const char *path = path_in(scratch_dir(), "x.safetensors");
    e.tensors[1].name = e.tensors[0].name;
    assert_non_null(wrong = safetensors_write(path, &e.all));
    assert_non_null(strstr(wrong, "given twice"));
    free(wrong);
    e.tensors[1].name = "\xff";
    assert_non_null(wrong = safetensors_write(path, &e.all));
    assert_non_null(strstr(wrong, "not UTF-8"));
    free(wrong);
    assert_int_equal(access(path, F_OK), -1);
}

TEST(python_reads)
{
    Example e;
    example(&e);
    const char *path = path_in(scratch_dir(), "ours.safetensors");
    assert_null(safetensors_write(path, &e.all));
    python_run("tests/torch/safetensors_files.py read %s", path);
}

TEST(python_writes)
{
    const char *path = path_in(scratch_dir(), "theirs.safetensors");
    python_run("tests/torch/safetensors_files.py write %s", path);
    SafeTensors t;
    assert_null(safetensors_read(path, &t));
    expect_example(&t);
    safetensors_free(&t);
}
