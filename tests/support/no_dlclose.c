/* no_dlclose.c: linked in under the address sanitizer. Open MPI unloads its plug-ins at the end;
 * their leaks then have no names and cannot be told from ours (tests/tools/lsan.txt). */
int dlclose(void *handle);

int dlclose(void *handle) { return 0; }
