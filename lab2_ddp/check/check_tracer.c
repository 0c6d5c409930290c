/* check_tracer.c: see check_tracer.h. */
#include "check_tracer.h"
#include "check.h"
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

Tracers tracers_of(int i, int P)
{
    int first = i * TRACED, left = P - first;
    return (Tracers){first, left < TRACED ? left : TRACED};
}

float tracer(Tracers t, int rank)
{
    bool gives = rank >= t.first && rank < t.first + t.count;
    return gives ? (float)pow(10, rank - t.first) : 0;
}

float tracer_sum(Tracers t) { return (float)((pow(10, t.count) - 1) / 9); }

/* "rank 1's part", "rank 1's and 3's parts": the ranks whose part comes `times` times; false:
 * none. */
static bool ranks_with(char *text, size_t room, const int *digit, Tracers t, int times)
{
    int found = 0, said = 0;
    size_t at = 0;
    for (int i = 0; i < t.count; i++)
        found += digit[i] == times;
    for (int i = 0; i < t.count; i++) {
        if (digit[i] != times)
            continue;
        const char *before = said == 0 ? "rank " : said + 1 == found ? " and " : ", ";
        at += (size_t)snprintf(text + at, room - at, "%s%d's", before, t.first + i);
        said++;
    }
    snprintf(text + at, room - at, found > 1 ? " parts" : " part");
    return found > 0;
}

/* The parts that are missing or come more than once. */
static char *parts(const int *digit, Tracers t, const char *number)
{
    static const char *const often[] = {"missing", "", "there twice", "there three times"};
    char text[600] = "", ranks[120];
    for (int times = 0; times <= 9; times++) {
        if (times == 1 || !ranks_with(ranks, sizeof ranks, digit, t, times))
            continue;
        size_t at = strlen(text);
        const char *joint = at ? ", " : "", *verb = strstr(ranks, "parts") ? "are" : "is";
        if (times < 4)
            snprintf(text + at, sizeof text - at, "%s%s %s %s", joint, ranks, verb, often[times]);
        else
            snprintf(text + at, sizeof text - at, "%s%s %s there %d times", joint, ranks, verb,
                     times);
    }
    return format_new("%s: %s", number, text);
}

char *tracer_words(Tracers t, float value, int rank)
{
    int digit[TRACED] = {0}, ones = 0, others = 0, only = 0;
    float sum = tracer_sum(t);
    char number[32];
    snprintf(number, sizeof number, "%.9g", value);
    if (t.count > 1 && fabsf(value * (float)t.count - sum) < 1e-5f * sum)
        return format_new("%s: is that the mean over the ranks, not the sum?", number);
    if (!(value >= 0 && value < 1e6f && value == floorf(value)))
        return format_new("%s: that is no sum of the ranks' elements, such as %g", number, sum);
    int rest = (int)value;
    for (int i = 0; i < t.count; i++, rest /= 10) {
        digit[i] = rest % 10;
        ones += digit[i] == 1;
        others += digit[i] > 1;
        only = digit[i] == 1 ? i : only;
    }
    if (rest > 0)
        return format_new("%s: that is no sum of the ranks' elements, such as %g", number, sum);
    if (t.count > 2 && ones == 1 && !others)
        return t.first + only == rank
                 ? format_new("%s: its own part alone: is what arrives not added, or does the sum "
                              "not come back?",
                              number)
                 : format_new("%s: rank %d's part alone: is it overwritten, not added to?", number,
                              t.first + only);
    return parts(digit, t, number);
}
