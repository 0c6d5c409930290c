/* folder_lock.h: one process at a time writes into a folder of results: files of two runs mixed
 * would look like one run's.
 *
 * The lock is flock() on the hidden file .lock in the folder: it ends when its holder ends,
 * however that happens; neither programs that the holder starts nor forked children keep it. While
 * it is held, the file names the process, its machine and the time.
 */
#ifndef FOLDER_LOCK_H
#define FOLDER_LOCK_H
typedef struct FolderLock FolderLock;

/* Lock an existing folder. Where another process (or this one) holds it, or the file cannot be
 * opened, the run ends (exit 2). A file system without locks gives a note on stderr, and NULL.
 * program: for the message that the next one gets. */
FolderLock *folder_lock(const char *folder, const char *program);
void folder_unlock(FolderLock *l); /* NULL is fine */
#endif
