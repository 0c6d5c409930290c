/* data_language.h: the grammar of the made-up language: for data_language.c and its test. */
#ifndef DATA_LANGUAGE_H
#define DATA_LANGUAGE_H
#include <stddef.h>

/* A sentence is a walk through slots, each of which takes one of its words; from a THING the walk
 * goes on to the next sentence's SUBJECT. */
enum { SUBJECT, AFTER_SUBJECT, CLAUSE_VERB, OBJECT, AFTER_OBJECT, MAIN_VERB, THING, SLOTS };
enum { SUBJECTS = 12, LONGEST_WORD = 24 };

int language_choices(int slot); /* how many words it has, all equally likely */
/* Word i of the slot, in a sentence with that subject (0 … 11), with the characters up to the next
 * word. Returns its length. */
int language_word(char word[LONGEST_WORD], int slot, int subject, int i);
int language_next(int slot, int i); /* the slot that follows word i */
#endif
