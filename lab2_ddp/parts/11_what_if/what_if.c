/* what_if.c: the lists of part 11. What a training reaches is far below a data sheet's peak: about
 * 40 % of the tensor cores' here. */
#include "what_if.h"

const Machine what_if_machines[WHAT_IF_MACHINES] = {{"CPU core", {4e10, 4e10}},
                                                    {"V100", {1.2e13, 5e13}},
                                                    {"A100", {1.6e13, 1.25e14}},
                                                    {"H100", {5e13, 4e14}}};

/* Parameters; 3 forward passes of 2 operations per multiply-add (a token: 6 per parameter), and a
 * rough size of what the backward pass reads again; the largest layer, of a language model a block
 * or the table of words. A sample of a language model is 1024 tokens. */
const Net what_if_nets[WHAT_IF_NETS] = {
    {"MLP 784-1024-1024-10", 1863690, 6 * 1861632., 1.2e4, 1049600},
    {"ResNet-8", 77754, 6 * 9.4e6, 9e5, 36864},
    {"ResNet-50", 25.6e6, 6 * 4.1e9, 9e7, 2359296},
    {"GPT-2", 124e6, 6 * 124e6 * 1024, 1.5e9, 38.6e6},
    {"language model", 1e9, 6e9 * 1024, 4e9, 5e7},
    {"language model", 7e9, 42e9 * 1024, 1.6e10, 2e8},
};

const Link what_if_links[WHAT_IF_LINKS] = {{12.5e6, 20e-3}, {125e6, 50e-6}, {1.25e9, 20e-6},
                                           {12.5e9, 5e-6},  {50e9, 3e-6},   {200e9, 3e-6},
                                           {450e9, 2e-6}};
