# draft: grows below
CC = mpicc
CFLAGS = -std=gnu11 -O3 -march=native -fno-math-errno -g -Wall -Wextra -fopenmp
CPPFLAGS = -D_GNU_SOURCE -Icommon -Itests -MMD -MP
LDLIBS = -lopenblas -ljansson -lpopt -lz -lcrypto -lm
BUILD = build$(if $(SAN),/san)
ifdef SAN
CFLAGS += -fsanitize=address,undefined -fno-omit-frame-pointer -O1
endif
COMMON = $(patsubst %.c,$(BUILD)/%.o,$(wildcard common/*.c))
TESTS = $(patsubst tests/unit/%.c,$(BUILD)/tests/%,$(wildcard tests/unit/test_*.c))
$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -c $< -o $@
$(BUILD)/libcommon.a: $(COMMON)
	rm -f $@; ar rcs $@ $^
$(BUILD)/tests/%: $(BUILD)/tests/unit/%.o $(BUILD)/tests/harness.o $(BUILD)/libcommon.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $^ $(LDLIBS) -lcmocka -o $@
tests: $(TESTS)
test: tests
	tests/run.sh $(BUILD) $(ONLY)
-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
