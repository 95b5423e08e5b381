/** Number of bytes per read. Each read wakes another thread, which costs as much as copying this many bytes. */
export const BUFFER_BYTES = 512 * 1024;
/** Maximum number of idle buffers (16 MiB); further buffers are left to the garbage collector of V8. */
const MAX_IDLE_BUFFERS = 32;

const idle: Buffer[] = [];

/**
 * Returns a buffer to read into. To allocate a buffer costs more than to read into it, so callers must return it with
 * `releaseBuffer`.
 */
export function acquireBuffer(): Buffer {
  return idle.pop() ?? Buffer.allocUnsafeSlow(BUFFER_BYTES);
}

/**
 * Returns a buffer to the pool. Must be called only when nothing reads or writes the buffer any more. A buffer that is
 * not released is not reused.
 */
export function releaseBuffer(buffer: Buffer): void {
  if (idle.length < MAX_IDLE_BUFFERS) idle.push(buffer);
}
