/* 6i_smooth_labels.c: exercise: label smoothing. */
#include "check.h"
#include "lab3.h"

/* dlogits [N,K], of N images and K classes, is the gradient of their mean cross entropy: element
 * (n, k) is (p - y) / N with p the network's probability of class k, and y = 1 for k = label[n], 0
 * for the others. Turn it, in place, into the gradient with smoothed labels: a share `smoothing` of
 * each label's 1 is spread evenly over all K classes, itself included. Then
 *
 *     y = 1 - smoothing + smoothing / K     for the label,   y = smoothing / K     for the others
 *
 * No probability is needed for it. (Szegedy et al., arXiv 1512.00567.) */
void smooth_labels(float *dlogits, const int32_t *label, int N, int K, double smoothing)
{
    TODO("add to each element what its y has changed by, over N");
}
