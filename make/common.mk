# common.mk: the library, libcommon.a, from common/'s folders; and labs_gpu.so, the part of it that
# needs CUDA's libraries.

# ---- the part for GPUs --------------------------------------------------------------------------
# Machine code for each GPU architecture, and PTX for the last, which newer GPUs compile at load.
# CUDA 13 dropped sm_70. 86 and 89 have nothing that these kernels use and 80 has not: one PTX for
# the three.
CUDA_ROOM := common/backend/cuda
ARCHS := $(if $(HAVE_CUDA),$(or $(CUDA_ARCH),$(filter $(CUDA_ARCHS),70 75 80 86 89 90 100 120)))
ptx_for = $(patsubst 86,80,$(patsubst 89,80,$(1)))
NVCC_ARCHS = $(foreach a,$(ARCHS),-gencode=arch=compute_$(call ptx_for,$(a))$(comma)code=sm_$(a)) \
    $(foreach a,$(lastword $(ARCHS)),-gencode=arch=compute_$(a)$(comma)code=compute_$(a))
NVCC_COMPILE = $(NVCC) -O3 --threads 2 -Wno-deprecated-gpu-targets -std=c++17 -Icommon \
    $(CUDA_CFLAGS) $(NVCC_ARCHS) -Xcompiler -fPIC$(comma)-Wall$(comma)-Wextra \
    -Xcompiler -fno-threadsafe-statics$(comma)-fno-exceptions \
    $(if $(STRICT),-Werror all-warnings) -MMD -MP
$(B)/nvcc_flags: $(if $(COUNTING),,FORCE)
	@mkdir -p $(@D)
	@echo '$(NVCC_COMPILE)' | cmp -s - $@ || echo '$(NVCC_COMPILE)' >$@
# All kernels at once: nvcc spends most of its time on CUDA's headers, once per architecture.
CUDA_KERNELS := $(B)/$(CUDA_ROOM)/cuda_kernels.o
$(CUDA_KERNELS): $(wildcard $(CUDA_ROOM)/*.cu) $(B)/nvcc_flags
	@mkdir -p $(@D)
	$(call step,NVCC  $(CUDA_ROOM)/*.cu)
	$(Q)printf '#include "%s"\n' $(patsubst common/%,%,$(wildcard $(CUDA_ROOM)/*.cu)) >$(@:.o=.cu)
	$(Q)$(NVCC_COMPILE) -c $(@:.o=.cu) $(whole)
$(B)/$(CUDA_ROOM)/backend_cuda.o: $(B)/nvcc_flags
$(B)/$(CUDA_ROOM)/backend_cuda.o: private CPPFLAGS_ALL += -DCUDA_ARCHS='"$(ARCHS)"'
# A separate shared object, which programs load when they use a GPU (backend/gpu_part.h), from the
# build's folder, one to three levels above theirs. It uses these names of the program.
GPU_CALLS := alloc board_patience comm_mpi_open die format_new observers timer_now timer_real
GPU_FOLDER = '$$ORIGIN/..:$$ORIGIN/../..:$$ORIGIN/../../..'
WITH_GPU = -Wl,--dynamic-list=$(B)/gpu_calls -Wl,-rpath,$(GPU_FOLDER) -ldl
GPU_SOURCES := $(wildcard $(CUDA_ROOM)/*.c common/comm/*_nccl.c)
# Found at run time, each for itself (backend/cuda/gpu_library.h): here is only where to look.
OPTIONAL_GPU_LIBS = $(filter-out -lcudnn% -lnccl%,$(CUDNN_LIBS) $(NCCL_LIBS))
GPU_OBJECTS := $(if $(HAVE_CUDA),$(patsubst %.c,$(B)/%.o, \
    $(filter-out $(if $(HAVE_CUDNN),,%_cudnn.c) $(if $(HAVE_NCCL),,%_nccl.c),$(GPU_SOURCES)) \
    $(if $(HAVE_NCCL),common/comm/comm_place.c common/comm/comm_watch.c)))
$(GPU_OBJECTS): private CFLAGS_ALL += -fPIC
$(B)/labs_gpu.so: $(GPU_OBJECTS) $(CUDA_KERNELS)
	$(call step,LINK  $@)
	$(Q)$(LINK) -shared -Wl,-z,lazy $^ $(CUDA_LIBS) $(OPTIONAL_GPU_LIBS) -ldl -lm $(whole)
$(B)/gpu_calls: make/common.mk
	@mkdir -p $(@D)
	@printf '{ %s };\n' '$(GPU_CALLS:%=%;)' >$@

# ---- the rest -----------------------------------------------------------------------------------
# main() of a check that has none. Not in the library: it is no other program's.
$(B)/check_main.a: $(B)/common/judge/exercise_main.o
	$(archive)
COMMON := $(filter-out $(GPU_SOURCES) common/judge/exercise_main.c, \
    $(wildcard common/*/*.c common/*/*/*.c))
# start.c must run on any processor, to report that the rest cannot.
$(B)/common/base/start.o: override CFLAGS := -O1 -g $(if $(X86),-march=x86-64)
# The fuzzers read files: the kernels need no instrumentation, which takes minutes to compile.
$(BUILD)/fuzz/common/backend/cpu/%.o: SANITIZE := -O0
# Some compilers prefer half of AVX-512's width, which the kernels' own vectors do not: what one
# stores the other then loads late. -g1: optimised variables are seldom there for a debugger, and
# cost a quarter of the time.
$(B)/common/backend/cpu/%.o: WIDE := $(if $(X86),-mprefer-vector-width=512) \
    $(if $(filter -O3,$(CFLAGS)),-g1)
# PORTABLE=1: the CPU's kernels once per instruction set. Each set is linked into one object, which
# exports only cpu_kernels, under a different name.
CPU_ROOM := common/backend/cpu
KERNELS := $(if $(PORTABLE),$(if $(X86),$(filter $(CPU_ROOM)/cpu_%,$(COMMON))))
SETS_OF_KERNELS := $(if $(KERNELS),v1 v3 v4 bf16)
v1_FLAGS := -march=x86-64
v3_FLAGS := -march=x86-64-v3
v4_FLAGS := -march=x86-64-v4 -mprefer-vector-width=512
bf16_FLAGS := $(v4_FLAGS) -mavx512bf16 -mamx-tile -mamx-bf16
define kernels
$(B)/$(1)/%.o: $(CPU_ROOM)/%.c $(B)/flags
	@mkdir -p $$(@D)
	$$(call step,CC    $$< $(1))
	$$(Q)$$(COMPILE) $$($(1)_FLAGS) $$(depend) -c $$< $$(whole)
$(B)/kernels_$(1).o: $(patsubst $(CPU_ROOM)/%.c,$(B)/$(1)/%.o,$(KERNELS))
	$$(Q)ld -r $$^ -o $$@.all
	$$(Q)objcopy --redefine-sym cpu_kernels=cpu_kernels_$(1) $$@.all
	$$(Q)objcopy --keep-global-symbol=cpu_kernels_$(1) $$@.all $$@
endef
$(foreach set,$(SETS_OF_KERNELS),$(eval $(call kernels,$(set))))
# A lab alone needs the part for GPUs, whose kernels take minutes to compile, only where a GPU is,
# or DEVICE=cuda asks for it.
LAB_GOALS := lab1 lab2 lab3 check show $(B)/student/% $(B)/sol/%
GPU_WANTED := $(if $(HAVE_CUDA),$(if $(FUZZ),,$(filter-out $(LAB_GOALS),$(BUILDING)) \
    $(filter cuda,$(DEVICE)) $(wildcard /dev/nvidia* /dev/nvhost-gpu /dev/dxg)))
LIBRARIES_NEED := $(filter %.o,$(KEEP_LOADED)) $(if $(HAVE_CUDA),$(B)/gpu_calls)
$(B)/libcommon.a: | $(LIBRARIES_NEED) $(if $(strip $(GPU_WANTED)),$(B)/labs_gpu.so)
$(B)/libcommon.a: $(patsubst %.c,$(B)/%.o,$(filter-out $(KERNELS),$(COMMON))) \
    $(SETS_OF_KERNELS:%=$(B)/kernels_%.o)
	$(archive)
