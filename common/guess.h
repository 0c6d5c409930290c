/* guess.h: predict first, then run: --guess X, a mark in the figure, and a line in guesses.csv.
 *
 *     Guess guess = {.what = "memory of a rank, ZeRO 3 on 8 ranks", .unit = "MB"};
 *     … GUESS_OPTION(guess, "the memory of a rank") … in the table of options
 *     guess_check(&guess);            after args_parse: is it a number?
 *     guess_rule(&guess, panel);      in the figure: a dashed line at the guess, if there is one
 *     guess_found(&guess, run, 11.7); at the end: prints and records how far off it was
 *
 * Each guess adds a line to OUT/guesses.csv, over all programs and runs: are yours getting better?
 */
#ifndef GUESS_H
#define GUESS_H
#include "plot.h"
#include "run.h"

typedef struct Guess {
    const char *what, *unit; /* "" for a share */
    const char *text;        /* --guess; NULL: none */
    double value;            /* guess_check()'s */
} Guess;

#define GUESS_OPTION(g, of) \
    { \
        "guess", ARG_STRING, &(g).text, .help = "before you run it, your prediction: " of \
    }

/* A guess that is not a number ends the run (exit 2). */
void guess_check(Guess *g);
void guess_rule(const Guess *g, PlotPanel *panel);
/* Compares the guess with the result; NaN (the run was stopped): prints nothing. On rank 0. */
void guess_found(const Guess *g, Run *run, double found);
#endif
