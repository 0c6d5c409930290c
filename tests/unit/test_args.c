/* test_args.c: the option table: valid and invalid values, error messages, and --help. */
#include "args.h"
#include "child.h"
#include "harness.h"
#include <math.h>
#include <string.h>

typedef struct Values {
    bool trace, shuffle;
    int epochs, level, any;
    int64_t seed, large;
    double rate, sharpness;
    const char *out, *device, *schedule;
} Values;

enum { OPTIONS = 12 };

/* The table of the tests over v, which gets its defaults. */
static void table(Option options[OPTIONS + 1], Values *v)
{
    *v = (Values){.shuffle = true, .epochs = 3, .seed = 1, .rate = 0.1};
    v->out = "build/out";
    v->device = "auto";
    v->schedule = "step";
    const Option all[OPTIONS + 1] = {
        {"epochs", ARG_INT, &v->epochs, .min = 0, .max = 10000,
         .help = "passes over the training set"},
        {"level", ARG_INT, &v->level, .min = -3, .max = 3, .help = "a number that may be negative"},
        {"any", ARG_INT, &v->any, .help = "any int"},
        {"seed", ARG_LONG, &v->seed, .min = 0, .max = 9e15, .help = "seed of every random draw"},
        {"large", ARG_LONG, &v->large, .help = "any whole number"},
        {"rate", ARG_REAL, &v->rate, .min = 0, .max = 100, .help = "learning rate"},
        {"sharpness", ARG_REAL, &v->sharpness, .help = "any number at all"},
        {"out", ARG_STRING, &v->out,
         .help = "folder for results, which is made where it does not exist yet, and in which "
                 "every program has its "
                 "own folder"},
        {"device", ARG_CHOICE, &v->device, .choices = "auto|cpu|cuda", .help = "where to compute"},
        {"schedule", ARG_CHOICE, &v->schedule, .choices = "constant|step|cosine|onecycle",
         .help = "of the rate"},
        {"trace", ARG_FLAG, &v->trace, .help = "write a timeline for Perfetto"},
        {"shuffle", ARG_FLAG, &v->shuffle, .help = "a new order every epoch"},
        {0}};
    memcpy(options, all, sizeof all);
}

/* Parse the words of a command line (separated by |), program name excluded. Strings live until the
 * next call. */
static void parse_words(Option *options, const char *line)
{
    static char copy[1024];
    char *argv[32] = {"./train"};
    int argc = 1;
    assert_true(strlen(line) < sizeof copy);
    strcpy(copy, line);
    for (char *word = copy; word && *line; argc++) {
        char *end = strchr(word, '|');
        if (end)
            *end++ = 0;
        argv[argc] = word;
        word = end;
    }
    args_parse("train", "Train a network.", options, argc, argv);
}

static Values parsed(const char *line)
{
    Values v;
    Option options[OPTIONS + 1];
    table(options, &v);
    parse_words(options, line);
    return v;
}

TEST(defaults)
{
    Values v = parsed("");
    assert_true(v.epochs == 3 && v.seed == 1 && v.rate == 0.1 && !v.trace && v.shuffle);
    assert_string_equal(v.out, "build/out");
    assert_string_equal(v.device, "auto");
}

TEST(both_forms)
{
    Values v = parsed(
        "--epochs=7|--seed|123456789012|--rate|2.5e-3|--out=a b|--device|cpu|--level|-2|--trace|"
        "--no-shuffle");
    assert_int_equal(v.epochs, 7);
    assert_int_equal(v.seed, 123456789012);
    assert_true(v.rate == 2.5e-3);
    assert_string_equal(v.out, "a b");
    assert_string_equal(v.device, "cpu");
    assert_int_equal(v.level, -2);
    assert_true(v.trace && !v.shuffle);
}

TEST(last_wins)
{
    Values v = parsed(
        "--epochs=7|--epochs=8|--out=a|--out|b|--trace|--no-trace|--no-shuffle|--shuffle");
    assert_int_equal(v.epochs, 8);
    assert_string_equal(v.out, "b");
    assert_true(!v.trace && v.shuffle);
}

TEST(limits)
{
    Values v = parsed(
        "--epochs=10000|--level=-3|--any=-2147483648|--seed=9000000000000000|--rate=100|"
        "--sharpness=-1e300");
    assert_int_equal(v.epochs, 10000);
    assert_int_equal(v.level, -3);
    assert_int_equal(v.any, INT32_MIN);
    assert_int_equal(v.seed, 9000000000000000);
    assert_true(v.rate == 100 && v.sharpness == -1e300);
    assert_int_equal(parsed("--epochs=0").epochs, 0);
    assert_true(parsed("--large=-9223372036854775808").large == INT64_MIN);
    assert_true(parsed("--rate=.5").rate == 0.5);
}

TEST(given)
{
    Values v;
    Option options[OPTIONS + 1];
    table(options, &v);
    parse_words(options, "--rate=0.1|--no-shuffle");
    for (Option *o = options; o->name; o++)
        assert_int_equal(o->given, !strcmp(o->name, "rate") || !strcmp(o->name, "shuffle"));
}

static void parse_quietly(void *line) { parsed(line); }

static void refuse(const char *line, const char *message)
{
    expect_death(2, parse_quietly, (void *)line, message, "see --help", NULL);
}

TEST(bad_numbers)
{
    const char *const epochs = "expected a whole number from 0 to 10000;";
    const char *const rate = "expected a number from 0 to 100;";
    refuse("--epochs=abc",
           "train: --epochs=abc: expected a whole number from 0 to 10000; see --help\n");
    refuse("--epochs=", epochs); /* other texts that are no numbers: test_number.c */
    refuse("--epochs=-1", epochs);
    refuse("--epochs=10001", epochs);
    refuse("--rate=nan", rate);
    refuse("--rate=-0.1", rate);
    refuse("--rate=100.0001", rate);
    refuse("--any=2147483648", "expected a whole number;");
    refuse("--any=-2147483649", "expected a whole number;");
    refuse("--seed=9000000000000001", "expected a whole number from 0 to 9000000000000000;");
    refuse("--large=9223372036854775808", "expected a whole number;");
    refuse("--sharpness=1e400", "expected a number;");
    refuse("--epochs=bad|--epochs=5", "--epochs=bad");
}

TEST(bad_words)
{
    refuse("--device=gpu", "--device=gpu: expected auto, cpu or cuda;");
    refuse("--device=", "expected auto, cpu or cuda;");
    refuse("--device=auto|cpu", "cpu: expected only options");
    refuse("--device=cp", "expected auto, cpu or cuda;");
    refuse("--out=", "expected a non-empty text;");
    refuse("--epoch=3", "--epoch=3: no such option;");
    refuse("--no-epochs", "--no-epochs: no such option;");
    refuse("--epoch", "--epoch: no such option;");
    refuse("--trac=yes", "--trac=yes: no such option;");
    refuse("-x", "-x: no such option;");
    refuse("-xy", "-xy: no such option;");
    refuse("-", "-: expected only options");
    refuse("--epochs", "--epochs: expected a value");
    refuse("--epochs|--seed=3", "--epochs=--seed=3: expected a whole number");
    refuse("--trace=yes", "--trace=yes: takes no value;");
    refuse("epochs=3", "epochs=3: expected only options");
    refuse("--trace|--|more", "more: expected only options");
}

/* make's variables: options that the program does not have are left out; the command line wins. */
TEST(variables)
{
    Values v;
    Option options[OPTIONS + 1];
    table(options, &v);
    setenv("LABS_OPTIONS", " --seed=7  --data=fashion --device=cpu --epochs=5 --dev=none", 1);
    parse_words(options, "--epochs=9");
    assert_int_equal(v.seed, 7);
    assert_string_equal(v.device, "cpu");
    assert_int_equal(v.epochs, 9);
    args_otherwise(options, "seed", "3", NULL); /* it was given */
    assert_int_equal(v.seed, 7);
    setenv("LABS_OPTIONS", "--device=fast", 1);
    refuse("",
           "--device=fast: expected auto, cpu or cuda (a variable of make's, or of your shell);");
    setenv("LABS_OPTIONS", "--seed", 1);
    parse_words(options, "");
    unsetenv("LABS_OPTIONS");
}

TEST(json)
{
    Values v;
    Option options[OPTIONS + 1];
    table(options, &v);
    v.out = NULL;
    parse_words(options, "--epochs=9|--rate=0.25|--trace|--seed=9000000000000000");
    json_t *all = args_json(options);
    assert_int_equal(json_object_size(all), OPTIONS);
    char *text = json_dumps(all, JSON_COMPACT | JSON_REAL_PRECISION(15));
    assert_string_equal(text,
                        "{\"epochs\":9,\"level\":0,\"any\":0,\"seed\":9000000000000000,\"large\":0,"
                        "\"rate\":0.25,"
                        "\"sharpness\":0.0,\"out\":null,\"device\":\"auto\",\"schedule\":\"step\","
                        "\"trace\":true,\"shuffle\":true}");
    free(text);
    json_decref(all);
}

static void ask_help(void *rank)
{
    if (rank)
        setenv("OMPI_COMM_WORLD_RANK", rank, 1);
    parsed("--epochs=5|--help");
}

/* What --help prints on a rank (NULL: started without mpirun). */
static char *help_page(const char *rank)
{
    ChildEnd end = child_run(
        &(Child){.work = ask_help, .context = (void *)rank, .streams = CHILD_OUT});
    assert_int_equal(end.status, 0);
    assert_false(end.came_back);
    return keep(end.text);
}

TEST(help)
{
    char *page = help_page(NULL);
    printf("%s", page);
    const char *const words[] = {"train: Train a network.\n",
                                 "--epochs=N ",
                                 "passes over the training set (default 3; 0 to 10000)",
                                 "--schedule=constant|step|cosine|onecycle\n   ",
                                 "of the rate (default step)",
                                 "--[no-]trace ",
                                 "(default no)",
                                 "(default yes)",
                                 "a number that may be negative (default 0; -3 to 3)",
                                 "--out=TEXT",
                                 "--help"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strstr(page, words[i]))
            fail_msg("--help lacks '%s'", words[i]);
    size_t widest = 0;
    for (char *line = strtok(page, "\n"); line; line = strtok(NULL, "\n")) {
        widest = strlen(line) > widest ? strlen(line) : widest;
        assert_true(line[strlen(line) - 1] != ' ');
    }
    assert_in_range(widest, 80, 100); /* the long help text was wrapped, and not too early */
    page = help_page("1");
    assert_string_equal(page, ""); /* only rank 0 prints */
}
