/* ceiling_gpu.h: the peak rate of a GPU's matrix products, by NVIDIA's own library for them. */
#ifndef CEILING_GPU_H
#define CEILING_GPU_H

/* Operations per second (2 per multiply-add) of cuBLASLt's fastest product of two square matrices,
 * 4096 to 8192 wide, on GPU 0. precision: "fp32", "tf32", "bf16", "fp16" (inputs and result; sums
 * are F32). NAN: this GPU does not have it, or the program was built without CUDA. */
double ceiling_product(const char *precision);
#endif
