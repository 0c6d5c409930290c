/* 10g_recompute.c: activation checkpointing: a gradient in little memory. */
#include "lab2.h"

static void each(void (*call)(void *, int), void *context, int first, int end)
{
    for (int a = first; a < end; a++)
        call(context, a);
}

void recompute(const Passes *p, const int *cut, int parts)
{
    void *context = p->context;
    for (int k = 0; k < parts; k++) {
        each(p->take, context, cut[k] + 1, cut[k + 1] + 1);
        p->forward(context, cut[k], cut[k + 1], false);
        if (k < parts - 1)
            each(p->drop, context, cut[k] + 1, cut[k + 1]);
    }
    p->loss(context);
    for (int k = parts - 1; k >= 0; k--) {
        if (k < parts - 1) {
            each(p->take, context, cut[k] + 1, cut[k + 1]);
            p->forward(context, cut[k], cut[k + 1], true);
        }
        p->backward(context, cut[k], cut[k + 1]);
        each(p->drop, context, cut[k] + 1, cut[k + 1] + 1);
    }
}
