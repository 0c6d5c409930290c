/* observer.c: see observer.h. */
#include "observer.h"

Observer *observers;

void observer_add(Observer *o)
{
    o->next = observers;
    observers = o;
}
