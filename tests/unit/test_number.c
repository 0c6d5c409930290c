/* test_number.c: numbers from text and from JSON, and text made safe to print: tables of what a
 * hostile file or command line may hold. */
#include "harness.h"
#include "memory.h"
#include "number.h"
#include "printable.h"
#include <math.h>
#include <string.h>
#include <sys/resource.h>

/* ---- numbers ---- */

TEST(whole)
{
    static const struct {
        const char *text;
        int64_t low, high, value;
    } good[] = {{"0", 0, 0, 0},
                {"-7", -7, 7, -7},
                {"+7", -7, 7, 7},
                {"007", 0, 10, 7},
                {"9223372036854775807", 0, INT64_MAX, INT64_MAX},
                {"-9223372036854775808", INT64_MIN, 0, INT64_MIN}};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        int64_t value = 99;
        assert_true(number_whole(&value, good[i].text, good[i].low, good[i].high));
        assert_int_equal(value, good[i].value);
    }
    static const char *const bad[] = {NULL,
                                      "",
                                      " ",
                                      "-",
                                      "+",
                                      "--1",
                                      "+-1",
                                      " 1",
                                      "1 ",
                                      "1\n",
                                      "\t1",
                                      "1.0",
                                      "1e3",
                                      "0x10",
                                      "12abc",
                                      "abc",
                                      "nan",
                                      "inf",
                                      "1,000",
                                      "1_000",
                                      "٣",
                                      "１",
                                      "11",
                                      "-11",
                                      "99999999999999999999",
                                      "9223372036854775808",
                                      "-9223372036854775809",
                                      "4294967296",
                                      "1\x1b[31m",
                                      "\xff\x31",
                                      "1\xff"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        int64_t value = 99;
        if (number_whole(&value, bad[i], -10, 10))
            fail_msg("'%s' was taken for %lld", bad[i], (long long)value);
        assert_int_equal(value, 99);
    }
}

TEST(real)
{
    static const struct {
        const char *text;
        double value;
    } good[] = {{"0", 0},       {"-0.5", -0.5}, {".5", 0.5},   {"5.", 5},
                {"1e-3", 1e-3}, {"+2E2", 200},  {"1e-400", 0}, {"000.1", 0.1}};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        double value = 99;
        assert_true(number_real(&value, good[i].text, -1e3, 1e3));
        assert_true(value == good[i].value);
    }
    static const char *const bad[] = {NULL,     "",         " ",     "-",    ".",    "e5",
                                      "1e",     "1e+",      "nan",   "NaN",  "-nan", "inf",
                                      "-inf",   "INFINITY", "0x1p3", "0x10", "1,5",  "1.5.5",
                                      "1..5",   "--1",      " 1",    "1 ",   "1\n",  "1e999",
                                      "-1e999", "1001",     "-1001", "1e3x", "1d3",  "٣.٥",
                                      "1\x1b",  "\xff"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        double value = 99;
        if (number_real(&value, bad[i], -1e3, 1e3))
            fail_msg("'%s' was taken for %g", bad[i], value);
        assert_true(value == 99);
    }
}

TEST(from_json)
{
    json_t *json = json_pack("[i, f, s, b, n, o, I]", 3, 3.0, "3", 1, json_object(),
                             (json_int_t)1 << 40);
    int64_t w = 99;
    double r = 99;
    assert_true(number_json_whole(&w, json_array_get(json, 0), 0, 3) && w == 3);
    assert_true(number_json_real(&r, json_array_get(json, 1), 0, 3) && r == 3);
    for (size_t i = 1; i < 8; i++) { /* beyond the array: NULL, as a missing key is */
        assert_false(number_json_whole(&w, json_array_get(json, i), 0, 100));
        assert_true(i == 1 || !number_json_real(&r, json_array_get(json, i), 0, 100));
    }
    assert_false(number_json_whole(&w, json_array_get(json, 0), 4, 5));
    assert_false(number_json_real(&r, json_array_get(json, 1), 0, 2.9));
    assert_true(w == 3 && r == 3);
    json_decref(json);
}

/* ---- text ---- */

TEST(text_made_safe)
{
    static const struct {
        const char *text, *safe;
    } cases[] = {{"", ""},
                 {"data/train: 17 bytes", "data/train: 17 bytes"},
                 {"η = 0.1 … naïve 数 🙂", "η = 0.1 … naïve 数 🙂"},
                 {"two\nlines", "two\\nlines"},
                 {"a\tb", "a\\tb"},
                 {"\r", "\\x0d"},
                 {"\x1b[2J", "\\x1b[2J"},                  /* clears the screen */
                 {"\x1b]0;title\a", "\\x1b]0;title\\x07"}, /* the window's title */
                 {"\x7f\b", "\\x7f\\x08"},                 /* deletes */
                 {"\xc2\x9b"
                  "31m",
                  "\\xc2\\x9b31m"}, /* C1: the one-byte CSI */
                 {"\x9b"
                  "31m",
                  "\\x9b31m"},
                 {"\xe2\x80\xae"
                  "txt.exe",
                  "\\xe2\\x80\\xaetxt.exe"}, /* right to left */
                 {"\xe2\x81\xa6", "\\xe2\\x81\\xa6"},
                 {"\xe2\x80\xa8", "\\xe2\\x80\\xa8"}, /* line separator */
                 {"\xff\xfe", "\\xff\\xfe"},
                 {"\xc3", "\\xc3"}, /* ends too early */
                 {"\xc3(", "\\xc3("},
                 {"\xe2\x82", "\\xe2\\x82"},
                 {"\xe9", "\\xe9"},          /* its lower bits are a tab's */
                 {"\xc0\xaf", "\\xc0\\xaf"}, /* '/', too long */
                 {"\xe0\x80\xaf", "\\xe0\\x80\\xaf"},
                 {"\xed\xa0\x80", "\\xed\\xa0\\x80"},          /* half a surrogate pair */
                 {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"}, /* beyond Unicode */
                 {"\xf8\x88\x80\x80\x80", "\\xf8\\x88\\x80\\x80\\x80"},
                 {"\xef\xbf\xbe \xef\xb7\x90",
                  "\\xef\\xbf\\xbe \\xef\\xb7\\x90"}, /* U+FFFE, U+FDD0 */
                 {"\xf0\x9f\xbf\xbf \xef\xbf\xbd", "\\xf0\\x9f\\xbf\\xbf \xef\xbf\xbd"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char safe[256];
        assert_string_equal(printable(safe, sizeof safe, cases[i].text), cases[i].safe);
    }
}

TEST(text_cut)
{
    char safe[64];
    assert_string_equal(printable(safe, 9, "12345678"), "12345678");
    assert_string_equal(printable(safe, 8, "12345678"), "1234...");
    assert_string_equal(printable(safe, 8, "\x1b\x1b\x1b"), "\\x1b...");
    assert_string_equal(printable(safe, 8, "ηηηηη"), "ηη...");
    assert_string_equal(printable(safe, 4, "\x1b"), "...");
    for (size_t room = 4; room < sizeof safe; room++) { /* never beyond the room */
        memset(safe, '#', sizeof safe);
        printable(safe, room, "η\x1b🙂η\n数x\xff η\x1b🙂η\n数x\xff");
        assert_true(strlen(safe) < room);
        for (size_t i = room; i < sizeof safe; i++)
            assert_true(safe[i] == '#');
    }
}

/* ---- memory ---- */

static void too_much(void *unused) { memory_require(1e18, "a grid of 1 x 1", "lower --points"); }

TEST(memory)
{
    assert_true(memory_limit() > 1e7 && memory_limit() < 1e18);
    double alone = memory_limit();
    setenv("OMPI_COMM_WORLD_LOCAL_SIZE", "4", true); /* what 4 ranks divide among them */
    assert_true(memory_limit() <= alone / 4);
    unsetenv("OMPI_COMM_WORLD_LOCAL_SIZE");
    memory_require(0, "nothing", "");
    memory_require(1e6, "a little", "");
    expect_death(2, too_much, NULL, "error: a grid of 1 x 1 would take 1e+09 GB, but this process ",
                 "lower --points\n", NULL);
#ifndef __SANITIZE_ADDRESS__ /* which needs more, for a file's buffer */
    struct rlimit before, most;
    assert_int_equal(getrlimit(RLIMIT_DATA, &before), 0);
    most = before;
    most.rlim_cur = 64 << 20;
    assert_int_equal(setrlimit(RLIMIT_DATA, &most), 0);
    double limit = memory_limit();
    setrlimit(RLIMIT_DATA, &before);
    assert_true(limit == 64 << 20);
#endif
}
