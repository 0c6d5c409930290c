/* lab3.h: the functions that you write in lab 3; their contracts are in exercises/. */
#ifndef LAB3_H
#define LAB3_H
#include "method.h"
#include "model.h"
#include "optim.h"
#include "run.h"

/* ---- part 1: exercises/1a to 1… ---- */

/* ---- part 2: exercises/2a to 2… ---- */

/* ---- part 3: exercises/3a to 3… ---- */

/* ---- part 4: exercises/4a to 4… ---- */

/* ---- part 5: exercises/5a to 5… ---- */

/* ---- part 6: exercises/6a to 6… ---- */

/* ---- part 7: exercises/7a to 7… ---- */

/* ---- part 8: exercises/8a to 8… ---- */

#endif
