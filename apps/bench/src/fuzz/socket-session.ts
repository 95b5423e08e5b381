/** Time after which an acknowledgement or the end of the connection is missing. */
const RESPONSE_TIMEOUT_MS = 10_000;

export type SocketOutcome = { kind: 'ack'; text: string } | { kind: 'closed' } | { kind: 'timeout' } | { kind: 'pong' };

/** A connection to the gateway that sends packets of Engine.IO and Socket.IO as they are given. */
export class SocketSession {
  private nextId = 0;
  private readonly listeners = new Map<string, (outcome: SocketOutcome) => void>();
  private isClosed = false;
  received = '';

  private constructor(private readonly socket: WebSocket) {
    socket.binaryType = 'arraybuffer';
    socket.addEventListener('message', ({ data }) => this.onMessage(typeof data === 'string' ? data : ''));
    const close = () => {
      this.isClosed = true;
      for (const listener of this.listeners.values()) listener({ kind: 'closed' });
      this.listeners.clear();
    };
    socket.addEventListener('close', close);
    socket.addEventListener('error', close);
  }

  /** Connects with the first packet after the open packet, usually `40` and the token. */
  static async open(url: string, connectPacket: string): Promise<SocketSession> {
    const session = new SocketSession(
      new WebSocket(`${url.replace(/^http/, 'ws')}/socket.io/?EIO=4&transport=websocket`),
    );
    await session.waitFor('0');
    session.send(connectPacket);
    await session.waitFor('4');
    return session;
  }

  get isOpen(): boolean {
    return !this.isClosed && this.socket.readyState === WebSocket.OPEN;
  }

  send(packet: string | Uint8Array<ArrayBuffer>): void {
    if (this.isOpen) this.socket.send(packet);
  }

  /** Sends an event with the text of its payload and waits for the acknowledgement or the end of the connection. */
  emit(event: string, payload: string): Promise<SocketOutcome> {
    const id = this.nextId++;
    const outcome = this.waitFor(`43${id}[`);
    this.send(`42${id}[${JSON.stringify(event)}${payload === '' ? '' : `,${payload}`}]`);
    return outcome;
  }

  /** Waits until the gateway responds to a heartbeat, and so has processed all earlier packets, or has closed. */
  async settle(): Promise<SocketOutcome> {
    return this.emit('HeartbeatMessage', '{}');
  }

  close(): void {
    this.socket.close();
  }

  private waitFor(prefix: string): Promise<SocketOutcome> {
    if (this.isClosed) return Promise.resolve({ kind: 'closed' });
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.listeners.delete(prefix);
        resolve({ kind: 'timeout' });
      }, RESPONSE_TIMEOUT_MS);
      this.listeners.set(prefix, (outcome) => {
        clearTimeout(timer);
        this.listeners.delete(prefix);
        resolve(outcome);
      });
    });
  }

  private onMessage(text: string): void {
    if (text === '2') this.send('3');
    this.received = text;
    for (const [prefix, listener] of [...this.listeners]) if (text.startsWith(prefix)) listener({ kind: 'ack', text });
  }
}
