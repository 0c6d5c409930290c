/* 99_answers.c: the check of answers.txt: a line for each of the twelve numbers. It knows digests
 * of the expected ones (answers.h); --digests FILE prints those of another key.
 */
#include "answers.h"
#include "check.h"
#include "printable.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const Question questions[] = {
    {"gradient_bytes",
     "1: bytes of the MLP's gradient",
     "bytes",
     "d388a2b9c62718d1",
     {{1 / 2.0, "that is FP16: an element of FP32 has 4 bytes"}}},
    {"ring_sent_bytes",
     "2: bytes that a rank sends in a ring",
     "bytes",
     "996055b405d6f9ce",
     {{4 / 3.0, "2 (P-1)/P vectors, not 2: a rank's own chunk needs no sending"},
      {0.5, "that is half: the sums go around, too, in the all-gather"},
      {4, "that is what all ranks send together"},
      {2 / 3.0, "a ring has 2 (P-1) steps, with a chunk of 1/P in each"}}},
    {"ring_seconds",
     "3: seconds of a ring",
     "s",
     "507673d44bbd5db1",
     {{16 / 14., "a ring has 2 (P-1) steps, not 2P"},
      {0.5, "that is half: P-1 steps to add up, and P-1 to pass the sums on"},
      {14 * (5e-5 + 4e6 * 8e-9) / 0.0567, "a step sends a chunk of 1/P, not the whole vector"}}},
    {"crossing_bytes",
     "4: size at which ring and doubling cross",
     "bytes",
     "e97c9d808f7bf79e",
     {{1.25, "the ring sends 1.75 vectors through a card, not 2"},
      {13 / 11., "the ring waits for 14 latencies, not 16"}}},
    {"efficiency",
     "5: efficiency of eight ranks",
     "parts of 1",
     "81e3a317ee685441",
     {{0.635627 / 0.364373, "that is the share that waits: computing is the rest"},
      {8, "that is the speed-up: the efficiency is 1/P of it"},
      {0.334014 / 0.364373, "1.75 vectors go through a card, not 2"}}},
    {"break_even_Mbit",
     "6: Mbit/s at which communication takes over",
     "Mbit/s",
     "e5e30e9da654158c",
     {{8 / 7., "2 (P-1)/P vectors go through a card, not 2"},
      {1 / 8., "that is in megabytes per second"},
      {1.5, "all of the computing counts: 60 ms, not the backward pass alone"}}},
    {"overlapped_ms",
     "7: ms of an overlapped update",
     "ms",
     "1a626c830193e0e8",
     {{164.666 / 131.767, "that is without overlap"},
      {73.346 / 131.767, "on this link the network is never idle: each bucket waits for the one "
                         "before, not the last alone"},
      {111.767 / 131.767, "the forward pass takes time, too"}}},
    {"top_k_bytes",
     "8: bytes of the largest 1 %",
     "bytes",
     "d140e0f12abeb27b",
     {{0.5, "that is half: an index goes with each value"}}},
    {"zero_1_GB",
     "9: GB per rank with ZeRO 1",
     "GB",
     "2f2e82e38093f222",
     {{16 / 5.5, "that is plain data parallelism: stage 1 shards the optimiser's state"},
      {3.75 / 5.5, "that is stage 2: stage 1 keeps the whole gradient"},
      {2 / 5.5, "that is stage 3: stage 1 keeps the whole parameters and gradient"},
      {1.5 / 5.5, "that is the optimiser's state alone"}}},
    {"accumulated_efficiency",
     "10: efficiency with 16 batches per exchange",
     "parts of 1",
     "741903fe6ac8ad2c",
     {{0.364373 / 0.901691, "that is with an exchange after each batch: once per update"},
      {0.098309 / 0.901691, "that is the share that waits: computing is the rest"}}},
    {"staleness",
     "11: mean staleness, in updates",
     "updates",
     "068e50dbe08e4837",
     {{8 / 7., "while one worker computes, the P-1 others each send one"},
      {0.5, "half: each of the others sends one, on average, not every second"}}},
    {"diloco_seconds",
     "12: seconds of DiLoCo's exchange per update",
     "s",
     "1ac6316464bf2684",
     {{500, "that is one exchange: it is shared by 500 updates"},
      {8 / 7., "2 (P-1)/P vectors go through a card, not 2"},
      {1 / 1.75, "2 (P-1)/P vectors go through a card, not 1"}}},
};
enum { COUNT = sizeof questions / sizeof *questions };

/* Of the variant that this program is built for: …/sol/lab2_ddp/check/99_answers. */
static const char *own_file(const char *program)
{
    return strstr(program, "/sol/lab2_ddp/check/") ? "lab2_ddp/solution/answers.txt"
                                                   : "lab2_ddp/exercises/answers.txt";
}

static int print_digests(const AnswerFile *file)
{
    char digest[ANSWER_DIGEST];
    for (int i = 0; i < file->count; i++) {
        double value;
        char *wrong = answer_number(&value, file->answer[i].text, "its unit");
        REQUIRE(!wrong, "line %d: %s", file->answer[i].line, wrong);
        answer_digest(digest, file->answer[i].name, value);
        printf("%s %s\n", file->answer[i].name, digest);
    }
    return 0;
}

static int judge(const AnswerFile *file)
{
    int wrong = 0, to_do = 0;
    for (int i = 0; i < COUNT; i++) {
        ExerciseResult result = answer_judge(&questions[i], file);
        exercise_say(questions[i].name, 1, questions[i].what, result);
        wrong += result.state == EXERCISE_WRONG;
        to_do += result.state == EXERCISE_TODO;
        free(result.why);
    }
    return wrong ? EXIT_WRONG : to_do ? EXIT_TODO : 0;
}

int main(int argc, char **argv)
{
    bool digests = argc == 3 && !strcmp(argv[1], "--digests");
    REQUIRE(argc <= 2 || digests,
            "99_answers [FILE]: judges answers.txt; --digests FILE: of a key");
    const char *path = argc == 1 ? own_file(argv[0]) : argv[argc - 1];
    AnswerFile file;
    char shown[80], *wrong = answers_read(&file, path);
    REQUIRE(!wrong, "%s", wrong);
    const Answer *stray = answers_stray(&file, questions, COUNT);
    REQUIRE(digests || !stray, "%s, line %d: there is no question \"%s\"", path, stray->line,
            printable(shown, sizeof shown, stray->name));
    int status = digests ? print_digests(&file) : judge(&file);
    answers_free(&file);
    return status;
}
