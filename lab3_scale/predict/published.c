/* published.c: see published.h. */
#include "published.h"

/* What the sources do not say is assumed here: the network's numbers are the hardware's nominal
 * ones; half of an update's computing hides the exchange. */
#define SUMMIT \
    { \
        6, 6, 0.36, 97e6, 2e-5, 1 / 25e9, 5e-6, 1 / 50e9, 0.5, true \
    }
#define DGX_A100 \
    { \
        1, 8, 0.112, 102e6, 2e-5, 1 / 25e9, 5e-6, 1 / 200e9, 0.5, true \
    }
#define DGX_V100 \
    { \
        8, 8, 0.5, 1.34e9, 2e-5, 1 / 50e9, 5e-6, 1 / 100e9, 0.5, true \
    }
#define P100 \
    { \
        1, 8, 0.2, 102e6, 2e-5, 1 / 6.8e9, 2e-5, 1 / 10e9, 0.5, true \
    }

const Published published[PUBLISHED_ROWS] = {
    {"TSM video, 768 V100", 49.83, SUMMIT, 768, 28 / 60.0,
     "reading video, stragglers and start-up are not modelled"},
    {"TSM video, 1,536 V100", 49.83, SUMMIT, 1536, 14 / 60.0,
     "as above; the source says 211 times, of 256"},
    {"ResNet-50, 8 A100", 14, DGX_A100, 8, 3,
     "4.7 times on 8, where the rings predict 8: something not modelled, such as reading"},
    {"BERT-Large, 16 V100", 153, DGX_V100, 16, 58,
     "2.6 times on twice the devices: not the same settings"},
    {"BERT-Large, 1,024 V100", 153, DGX_V100, 1024, 1,
     "as above: the base row is slow; its settings are not in the source"},
    {"ResNet-50, 1,024 P100", 90 * 1.281e6 / 32 * 0.2 / 3600, P100, 1024, 15 / 60.0,
     "no base row in the source: 160 images/s per P100 is assumed"},
};

double published_predicted(const Published *p)
{
    Cluster c = p->base;
    c.devices = p->devices;
    return p->base_hours * p->base.devices / p->devices * step_seconds(&c) / step_seconds(&p->base);
}
