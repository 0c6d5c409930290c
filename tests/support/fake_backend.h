/* fake_backend.h: a device that computes next to nothing: memory, a queue, transfers. Enough to
 * test comm.h without any real one: buffers, upload, download, copy, scale (F32, F64, I32),
 * streams.
 *
 * It works as lazily as a GPU may: queued work, uploads included, is done by stream_sync or
 * download only. So a collective that does not wait for the stream, or reuses host memory that an
 * upload still has to read, gives wrong numbers.
 */
#ifndef FAKE_BACKEND_H
#define FAKE_BACKEND_H
#include "backend.h"

Backend *fake_backend_open(bool hidden); /* hidden: the host cannot reach its buffers,
                                          * buffer_host gives NULL */
#endif
