/* cpu_kernels.c: the CPU's computing operations, for the table in backend_cpu.c. With PORTABLE=1
 * this file and the other cpu_*.c are compiled once per instruction set, and each exports only this
 * function, under its own name. */
#include "cpu.h"

void cpu_kernels(BackendOps *op)
{
#define KERNEL_OP(type, name, ...) op->name = cpu_##name;
#include "backend_ops.h"
}
