/* test_comm_place.c: from the ranks' places, whether NCCL can carry their tensors, and why not. */
#include "comm/comm_place.h"
#include "harness.h"
#include <string.h>

static void expect(const Place *place, int ranks, Places verdict, const char *why)
{
    char *found;
    assert_int_equal(places_judge(place, ranks, &found), verdict);
    if (why)
        assert_string_equal(found, why);
    else
        assert_null(found);
    free(found);
}

TEST(apart)
{
    expect((Place[]){{"a", "a 1", "0000:01:00.0"}}, 1, PLACES_APART, NULL);
    expect((Place[]){{"a", "a 1", "0000:01:00.0"},
                     {"a", "a 1", "0000:02:00.0"},
                     {"b", "b 1", "0000:01:00.0"},
                     {"b", "b 1", "0000:02:00.0"}},
           4, PLACES_APART, NULL);
    /* two machines of the same name */
    expect((Place[]){{"a", "a 1", "01"}, {"a", "a 2", "01"}}, 2, PLACES_APART, NULL);
}

TEST(shared)
{
    expect((Place[]){{"a", "a 1", "01"}, {"a", "a 1", "01"}}, 2, PLACES_MIXED,
           "ranks 0 and 1 share GPU 01 of a");
    expect(
        (Place[]){{"a", "a 1", "01"}, {"b", "b 1", "01"}, {"a", "a 1", "02"}, {"b", "b 1", "01"}},
        4, PLACES_MIXED, "ranks 1 and 3 share GPU 01 of b");
}

TEST(on_host)
{
    expect((Place[]){{"a", "a 1", ""}}, 1, PLACES_ON_HOST, "the tensors are in host memory");
    expect((Place[]){{"a", "a 1", ""}, {"a", "a 1", ""}, {"b", "b 1", ""}}, 3, PLACES_ON_HOST,
           "the tensors are in host memory");
}

TEST(some)
{
    expect((Place[]){{"a", "a 1", ""}, {"a", "a 1", ""}, {"b", "b 1", "01"}}, 3, PLACES_MIXED,
           "rank 2 on b has its tensors on a GPU, rank 0 on a in host memory");
    expect((Place[]){{"a", "a 1", "01"}, {"a", "a 1", "01"}, {"b", "b 1", ""}}, 3, PLACES_MIXED,
           "rank 0 on a has its tensors on a GPU, rank 2 on b in host memory");
}
