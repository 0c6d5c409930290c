/* no_dlclose.c: linked in under the address sanitizer. Open MPI unloads its plug-ins at the end;
 * what they leak could then not be named, and so not be told from our leaks (tests/lsan.txt). */
int dlclose(void *handle);

int dlclose(void *handle) { return 0; }
