/** Number of bytes per read. A read wakes another thread, which costs about as much as copying BUFFER_BYTES bytes. */
export const BUFFER_BYTES = 512 * 1024;
/** Maximum number of idle buffers (16 MiB); further buffers are left to the garbage collector of V8. */
const MAX_IDLE_BUFFERS = 32;

const idleBuffers: Buffer[] = [];

/**
 * Returns a buffer to read into. Allocating a buffer costs more than reading into it, so callers must return the buffer
 * with `releaseBuffer`.
 */
export function acquireBuffer(): Buffer {
  return idleBuffers.pop() ?? Buffer.allocUnsafeSlow(BUFFER_BYTES);
}

/**
 * Returns a buffer to the pool. Must be called only when nothing reads or writes the buffer any more. A buffer that is
 * not released is not reused.
 */
export function releaseBuffer(buffer: Buffer): void {
  if (idleBuffers.length < MAX_IDLE_BUFFERS) idleBuffers.push(buffer);
}
