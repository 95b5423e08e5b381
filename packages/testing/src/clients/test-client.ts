import { setTimeout as sleep } from 'node:timers/promises';
import { io } from 'socket.io-client';
import type { Socket } from 'socket.io-client';
import type { MessageEnvelope, MessagesFrame } from '@family-watch/domain/messages/contracts/envelope';
import type {
  FailedAnswer,
  GoodAnswer,
  HandshakeRefusal,
  Hello,
} from '@family-watch/domain/messages/contracts/socket-events';

const PATIENCE_MS = 5_000;

type AnyAnswer = GoodAnswer<Record<string, unknown>> | FailedAnswer;

/** A real client of the gateway that remembers everything it was told and checks that ranges have no gap. */
export class TestClient {
  readonly socket: Socket;
  readonly frames: MessagesFrame[] = [];
  readonly problems: string[] = [];
  hello: Hello | undefined;
  refusal: HandshakeRefusal | undefined;
  disconnectedBecause: string | undefined;
  private through: number | undefined;

  /** @param address - network address of this machine that it connects from */
  constructor(url: string, auth: object, address?: string) {
    const from = address === undefined ? {} : { localAddress: address };
    this.socket = io(url, { transports: ['websocket'], reconnection: false, forceNew: true, auth, ...from });
    this.socket.on('hello', (hello: Hello) => (this.hello = hello));
    this.socket.on('messages', (frame: MessagesFrame) => this.take(frame));
    this.socket.on('connect_error', (error: Error & { data?: HandshakeRefusal }) => (this.refusal = error.data));
    this.socket.on('disconnect', (reason) => (this.disconnectedBecause = reason));
  }

  get messages(): MessageEnvelope[] {
    return this.frames.flatMap(({ messages }) => messages);
  }

  /** The durable messages, as they came. */
  get durable(): MessageEnvelope[] {
    return this.messages.filter(({ seq }) => seq !== undefined);
  }

  ofKind(kind: string): MessageEnvelope[] {
    return this.messages.filter((message) => message.kind === kind);
  }

  async greeted(): Promise<Hello> {
    await this.until(() => this.hello !== undefined || this.refusal !== undefined, 'hello');
    if (!this.hello) throw new Error(`The gateway refused: ${JSON.stringify(this.refusal)}`);
    return this.hello;
  }

  async refused(): Promise<HandshakeRefusal> {
    await this.until(() => this.refusal !== undefined, 'a refusal');
    return this.refusal as HandshakeRefusal;
  }

  async send(event: string, ...payload: unknown[]): Promise<AnyAnswer> {
    return (await this.socket.timeout(PATIENCE_MS).emitWithAck(event, ...payload)) as AnyAnswer;
  }

  async until(holds: () => boolean, what: string, patience = PATIENCE_MS): Promise<void> {
    const deadline = Date.now() + patience;
    while (!holds()) {
      if (Date.now() > deadline) throw new Error(`Waited ${patience} ms for ${what}`);
      await sleep(5);
    }
  }

  async untilDisconnected(patience = PATIENCE_MS): Promise<string> {
    await this.until(() => this.disconnectedBecause !== undefined, 'the end of the connection', patience);
    return this.disconnectedBecause ?? '';
  }

  close(): void {
    this.socket.disconnect();
  }

  private take(frame: MessagesFrame): void {
    this.frames.push(frame);
    const numbers = frame.messages.flatMap(({ seq }) => seq ?? []);
    const hasRange = frame.after !== undefined && frame.through !== undefined;
    if (hasRange !== numbers.length > 0)
      this.problems.push('a frame has a range without durable messages, or none with');
    if (!hasRange || frame.after === undefined || frame.through === undefined) return;
    if (this.through !== undefined && frame.after !== this.through) this.problems.push(`gap before ${frame.after}`);
    const outside = numbers.filter((seq) => seq <= (frame.after ?? 0) || seq > (frame.through ?? 0));
    if (outside.length > 0) this.problems.push(`numbers ${outside.join()} outside of their range`);
    if (numbers.some((seq, index) => index > 0 && seq <= (numbers[index - 1] ?? 0))) this.problems.push('not rising');
    this.through = frame.through;
  }
}
