/* 6h_muon.c: exercise: Muon: the momentum of a matrix, made orthogonal. */
#include "check.h"
#include "lab3.h"

/* One update of the matrix w [rows, columns] (row after row) against its gradient g. v, of the same
 * size, is the momentum, zero at first.
 *
 *     v = mu v + (1 - mu) g
 *     X = (1 - mu) g + mu v                    Nesterov's step ahead, with the new v
 *     X = X / max(|X|, 1e-7)                   |X|: the root of the sum of all squares
 *     five times:  A = X X^T,  X = a X + (b A + c A A) X      a = 3.4445, b = -4.7750, c = 2.0315
 *     w = w - rate decay w
 *     w = w - rate sqrt(max(1, rows / columns)) X
 *
 * The five Newton-Schulz steps move the singular values of X near 1 (to 0.7 to 1.2, from anything
 * above 0.002) and leave its singular vectors: nearly the same step in every direction. If X has
 * more rows than columns, transpose it before, and again afterwards: the result is the same, and A
 * is the smaller square. matrix_product() and matrix_transpose() are given (lab3.h); memory comes
 * from alloc(count, size) (check.h), free() it.
 * As torch.optim.Muon, but in float32. (Jordan et al., kellerjordan.github.io/posts/muon, 2024.) */
void muon(float *w, float *v, const float *g, int rows, int columns, double rate, double mu,
          double decay)
{
    TODO("the momentum; five Newton-Schulz steps on it; decay; the weights");
}
