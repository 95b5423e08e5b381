/** What is read at once: each read wakes another thread, which costs as much as copying this. Bytes. */
export const BUFFER_BYTES = 512 * 1024;
/** Beyond, they are left to the garbage collector: 16 MiB. */
const MAX_IDLE = 32;

const idle: Buffer[] = [];

/** A buffer to read into. New memory costs more than what is read into it, so it comes back by `releaseBuffer`. */
export function acquireBuffer(): Buffer {
  return idle.pop() ?? Buffer.allocUnsafeSlow(BUFFER_BYTES);
}

/** Only when nobody reads or writes it any more. One that is not given back is forgotten. */
export function releaseBuffer(buffer: Buffer): void {
  if (idle.length < MAX_IDLE) idle.push(buffer);
}
