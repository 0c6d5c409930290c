/* exercise_main.c: main() of an exercise's check: see ExerciseCheck. */
#include "exercise.h"

int main(int argc, char **argv) { return exercise_check_main(&exercise_check, argc, argv); }
