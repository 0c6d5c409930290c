/* test_comm_place.c: from where the ranks' numbers lie, whether NCCL can carry them, and what is
 * said where not. */
#include "comm/comm_place.h"
#include "harness.h"
#include <string.h>

static void expect(const Place *place, int ranks, Places verdict, const char *why)
{
    char *said;
    assert_int_equal(places_judge(place, ranks, &said), verdict);
    if (why)
        assert_string_equal(said, why);
    else
        assert_null(said);
    free(said);
}

static void apart(void **state)
{
    expect((Place[]){{"a", "a 1", "0000:01:00.0"}}, 1, PLACES_APART, NULL);
    expect((Place[]){{"a", "a 1", "0000:01:00.0"},
                     {"a", "a 1", "0000:02:00.0"},
                     {"b", "b 1", "0000:01:00.0"},
                     {"b", "b 1", "0000:02:00.0"}},
           4, PLACES_APART, NULL);
    /* two machines of one name */
    expect((Place[]){{"a", "a 1", "01"}, {"a", "a 2", "01"}}, 2, PLACES_APART, NULL);
}

static void shared(void **state)
{
    expect((Place[]){{"a", "a 1", "01"}, {"a", "a 1", "01"}}, 2, PLACES_MIXED,
           "ranks 0 and 1 share GPU 01 of a");
    expect(
        (Place[]){{"a", "a 1", "01"}, {"b", "b 1", "01"}, {"a", "a 1", "02"}, {"b", "b 1", "01"}},
        4, PLACES_MIXED, "ranks 1 and 3 share GPU 01 of b");
}

static void on_host(void **state)
{
    expect((Place[]){{"a", "a 1", ""}}, 1, PLACES_ON_HOST, "the tensors are in host memory");
    expect((Place[]){{"a", "a 1", ""}, {"a", "a 1", ""}, {"b", "b 1", ""}}, 3, PLACES_ON_HOST,
           "the tensors are in host memory");
}

static void some(void **state)
{
    expect((Place[]){{"a", "a 1", ""}, {"a", "a 1", ""}, {"b", "b 1", "01"}}, 3, PLACES_MIXED,
           "rank 2 on b has its tensors on a GPU, rank 0 on a in host memory");
    expect((Place[]){{"a", "a 1", "01"}, {"a", "a 1", "01"}, {"b", "b 1", ""}}, 3, PLACES_MIXED,
           "rank 0 on a has its tensors on a GPU, rank 2 on b in host memory");
}

int main(int argc, char **argv)
{
    static const Case cases[] = {
        {.name = "apart", .run = apart},
        {.name = "shared", .run = shared},
        {.name = "on_host", .run = on_host},
        {.name = "some", .run = some},
    };
    return harness_main(argc, argv, cases, sizeof cases / sizeof *cases);
}
