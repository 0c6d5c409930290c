/* nvToolsExt.h: no profiler listens. */
static inline int nvtxRangePushA(const char *name) { return (void)name, 0; }
static inline int nvtxRangePop(void) { return 0; }
