/* published.c: see predictor.h. Where the constants come from:
 *
 * All machines. Bandwidths are nominal, per direction; a ring in a machine goes at a device's own
 * link, the ring between machines at all of a machine's cards. Latencies (20 µs between machines,
 * 5 µs inside, of a message of NCCL's) and the overlap (half of the computing, most of the backward
 * pass) are in no source: they are assumed, and the same everywhere. Gradients are fp32.
 *
 * Summit: 6 V100 a node, NVLink 50 GB/s, two EDR InfiniBand cards with 25 GB/s together (Oak
 *   Ridge's user guide). TSM with ResNet-50, 24.3 M parameters; 8 clips of 8 frames per GPU (12,288
 *   clips on 1,536), 49 h 55 min and 14 min 13 s: Lin et al., arXiv 1910.00932; 49 h 50 min, 28 and
 *   14 min: the course's table. 64 frames at a V100's 367 images/s in fp32 (NVIDIA's table, below).
 * DGX A100, DGX-1 and DGX-2H: 300, 150 and 150 GB/s of NVLink per GPU; 8 HDR, 4 EDR and 8 EDR cards
 *   (200, 50, 100 GB/s): NVIDIA's data sheets.
 * ResNet-50 on A100: NVIDIA, DeepLearningExamples, PyTorch/Classification/ConvNets/resnet50v1.5,
 *   mixed precision: 1 GPU 2,470 images/s, "~14 hours", 8 GPUs 16,621 images/s, "~3 hours"; batches
 *   of 256; 25.6 M parameters.
 * BERT-Large: the same repository, PyTorch/LanguageModeling/BERT (2020), mixed precision: 8 V100 of
 *   a DGX-1 with 16 GB 153.16 h, 16 of a DGX-2H with 32 GB 58.4 h, 1,024 of 64 DGX-2H 1.124 h. In
 *   phase 1: batches of 16 at 874.24 sequences/s on 8, of 64 at 3,379.2 on 16. 336 M parameters. An
 *   update accumulates 512 batches on 8 GPUs, 64 on 16, one on 1,024: the exchange is counted with
 *   each, which on 8 and on 16 is hidden.
 * ResNet-50 on P100: 29 h on 8, batches of 32: Goyal et al., arXiv 1706.02677. 15 min on 1,024:
 *   Akiba et al., arXiv 1711.04325; 8 GPUs a node on PCIe 3.0 x16 (15.75 GB/s), two FDR InfiniBand
 *   links of 6.8 GB/s: Preferred Networks on its MN-1.
 * Watts: V100 SXM2 300 (450 in a DGX-2H), A100 SXM 400, P100 PCIe 250: NVIDIA's data sheets.
 */
#include "predictor.h"

#define NETWORK(between, inside) 2e-5, 1 / (between), 5e-6, 1 / (inside), 0.5, true
#define SUMMIT(devices) \
    { \
        devices, 6, 64 / 367.0, 4 * 24.3e6, NETWORK(25e9, 50e9) \
    }
#define DGX_A100(devices) \
    { \
        devices, 8, 256 / 2470.0, 4 * 25.6e6, NETWORK(200e9, 300e9) \
    }
#define DGX_1(devices) \
    { \
        devices, 8, 16 * 8 / 874.24, 4 * 336e6, NETWORK(50e9, 150e9) \
    }
#define DGX_2H(devices) \
    { \
        devices, 16, 64 * 16 / 3379.2, 4 * 336e6, NETWORK(100e9, 150e9) \
    }
/* an update: 29 h over the updates of 90 epochs of ImageNet's 1,281,167 images in batches of 256 */
#define MN_1(devices) \
    { \
        devices, 8, 29 * 3600.0 * 256 / (90 * 1281167.0), 4 * 25.6e6, NETWORK(13.6e9, 15.75e9) \
    }

const Published published[PUBLISHED_ROWS] = {
    {"TSM video, 768 V100, from 6", 49.83, SUMMIT(6), 768, 28 / 60.0, 300,
     "reading video and stragglers are not modelled; the source names both"},
    {"TSM video, 1,536 V100, from 6", 49.83, SUMMIT(6), 1536, 14 / 60.0, 300,
     "the same; the source says 211 times, of 256"},
    {"ResNet-50, 8 A100, from 1", 14, DGX_A100(1), 8, 3, 400,
     "\"~3 hours\" is 4.7 times; the same table's images/s are 6.7 times: by them -16 %"},
    {"BERT-Large, 16 V100, from 8", 153.16, DGX_1(8), 16, 58.4, 450,
     "another machine: 32 GB allow batches of 64, not 16, 3.9 times the sequences/s"},
    {"BERT-Large, 1,024 V100, from 8", 153.16, DGX_1(8), 1024, 1.124, 450,
     "near by chance: the slower machine of the base row hides what the scaling loses"},
    {"BERT-Large, 1,024 V100, from 16", 58.4, DGX_2H(16), 1024, 1.124, 450,
     "the same machine: its sequences/s scale by 56 to 60 of 64, its hours by 52"},
    {"ResNet-50, 1,024 P100, from 8", 29, MN_1(8), 1024, 15 / 60.0, 250,
     "other software on the base's machine; the links between switches are shared"},
};

double published_predicted(const Published *p)
{
    Cluster c = p->base;
    c.devices = p->devices;
    return p->base_hours * p->base.devices / p->devices * step_seconds(&c) / step_seconds(&p->base);
}
