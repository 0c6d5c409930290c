/* 11b_optimal_size.c: exercise: the best model for a budget. */
#include "check.h"
#include "lab1.h"

/* Training a model of N parameters on D characters takes C = 6 N D operations. Return the N, which
 * need not be an integer, with the least loss that C operations can buy:
 *     L = E + A N^-alpha + B D^-beta          A, B, alpha, beta > 0
 * Put D = C / (6 N) in, and set the derivative by N to 0. The check asks for 1e-6, relative. */
double optimal_size(double A, double alpha, double B, double beta, double compute)
{
    TODO("return the N with the least A*N^-alpha + B*D^-beta, where 6*N*D = compute");
}
