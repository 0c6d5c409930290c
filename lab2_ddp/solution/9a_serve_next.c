/* 9a_serve_next.c: which gradients the parameter server uses next. */
#include "lab2.h"

static bool earlier(const Arrived *a, const Arrived *b)
{
    return a->at != b->at ? a->at < b->at : a->worker < b->worker;
}

int serve_next(int *use, const Arrived *queue, int n, int version, int wait_for)
{
    int count = 0;
    bool used[n + 1];
    for (int i = 0; i < n; i++)
        used[i] = wait_for > 1 && queue[i].version < version;
    for (; count < wait_for; count++) {
        int first = -1;
        for (int i = 0; i < n; i++)
            if (!used[i] && (first < 0 || earlier(&queue[i], &queue[first])))
                first = i;
        if (first < 0)
            return 0;
        used[first] = true;
        use[count] = first;
    }
    return count;
}
