import { io } from 'socket.io-client';
import type { Socket } from 'socket.io-client';
import type { MessageEnvelope, MessagesFrame } from '@family-watch/domain/messages/contracts/envelope';
import type {
  ErrorResponse,
  SuccessResponse,
  HandshakeErrorData,
  Hello,
} from '@family-watch/domain/messages/contracts/socket-events';
import { LIMIT_MS, waitUntil } from '../waiting/wait-for.js';

type AnyAnswer = SuccessResponse<Record<string, unknown>> | ErrorResponse;

/** A real client of the gateway that remembers everything it was told and checks that ranges have no gap. */
export class TestClient {
  readonly socket: Socket;
  readonly frames: MessagesFrame[] = [];
  readonly problems: string[] = [];
  hello: Hello | undefined;
  refusal: HandshakeErrorData | undefined;
  disconnectedBecause: string | undefined;
  private through: number | undefined;

  /** @param address - network address of this machine that it connects from */
  constructor(url: string, auth: object, address?: string) {
    const from = address === undefined ? {} : { localAddress: address };
    this.socket = io(url, { transports: ['websocket'], reconnection: false, forceNew: true, auth, ...from });
    this.socket.on('hello', (hello: Hello) => (this.hello = hello));
    this.socket.on('messages', (frame: MessagesFrame) => this.take(frame));
    this.socket.on('connect_error', (error: Error & { data?: HandshakeErrorData }) => (this.refusal = error.data));
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

  async whenGreeted(): Promise<Hello> {
    await this.waitFor(() => this.hello !== undefined || this.refusal !== undefined, 'hello');
    if (!this.hello) throw new Error(`The gateway refused: ${JSON.stringify(this.refusal)}`);
    return this.hello;
  }

  async whenRefused(): Promise<HandshakeErrorData> {
    await this.waitFor(() => this.refusal !== undefined, 'a refusal');
    return this.refusal as HandshakeErrorData;
  }

  async send(event: string, ...payload: unknown[]): Promise<AnyAnswer> {
    return (await this.socket.timeout(LIMIT_MS).emitWithAck(event, ...payload)) as AnyAnswer;
  }

  async waitFor(holds: () => boolean, what: string): Promise<void> {
    await waitUntil(what, holds);
  }

  async waitForDisconnect(): Promise<string> {
    await this.waitFor(() => this.disconnectedBecause !== undefined, 'the end of the connection');
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
