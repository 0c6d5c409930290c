/* evidence_fit.c: least squares with few columns of many elements, some of which others give
 * already. By the normal equations: the columns' products are small, and rounding of the moves,
 * which are float, is far above theirs.
 */
#include "inspection.h"
#include <cblas.h>
#include <math.h>

/* Solves the k x k system gram c = right by Cholesky's method; a term that the others give already
 * gets the coefficient 0. gram is overwritten. */
static void solve(double *gram, double *c, const double *right, int k)
{
    bool used[MOST_TERMS];
    for (int j = 0; j < k; j++) {
        double pivot = gram[j * k + j], size = pivot;
        for (int i = 0; i < j; i++)
            if (used[i])
                pivot -= gram[j * k + i] * gram[j * k + i];
        used[j] = pivot > 1e-8 * size && size > 0;
        gram[j * k + j] = used[j] ? sqrt(pivot) : 1;
        for (int row = j + 1; row < k && used[j]; row++) {
            double sum = gram[row * k + j];
            for (int i = 0; i < j; i++)
                if (used[i])
                    sum -= gram[row * k + i] * gram[j * k + i];
            gram[row * k + j] = sum / gram[j * k + j];
        }
    }
    for (int j = 0; j < k; j++) {
        c[j] = right[j];
        for (int i = 0; i < j; i++)
            if (used[i])
                c[j] -= gram[j * k + i] * c[i];
        c[j] = used[j] ? c[j] / gram[j * k + j] : 0;
    }
    for (int j = k - 1; j >= 0; j--) {
        for (int i = j + 1; i < k; i++)
            if (used[i])
                c[j] -= used[j] ? gram[i * k + j] * c[i] : 0;
        c[j] = used[j] ? c[j] / gram[j * k + j] : 0;
    }
}

void fit_columns(double *columns, int n, int k, double *c, double *lengths, const double bounds[2])
{
    double products[(MOST_TERMS + 1) * (MOST_TERMS + 1)] = {0}, gram[MOST_TERMS * MOST_TERMS];
    double right[MOST_TERMS];
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, k + 1, n, 1, columns, n, 0, products,
                k + 1);
    for (int j = 0; j < k; j++)
        lengths[j] = sqrt(products[j * (k + 2)]);
    for (int tries = bounds ? 2 : 1; tries; tries--) {
        for (int j = 0; j < k; j++) { /* they differ by factors of 10^6: of length 1 */
            double size = lengths[j] > 0 ? 1 / lengths[j] : 0;
            for (int i = 0; i <= j; i++)
                gram[j * k + i] = gram[i * k + j] = products[j * (k + 1) + i] * size *
                                                    (lengths[i] > 0 ? 1 / lengths[i] : 0);
            right[j] = products[k * (k + 1) + j] * size;
        }
        solve(gram, c, right, k);
        double last = bounds && lengths[k - 1] > 0 ? c[k - 1] / lengths[k - 1] : 0;
        if (!bounds || (last >= bounds[0] && last <= bounds[1]))
            break;
        lengths[k - 1] = 0;
    }
    for (int j = 0; j < k; j++)
        if (lengths[j] > 0 && c[j] != 0)
            cblas_daxpy(n, -c[j] / lengths[j], columns + (size_t)j * n, 1, columns + (size_t)k * n,
                        1);
}
