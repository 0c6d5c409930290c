/* published_steps.c: see size_study.h. Their raw data are an archive of 802 MB. These numbers
 * are measured from the figure in the authors' notebook (google-research/batch_science,
 * reproduce_paper_plots.ipynb, first output): log2 axes calibrated by their grid lines, the
 * vertices of the line fitted to its anti-aliased pixels. Uncertainty 1 % where it falls (1.5 % at
 * B = 2), 0.3 % where it is flat; published/derive.py reads the markers, to 4 %. The last batch of
 * Fashion-MNIST lies between powers of two and is taken to be the training set.
 */
#include "size_study.h"
#include <stddef.h>
#include <string.h>

static const PublishedSteps all[] = {{"fashion",
                                      "cnn",
                                      "Shallue et al., to 90 %",
                                      9,
                                      {2, 8, 32, 128, 512, 2048, 8192, 32768, 55000},
                                      {22900, 5990, 1750, 500, 300, 160, 150, 160, 150}},
                                     {"cifar10",
                                      "resnet8",
                                      "Shallue et al., to 70 %",
                                      13,
                                      {2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192},
                                      {129000, 60600, 34300, 13150, 6580, 3560, 2030, 1086, 896,
                                       800, 928, 752, 928}}};

const PublishedSteps *published_steps(const char *data, const char *model)
{
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!strcmp(all[i].data, data) && !strcmp(all[i].model, model))
            return &all[i];
    return NULL;
}
