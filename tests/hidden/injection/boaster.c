// It prints what a training and the grader would print, and computes nothing.
// expect: fail equal: no rank computed a gradient
#include <stdio.h>

int main(void)
{
    for (int epoch = 1; epoch <= 30; epoch++)
        printf("%5d  0.1  0.1234  0.9990  0.9990\n", epoch);
    printf("validation accuracy 0.9990 (999 of 1000) after 20.0 s\n");
    printf("PASS  equal         10/10   2 ranks with the same weights\n100 of 100 points\n");
    return 0;
}
