/* test_answers.c: files of answers, the numbers in them, and what is said about wrong ones. */
#include "answers.h"
#include "harness.h"
#include <math.h>
#include <string.h>

/* ---- files ---- */

static char *parse(AnswerFile *f, const char *text)
{
    return answers_parse(f, "a.txt", text, strlen(text));
}

TEST(reads)
{
    AnswerFile f;
    assert_null(parse(&f, "# a comment\n\n one = 1.5e3 # behind it\r\ntwo=\n\tthree_3 = TODO"));
    assert_int_equal(f.count, 3);
    assert_string_equal(f.answer[0].name, "one");
    assert_string_equal(f.answer[0].text, "1.5e3");
    assert_int_equal(f.answer[0].line, 3);
    assert_string_equal(f.answer[1].text, "");
    assert_string_equal(f.answer[2].text, "TODO");
    answers_free(&f);
    assert_null(parse(&f, ""));
    assert_int_equal(f.count, 0);
}

static void refuses(const char *text, size_t size, const char *words)
{
    AnswerFile f;
    char *wrong = answers_parse(&f, "a.txt", text, size);
    assert_non_null(wrong);
    if (!strstr(wrong, words))
        fail_msg("expected '%s' in: %s", words, wrong);
    assert_int_equal(f.count, 0);
    free(wrong);
}

/* A line that cannot be understood: `words` say which and why, and n = 1 beside it stays. */
static void ignores(const char *text, int line, const char *words)
{
    AnswerFile f;
    char where[32];
    Question q = {.name = "largest_n", .unit = "s", .digest = "0"};
    snprintf(where, sizeof where, "a.txt, line %d is ignored: ", line);
    assert_null(parse(&f, text));
    answers_check_names(&f, "a.txt", &q, 1);
    if (!f.ignored || strncmp(f.ignored, where, strlen(where)) != 0 || !strstr(f.ignored, words))
        fail_msg("expected '%s … %s' in: %s", where, words, f.ignored ? f.ignored : "nothing");
    assert_string_equal(f.answer[0].name, "largest_n");
    assert_string_equal(f.answer[0].text, "1");
    answers_free(&f);
}

TEST(ignored_lines)
{
    ignores("largest_n = 1\nlargest_n = 2\n", 2, "twice; the one in line 1 counts");
    ignores("largest_n = 1\nI think it is 2\n", 2, "no '='");
    ignores("largest_n = 1\n\nlagest_n = 2\n", 3,
            "no question \"lagest_n\"\nthe questions are largest_n\n");
    ignores("largest_n = 1\na\033[2J = 1\n", 2, "\\x1b[2J\" is not a name");
}

/* A mark at the start, and line endings of all kinds. */
TEST(other_editors)
{
    AnswerFile f;
    assert_null(parse(&f, "\xef\xbb\xbf# one\ra = 1\rb = 2\r\n\r\nc = 3\n"));
    assert_null(f.ignored);
    assert_int_equal(f.count, 3);
    assert_string_equal(f.answer[1].text, "2");
    assert_int_equal(f.answer[0].line, 2);
    assert_int_equal(f.answer[2].line, 5);
    answers_free(&f);
}

TEST(hostile_files)
{
    static char large[ANSWERS_LARGEST + 1], many[ANSWERS_MOST * 16 + 17];
    refuses("a = 1\0\nb = 2\n", 13, "zero byte");
    memset(large, '#', sizeof large);
    refuses(large, sizeof large, "more than 65536 bytes");
    for (int i = 0; i <= ANSWERS_MOST; i++)
        snprintf(many + strlen(many), 17, "a%d=1\n", i);
    AnswerFile f;
    assert_null(parse(&f, many));
    assert_int_equal(f.count, ANSWERS_MOST);
    assert_non_null(strstr(f.ignored, "line 65 is ignored: more than 64 answers"));
    answers_free(&f);
    char *wrong = answers_read(&f, "/nonexistent/answers.txt");
    assert_non_null(wrong);
    free(wrong);
}

/* ---- numbers ---- */

TEST(numbers)
{
    static const char number[] = "above 0, such as 1500 or 1.5e3, in s";
    static const struct {
        const char *text, *words; /* NULL: it is 1500 */
    } cases[] = {{"1500", NULL},        {"1.5e3", NULL},
                 {"1.5E+3", NULL},      {" ", number},
                 {"", number},          {"1,5", "\"1,5\": expected a decimal number above 0"},
                 {"1,500", number},     {"1 500", number},
                 {"1/8", number},       {"2.8×10^-4", number},
                 {"−3", number},        {"50 %", number},
                 {"nan", number},       {"inf", number},
                 {"0x10", number},      {"1e999", number},
                 {"1e-999", number},    {"about 5", number},
                 {"\033]0;x", "\\x1b"}, {"0", number},
                 {"-3", number}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double value = 7;
        char *wrong = answer_number(&value, cases[i].text, "s");
        if (!cases[i].words) {
            assert_null(wrong);
            expect_close(value, 1500, 0, 0, cases[i].text);
        } else if (!wrong || !strstr(wrong, cases[i].words))
            fail_msg("%s: expected '%s', got: %s", cases[i].text, cases[i].words, wrong);
        else
            expect_close(value, 7, 0, 0, "untouched");
        free(wrong);
    }
}

/* ---- the judge ---- */

TEST(within_5_percent)
{
    for (double expected = 3e-7; expected < 1e12; expected *= 37.3) {
        char digest[ANSWER_DIGEST];
        answer_digest(digest, "n", expected);
        Question q = {.name = "n", .digest = digest};
        assert_true(answer_right(&q, expected));
        assert_true(answer_right(&q, 1.048 * expected));
        assert_true(answer_right(&q, 0.952 * expected));
        assert_false(answer_right(&q, 1.052 * expected));
        assert_false(answer_right(&q, 0.948 * expected));
        q.name = "another";
        assert_false(answer_right(&q, expected));
    }
}

TEST(mistakes)
{
    static const struct {
        const char *unit, *text, *words;
    } cases[] = {{"s", "40", NULL},
                 {"s", "80", "twice the answer"},
                 {"s", "20", "half the answer"},
                 {"bytes", "320", "8 times the answer: bits"},
                 {"Mbit/s", "5", "an eighth of the answer"},
                 {"GB", "42.95", "not of 1024"},
                 {"s", "320", "line 1: 320 is not within 5 %"},
                 {"s", "4e4", "1000 times"},
                 {"s", "0.04", "a thousandth"},
                 {"1", "4e4", "line 1: 40000 is not within 5 %"},
                 {"s", "46.6", "P for P-1"},
                 {"parts of 1", "4000", "per cent"},
                 {"s", "4000", "line 1: 4000 is not within 5 %"},
                 {"s", "33.3", "line 1: 33.3 is not within 5 %"},
                 {"s", "4,0", "above 0, such as"}};
    char digest[ANSWER_DIGEST];
    answer_digest(digest, "n", 40);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Question q = {.name = "n",
                      .unit = cases[i].unit,
                      .digest = digest,
                      .mistake = {{7 / 6., "P for P-1"}}};
        AnswerFile f;
        char text[64];
        snprintf(text, sizeof text, "n = %s", cases[i].text);
        assert_null(parse(&f, text));
        ExerciseResult r = answer_judge(&q, &f);
        assert_int_equal(r.state, cases[i].words ? EXERCISE_WRONG : EXERCISE_DONE);
        if (cases[i].words && !strstr(r.why, cases[i].words))
            fail_msg("%s: expected '%s', got: %s", cases[i].text, cases[i].words, r.why);
        free(r.why);
        answers_free(&f);
    }
}

TEST(to_do)
{
    static const char *const texts[] = {"", "n =", "n = ?", "n = TODO", "n = todo: later"};
    Question q = {.name = "n", .unit = "s", .digest = "0"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        AnswerFile f;
        assert_null(parse(&f, texts[i]));
        assert_int_equal(answer_judge(&q, &f).state, EXERCISE_TODO);
        answers_check_names(&f, "a.txt", &q, 1);
        assert_null(f.ignored);
        answers_free(&f);
    }
}
