#include "exercise.h"
#include "lab2.h"
static void judge(void *unused) {}
int main(int argc, char **argv)
{
    return exercise_check(argc, argv, "low_rank", 4, "", judge);
}
