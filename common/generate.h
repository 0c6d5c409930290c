/* generate.h: what a language model writes. */
#ifndef GENERATE_H
#define GENERATE_H
#include "model.h"

/* `count` bytes that follow `first`, at most the model's T. Each is drawn from the probabilities
 * that the model gives the next byte after `first` and those drawn before it; the draw depends on
 * seed alone. Runs the model forward, one window at a time: m->logits is lost. Waits for the
 * device. */
void generate(Model *m, uint8_t *text, int count, uint8_t first, uint64_t seed);
#endif
