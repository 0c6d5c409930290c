/* 10a_float16_of_check.c: the check of float16_of. */
#include "exercise.h"
#include "lab3.h"

static void ask(const char *group, const double *asked, int n)
{
    exercise_group(group);
    for (int i = 0; i < n; i++) {
        exercise_case("x = %.9g", asked[i]);
        exercise_value("the float16", float16_of((float)asked[i]));
    }
}
#define ASK(group, ...) \
    ask(group, (const double[]){__VA_ARGS__}, sizeof((double[]){__VA_ARGS__}) / sizeof(double))

static void judge(void *unused)
{
    ASK("numbers that are float16 already", 1, -1.5, 65504, 0x1p-14, 0x1.ff8p-15, -0x1p-24, 2047);
    ASK("numbers between two float16", 0.1, -3.14159265, 1000.3, 2049.7, 0.333333343, 12345.678,
        0x1.ffffp-1, -0x1.ffffp3, 6.1e-5);
    ASK("numbers half way between two", 2049, 2051, -2049, 0x1.002p0, 0x1.006p0, 40016);
    ASK("subnormal numbers, below 2^-14", 6e-5, 3.3e-5, -1e-6, 1.2e-7, 0x1.8p-24, 0x1.4p-23);
    ASK("numbers nearer to 0 than to 2^-24", 1e-8, -2.9e-8, 0x1p-25, 0x1p-40);
    ASK("numbers near 0x1p-25, above it", 0x1.00002p-25, 4e-8);
    ASK("large numbers", 65503, 65519.99, -65519, 65520, 65536, -1e6, 3e38);
    ASK("infinity, NaN and zero", INFINITY, -INFINITY, NAN, 0);
    exercise_group("the sign of zero");
    for (int i = 0; i < 2; i++) {
        float x = i ? -1e-9f : -0.0f;
        exercise_case("x = %g", x);
        exercise_value("1 if the sign is kept", signbit(float16_of(x)) ? 1 : 0);
    }
}

const ExerciseCheck exercise_check = {__FILE__, "float16_of", 6,
                                      "11 bits of mantissa, fewer below 2^-14, none beyond 65504",
                                      judge};
