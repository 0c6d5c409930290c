/* number_json.c: numbers from JSON; see number.h. Apart from number.c, so that what needs no JSON
 * links none. */
#include "number.h"
#include <math.h>

bool number_json_whole(int64_t *value, const json_t *json, int64_t low, int64_t high)
{
    json_int_t found = json_integer_value(json);
    if (!json_is_integer(json) || found < low || found > high)
        return false;
    *value = found;
    return true;
}

bool number_json_real(double *value, const json_t *json, double low, double high)
{
    double found = json_number_value(json);
    if (!json_is_number(json) || !isfinite(found) || found < low || found > high)
        return false;
    *value = found;
    return true;
}
