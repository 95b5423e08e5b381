import { io, type Socket } from 'socket.io-client';
import type { MessageEnvelope, MessagesFrame } from '@family-watch/domain/messages/contracts/message-kinds';
import type {
  ErrorResponse,
  SuccessResponse,
  HandshakeErrorData,
  Hello,
} from '@family-watch/domain/messages/contracts/socket-events';
import { LIMIT_MS, waitUntil } from '../waiting/wait-for.js';

type AnyResponse = SuccessResponse<Record<string, unknown>> | ErrorResponse;

/**
 * A Socket.IO client of the gateway that records everything it receives. It reports gaps between the ranges of sequence
 * numbers of successive frames, and sequence numbers outside their range, in `problems`.
 */
export class TestClient {
  readonly socket: Socket;
  readonly frames: MessagesFrame[] = [];
  readonly problems: string[] = [];
  hello: Hello | undefined;
  rejection: HandshakeErrorData | undefined;
  disconnectReason: string | undefined;
  private lastSeq: number | undefined;

  /** @param address - local IP address from which the client connects */
  constructor(url: string, auth: object, address?: string) {
    const addressOption = address === undefined ? {} : { localAddress: address };
    this.socket = io(url, { transports: ['websocket'], reconnection: false, forceNew: true, auth, ...addressOption });
    this.socket.on('hello', (hello: Hello) => (this.hello = hello));
    this.socket.on('messages', (frame: MessagesFrame) => this.recordFrame(frame));
    this.socket.on('connect_error', (error: Error & { data?: HandshakeErrorData }) => (this.rejection = error.data));
    this.socket.on('disconnect', (reason) => (this.disconnectReason = reason));
  }

  get messages(): MessageEnvelope[] {
    return this.frames.flatMap(({ messages }) => messages);
  }

  /** The durable messages in the order of receipt. */
  get durable(): MessageEnvelope[] {
    return this.messages.filter(({ seq }) => seq !== undefined);
  }

  messagesOfKind(kind: string): MessageEnvelope[] {
    return this.messages.filter((message) => message.kind === kind);
  }

  async waitForHello(): Promise<Hello> {
    await this.waitFor(() => this.hello !== undefined || this.rejection !== undefined, 'hello');
    if (!this.hello) throw new Error(`The gateway rejected the connection: ${JSON.stringify(this.rejection)}`);
    return this.hello;
  }

  async waitForRejection(): Promise<HandshakeErrorData> {
    await this.waitFor(() => this.rejection !== undefined, 'a rejection');
    return this.rejection as HandshakeErrorData;
  }

  async send(event: string, ...payload: unknown[]): Promise<AnyResponse> {
    return (await this.socket.timeout(LIMIT_MS).emitWithAck(event, ...payload)) as AnyResponse;
  }

  async waitFor(condition: () => boolean, what: string): Promise<void> {
    const describe = () =>
      this.disconnectReason === undefined ? what : `${what}, disconnected by ${this.disconnectReason}`;
    await waitUntil(describe, condition);
  }

  async waitForDisconnect(): Promise<string> {
    await this.waitFor(() => this.disconnectReason !== undefined, 'the disconnect');
    return this.disconnectReason ?? '';
  }

  close(): void {
    this.socket.disconnect();
  }

  private recordFrame(frame: MessagesFrame): void {
    this.frames.push(frame);
    const sequenceNumbers = frame.messages.flatMap(({ seq }) => seq ?? []);
    const hasRange = frame.after !== undefined && frame.through !== undefined;
    if (hasRange !== sequenceNumbers.length > 0)
      this.problems.push('a frame has a range without durable messages, or durable messages without a range');
    if (!hasRange || frame.after === undefined || frame.through === undefined) return;
    if (this.lastSeq !== undefined && frame.after !== this.lastSeq) this.problems.push(`gap before ${frame.after}`);
    const numbersOutside = sequenceNumbers.filter((seq) => seq <= (frame.after ?? 0) || seq > (frame.through ?? 0));
    if (numbersOutside.length > 0)
      this.problems.push(`sequence numbers ${numbersOutside.join()} are outside their range`);
    if (sequenceNumbers.some((seq, index) => index > 0 && seq <= (sequenceNumbers[index - 1] ?? 0)))
      this.problems.push('sequence numbers are not ascending');
    this.lastSeq = frame.through;
  }
}
