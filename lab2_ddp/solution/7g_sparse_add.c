/* 7g_sparse_add.c: the sum of two sparse vectors, while that is the shorter way to write it. */
#include "lab2.h"

bool sparse_add(Sparse *sum, const Sparse *x, const Sparse *y, int most)
{
    int i = 0, j = 0, count = 0;
    while (i < x->count || j < y->count) {
        bool from_x = j == y->count || (i < x->count && x->at[i] <= y->at[j]),
             from_y = i == x->count || (j < y->count && y->at[j] <= x->at[i]);
        if (count == most)
            return false;
        sum->at[count] = from_x ? x->at[i] : y->at[j];
        sum->value[count++] = (from_x ? x->value[i] : 0) + (from_y ? y->value[j] : 0);
        i += from_x;
        j += from_y;
    }
    sum->count = count;
    return true;
}
