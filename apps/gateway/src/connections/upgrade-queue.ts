import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

type UpgradeListener = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** Milliseconds in one turn of the event loop after which no further upgrade is started. */
const SLICE_MS = 5;

/**
 * Performs upgrades to WebSockets in the order of the requests, for a few milliseconds in each turn of the event loop.
 * After a restart, thousands of clients connect at once, and their upgrades in one turn would delay live messages.
 */
export class UpgradeQueue {
  private waiting: Parameters<UpgradeListener>[] = [];

  constructor(private readonly upgrade: UpgradeListener) {}

  /** Listener of the event `upgrade` of an HTTP server. */
  readonly add: UpgradeListener = (request, socket, head) => {
    // Node has removed its own listener, and an error without a listener would end the process.
    socket.on('error', ignoreError);
    this.waiting.push([request, socket, head]);
    if (this.waiting.length === 1) setImmediate(this.runSlice);
  };

  private readonly runSlice = (): void => {
    const end = performance.now() + SLICE_MS;
    let count = 0;
    do {
      const [request, socket, head] = this.waiting[count++] as Parameters<UpgradeListener>;
      this.perform(request, socket, head);
    } while (count < this.waiting.length && performance.now() < end);
    this.waiting = this.waiting.slice(count);
    if (this.waiting.length > 0) setImmediate(this.runSlice);
  };

  private perform(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.off('error', ignoreError);
    if (socket.destroyed) return;
    // The response and the first packet, which Engine.IO sends in a later microtask, leave in one system call.
    socket.cork();
    setImmediate(() => socket.uncork());
    this.upgrade(request, socket, head);
  }
}

function ignoreError(): void {}
