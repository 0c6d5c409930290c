/* fake_backend.h: a device that computes almost nothing: memory, a queue, transfers. Enough to test
 * comm.h without a real one: buffers, upload, download, copy, scale (F32, F64, I32), streams.
 *
 * It is as lazy as a GPU may be: queued work, uploads included, is done only by stream_sync or
 * download. So a collective that does not wait for the stream, or reuses host memory that an upload
 * still has to read, gives wrong results.
 */
#ifndef FAKE_BACKEND_H
#define FAKE_BACKEND_H
#include "backend.h"

Backend *fake_backend_open(bool hidden); /* hidden: the host cannot reach its buffers,
                                          * buffer_host gives NULL */
/* F32, F64 or I32. */
void scale_elements(void *data, size_t n, DType type, float factor);
#endif
