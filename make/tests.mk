# tests.mk: unit tests, tools, benchmarks, fuzzers.
$(B)/tests/%.o: INCLUDE = -Itests/support
# The references compute in float64 what a test compares: with sanitizers, half of its time.
$(B)/tests/support/reference.o: private SANITIZE :=
NOT_IN_ALL := %/no_dlclose.c %/fake_cuda.c %/fake_nccl.c
$(B)/libtests.a: $(patsubst %.c,$(B)/%.o,$(filter-out $(NOT_IN_ALL),$(wildcard tests/support/*.c)))
	$(archive)
# The CUDA backend again, on a CPU emulation of CUDA, cuBLAS and cuDNN: another device for
# the tests. It exports only the functions that open and steer it, so that it can coexist with the
# real one.
ON_HOST := $(wildcard $(CUDA_ROOM)/*.c $(CUDA_ROOM)/*.cu tests/support/cuda_on_host/*.cpp)
ON_HOST := $(filter-out %/gpu_library.c,$(ON_HOST))
ON_HOST := $(patsubst %,$(B)/cuda_on_host/%.o,$(basename $(ON_HOST)))
$(ON_HOST): private CPPFLAGS_ALL := -Itests/support/cuda_on_host \
    $(filter-out -DHAVE_CUDNN -DHAVE_NCCL,$(CPPFLAGS_ALL)) -DHAVE_CUDNN -DHAVE_NCCL
# -O1: in half the time.
COMPILE_CXX = $(CXX) $(CPPFLAGS_ALL) $(patsubst -std=gnu11,-std=gnu++17, \
    $(filter-out -Werror=incompatible-pointer-types,$(CFLAGS_ALL))) -O1 -g1 $(ZERO_UPPER) -MMD -MP
define compile_cxx
@mkdir -p $(@D)
$(call step,CXX   $<)
$(Q)$(COMPILE_CXX) $(depend) -x c++ -c $< $(whole)
endef
$(B)/cuda_on_host/%.o: %.c $(B)/flags
	$(compile)
$(B)/cuda_on_host/%.o: %.cu $(B)/flags
	$(compile_cxx)
$(B)/cuda_on_host/%.o: %.cpp $(B)/flags
	$(compile_cxx)
# For changed sources (tests/e2e/cuda_mutants.sh, cuda_ptx.sh): compile SOURCE OBJECT; and link
# FOLDER TEST PROGRAM: with the folder's objects in place of those of their names, here or in
# libcommon.a. EXTRA: more flags for both.
$(B)/cuda_on_host/compile: private CPPFLAGS_ALL := -Itests/support/cuda_on_host -I$(CUDA_ROOM) \
    -Icommon/model \
    $(filter-out -DHAVE_CUDNN -DHAVE_NCCL,$(CPPFLAGS_ALL)) -DHAVE_CUDNN -DHAVE_NCCL
$(B)/cuda_on_host/compile: $(B)/flags $(wildcard make/*.mk)
	@mkdir -p $(@D)
	@printf '%s\n' '#!/bin/sh' 'case $$1 in' \
	    '*.c) exec $(filter-out -MMD -MP,$(COMPILE)) $$EXTRA -c "$$1" -o "$$2" ;;' \
	    '*) exec $(filter-out -MMD -MP,$(COMPILE_CXX)) $$EXTRA -x c++ -c "$$1" -o "$$2" ;;' \
	    'esac' >$@
	@chmod +x $@
$(B)/cuda_on_host/link: $(B)/flags $(wildcard make/*.mk) $(CUDA_ROOM) # a new file, too
	@mkdir -p $(@D)
	@printf '%s\n' '#!/bin/sh' 'ours= others=' \
	    'for o in $(ON_HOST); do' \
	    '    [ ! -e "$$1/$${o##*/}" ] || o=$$1/$${o##*/}' \
	    '    ours="$$ours $$o "' 'done' \
	    'for o in "$$1"/*.o; do' \
	    '    case $$ours in *" $$o "*) ;; *) others="$$others $$o" ;; esac' 'done' \
	    'ld -r $$ours -o "$$1/ours" &&' \
	    'objcopy --redefine-sym backend_cuda_open=cuda_on_host_open "$$1/ours" &&' \
	    'objcopy $(ON_HOST_CALLS:%=--keep-global-symbol=cuda_on_host_%) "$$1/ours" "$$1/one" &&' \
	    'exec $(LINK) $$EXTRA $(B)/tests/unit/$$2.o "$$1/one" $$others $(B)/libtests.a \' \
	    '    $(B)/libcommon.a $(LDLIBS) $(TEST_LIBS) -o "$$3"' >$@
	@chmod +x $@
ON_HOST_CALLS := open seed refuse cudnn_calls cublas_calls
$(B)/cuda_on_host.o: $(ON_HOST)
	$(Q)ld -r $^ -o $@.all
	$(Q)objcopy --redefine-sym backend_cuda_open=cuda_on_host_open $@.all
	$(Q)objcopy $(ON_HOST_CALLS:%=--keep-global-symbol=cuda_on_host_%) $@.all $@
ifneq ($(and $(HAVE_CPLUSPLUS),$(shell command -v objcopy)),)
$(B)/libtests.a: $(B)/cuda_on_host.o | $(B)/cuda_on_host/compile $(B)/cuda_on_host/link
$(B)/tests/support/device.o: private CPPFLAGS_ALL += -DHAVE_CUDA_ON_HOST
endif

# tests/support/cuda_memory.c calls CUDA directly.
TEST_LIBS = $(CMOCKA_LIBS) $(CPLUSPLUS_LIBS) \
    $(if $(HAVE_CUDA),-Wl$(comma)--as-needed $(CUDA_LIBS) $(NCCL_LIBS))
UNIT_TESTS := $(patsubst tests/unit/%.c,$(B)/tests/%,$(wildcard tests/unit/test_*.c))
export THREADED := test_audit test_background_thread test_check test_comm_watch test_link \
    test_loader test_loader_events test_trace
UNIT_TESTS := $(if $(filter thread,$(SAN)),$(THREADED:%=$(B)/tests/%),$(UNIT_TESTS))
$(UNIT_TESTS): $(B)/tests/%: $(B)/tests/unit/%.o $(B)/libtests.a $(B)/libcommon.a
	$(call link,$(TEST_LIBS))
# The parts of lab 1 that are no exercises.
$(B)/tests/unit/test_sgd_floor.o: INCLUDE = -Itests/support -Ilab1_gd
$(B)/tests/test_sgd_floor: $(patsubst %,$(B)/lab1_gd/parts/1_linear/%.o,sgd_floor linear)
# Lab 2's part 8, with the reference's exercises.
$(B)/tests/unit/test_local_method.o: INCLUDE = -Itests/support -Ilab2_ddp
$(B)/tests/test_local_method: $(patsubst %.c,$(B)/%.o,$(wildcard lab2_ddp/parts/8_local/*_me*.c \
    lab2_ddp/solution/8*.c))
# The link, with lab 2's five all-reduces, the references.
$(addprefix $(B)/tests/,support/five_all_reduces.o unit/test_link_times.o tools/link_table.o): \
    INCLUDE = -Itests/support -Ilab2_ddp
$(B)/tests/test_link_times $(B)/tests/tools/link_table: $(patsubst %.c,$(B)/%.o, \
    lab2_ddp/parts/2_all_reduce/all_reduces.c $(wildcard lab2_ddp/solution/2*.c))
# Lab 3's part 9, which has no exercises.
$(B)/tests/unit/test_speedrun.o: INCLUDE = -Itests/support -Ilab3_scale
$(B)/tests/test_speedrun: $(patsubst %,$(B)/lab3_scale/parts/9_speedrun/%.o,recipe runner views)
$(B)/tests/test_evidence: $(patsubst %.c,$(B)/%.o,$(wildcard assessment/grader/evidence_*.c))
# In this test alone, fakes replace NCCL and the CUDA runtime; it links the code that calls them.
$(B)/tests/test_comm_nccl: $(if $(HAVE_NCCL),$(addprefix $(B)/,tests/support/fake_cuda.o \
    tests/support/fake_nccl.o common/comm/comm_nccl.o common/comm/comm_link_nccl.o))
$(B)/tests/test_no_allocation: LDFLAGS += $(addprefix -Wl$(comma)--wrap=, \
    malloc calloc realloc aligned_alloc posix_memalign free)
TOOLS := $(patsubst %.c,$(B)/%,$(wildcard tests/tools/*.c))
$(TOOLS): %: %.o $(B)/libtests.a $(B)/libcommon.a
	$(call link,$(TEST_LIBS))
$(B)/tests/tools/cudnn_engines: LDLIBS += $(CUDNN_LIBS)
$(B)/tests/tools/cudnn_engines: $(if $(HAVE_CUDNN),$(B)/$(CUDA_ROOM)/cuda_conv_graph_cudnn.o)
# Lab 3's optimisers, the references, beside PyTorch's.
$(B)/tests/tools/optimiser_steps.o: INCLUDE = -Itests/support -Ilab3_scale
ifneq ($(wildcard lab3_scale/solution/6*.c),)
$(B)/tests/tools/optimiser_steps: $(patsubst %.c,$(B)/%.o, \
    $(wildcard lab3_scale/solution/6*.c) lab3_scale/parts/6_optimisers/matrix.c)
endif
BENCH := $(addprefix $(B)/tests/bench/,bench bench_gpu train_rate)
$(B)/tests/bench/bench_gpu: $(B)/tests/bench/ceiling_gpu.o $(B)/tests/bench/worker.o
$(B)/tests/bench/bench_gpu: LDLIBS += $(if $(HAVE_CUDA),$(CUDA_LIBS) -lcublasLt)
$(B)/tests/bench/bench: $(B)/tests/bench/ceiling.o $(B)/tests/bench/worker.o
$(BENCH): %: %.o $(B)/libcommon.a
	$(call link)
# A name that occurs nowhere is refused before everything is built for it.
ifneq ($(filter test,$(MAKECMDGOALS)),)
NOWHERE := $(firstword $(shell for word in $(ONLY); do \
    for part in $$(echo $$word | tr /. '  '); do \
    { ls tests/unit tests/e2e; cat tests/unit/*.c tests/support/*.c; } 2>/dev/null | \
    grep -qF -e $$part || echo $$word; done; done))
$(call must,$(if $(NOWHERE),,yes),ONLY=$(ONLY): no test has '$(NOWHERE)' in its name)
endif
# ONLY=test_…, a GPU's cases (/cuda.…) and the thread sanitizer run only unit tests.
UNIT_ONLY := $(or $(filter thread,$(SAN)), \
    $(if $(ONLY),$(if $(filter-out test_% /cuda.%,$(ONLY)),,unit)))
test: $(UNIT_TESTS) $(if $(UNIT_ONLY),,$(BENCH) $(LAB_PROGRAMS) $(TRAINERS) $(GRADING) $(TOOLS))
	@$(BUILT)
	@$(WITH_MAKE) CC=$(call quoted,$(CC)) CFLAGS=$(call quoted,$(CFLAGS)) WERROR='$(WERROR)' \
	    tests/tools/run.sh $(B) $(ONLY)
# Trainings killed at random moments: RUNS of them, from SEED on.
soak: $(filter $(B)/sol/lab2_ddp/3_train,$(LAB_PROGRAMS))
	@$(BUILT)
	@$(WITH_MAKE) BUILD=$(B) ALL=1 tests/e2e/hostile_processes.sh
	@$(WITH_MAKE) tests/tools/soak.sh $(B) $(or $(RUNS),200) $(or $(SEED),1)
# What the exercises compute with each known mistake; and does the check name it?
mistakes: $(LAB_PROGRAMS)
	@$(BUILT)
	@for lab in $(LABS); do for what in record check; do \
	    $(WITH_MAKE) BUILD=$(B) tests/tools/mistakes.py $$what $$lab $(ONLY) || exit; done; done
# The expected results of the labs; DRAW=1: drawn again from what is recorded.
record: $(LAB_PROGRAMS)
	@$(BUILT)
	@$(WITH_MAKE) tests/tools/record.sh $(B)/sol '$(ONLY)' '$(DRAW)'
# Lab 1's expected numbers, with two processors' kernels.
expected: $(filter $(B)/sol/lab1_gd/%,$(LAB_PROGRAMS))
	@$(BUILT); $(WITH_MAKE) tests/tools/expected.sh $(B)
coverage:
	@$(BUILT); find $(BUILD)/coverage -name '*.gcda' -delete 2>/dev/null; true
	@$(MAKE) --no-print-directory COVERAGE=1 test; status=$$?; \
	    tests/tools/coverage.sh $(BUILD)/coverage; exit $$status
lint: $(PATCHED)
	@$(BUILT); tests/tools/lint.sh $^
format:
	@tests/tools/lint.sh --format

# ---- benchmarks ---------------------------------------------------------------------------------
ifeq ($(DEVICE),cuda)
bench: $(BENCH)
	@$(BUILT); $(B)/tests/bench/bench_gpu --programs $(B)/tests/bench --python '$(PYTHON_TORCH)' \
	    $(if $(ONLY),--only $(ONLY)) $(OPTION_WORDS); \
	    status=$$?; if [ $$status = 77 ]; then echo "bench: skipped, for the reason above"; \
	    else exit $$status; fi
else
bench: $(BENCH) $(filter $(B)/sol/lab1_gd/%,$(LAB_PROGRAMS)) $(TOOLS)
	@$(BUILT)
	$(if $(filter landscape windows link,$(ONLY)),,@$< --programs $(<D) --python '$(PYTHON_TORCH)' \
	    $(if $(ONLY),--only $(ONLY)) $(OPTION_WORDS))
	$(if $(filter-out landscape,$(ONLY)),,@tests/bench/landscape.sh $(B) '$(PYTHON_TORCH)')
	$(if $(filter-out windows,$(ONLY))$(NO_TESTS),,@tests/bench/windows.sh $(B))
	$(if $(filter link,$(ONLY)),@tests/bench/hosts_link.sh $(B) || [ $$? = 77 ])
endif
profile: $(BENCH)
	@$(BUILT); tests/bench/profile.sh $(B) $(OPTION_WORDS)

# ---- fuzzers ------------------------------------------------------------------------------------
FUZZERS := $(call chosen,$(patsubst tests/fuzz/%.c,$(B)/fuzzers/%,$(wildcard tests/fuzz/fuzz_*.c)))
$(FUZZERS): $(B)/fuzzers/%: $(B)/tests/fuzz/%.o $(B)/libcommon.a
	$(call link,-fsanitize=fuzzer)
$(B)/fuzzers/fuzz_rubric: $(B)/assessment/grader/grade_rubric.o
$(B)/fuzzers/fuzz_evidence: $(B)/assessment/grader/evidence_read.o
$(B)/fuzzers/fuzz_checkpoint: LDFLAGS += -Wl,--wrap=die
fuzzers: $(FUZZERS)
fuzz:
	@$(BUILT); tests/tools/fuzz.sh $(BUILD)/fuzz $(FUZZ_CC) $(FUZZ_SECONDS) $(or $(SEED),0) \
	    $(MAKE) --no-print-directory FUZZ=1 fuzzers

-include $(if $(BUILDING),$(shell find $(B) -name '*.d' 2>/dev/null))
