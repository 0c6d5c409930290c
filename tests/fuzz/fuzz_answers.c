/* fuzz_answers.c: libFuzzer on files of answers: each is understood or refused with a message, and
 * every answer is judged. */
#include "answers.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    char digest[ANSWER_DIGEST];
    AnswerFile file;
    char *wrong = answers_parse(&file, "answers.txt", (const char *)bytes, count);
    if ((wrong && (file.count || !*wrong)) || file.count > ANSWERS_MOST)
        abort();
    answer_digest(digest, "n", 40);
    for (int i = 0; i < file.count && i < 4; i++) {
        Question q = {.name = file.answer[i].name, .unit = "s", .digest = digest};
        ExerciseResult result = answer_judge(&q, &file);
        if ((result.state == EXERCISE_WRONG) != (result.why != NULL))
            abort();
        free(result.why);
    }
    answers_free(&file);
    free(wrong);
    return 0;
}
