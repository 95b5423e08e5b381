/** Bytes per read: each read wakes another thread, which costs as much as copying this many bytes. */
export const BUFFER_BYTES = 512 * 1024;
/** Maximum number of idle buffers (16 MiB); further ones are left to the garbage collector. */
const MAX_IDLE_BUFFERS = 32;

const idle: Buffer[] = [];

/** Returns a buffer to read into. Allocation costs more than the read, so callers return it with `releaseBuffer`. */
export function acquireBuffer(): Buffer {
  return idle.pop() ?? Buffer.allocUnsafeSlow(BUFFER_BYTES);
}

/** Must be called only when the buffer is no longer read or written. A buffer that is not released is not reused. */
export function releaseBuffer(buffer: Buffer): void {
  if (idle.length < MAX_IDLE_BUFFERS) idle.push(buffer);
}
