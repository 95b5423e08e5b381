import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { getRequest, jsonRequest, openConnection, randomAddress, StatusCounts, statusOf } from './raw-client.js';
import type { AttackTarget } from './raw-client.js';

/** Number of guesses from one address; the following guesses come from another address. */
const GUESSES_PER_ADDRESS = 20;
const TICK_MS = 10;
const VARIANTS_PER_REQUEST = 256;
const MAX_CONNECTIONS = 2_000;

const token = (bytes: number): string => randomBytes(bytes).toString('base64url');

/**
 * Requests that guess share links, file links, refresh tokens and watch signatures. Each guess is well-formed, so that
 * the service has to look it up.
 */
const GUESSES = [
  () => getRequest(`/share/${token(32)}`),
  () => getRequest(`/app-api/mcdisk/blob/${token(64)}`),
  () => jsonRequest('/apis/v2/userctx/user/account/token/refresh', { refreshToken: token(32) }),
  () => jsonRequest('/apis/v2/userctx/watch/token/create', { did: 42, nonce: token(32), signature: token(64) }),
].flatMap((create) => Array.from({ length: VARIANTS_PER_REQUEST }, create));

interface GuessingConnection {
  socket: Socket;
  remaining: number;
  sentAt: number;
}

/**
 * Sends guesses at a fixed rate from changing addresses, one at a time per connection. If no connection is idle, a
 * further one is opened.
 */
export class Guesses {
  readonly statuses = new StatusCounts();
  readonly latencies: number[] = [];
  sent = 0;
  /** Number of addresses that have sent guesses. */
  addresses = 0;
  private readonly idleConnections: GuessingConnection[] = [];
  private connectionCount = 0;
  private startedAt = 0;
  private dueCount = 0;

  constructor(
    private readonly target: AttackTarget,
    private readonly perSecond: number,
  ) {}

  start(): void {
    this.startedAt = performance.now();
    setInterval(() => this.sendDue(), TICK_MS);
  }

  private sendDue(): void {
    const due = Math.floor(((performance.now() - this.startedAt) * this.perSecond) / 1_000);
    for (; this.dueCount < due; this.dueCount += 1) {
      const connection = this.idleConnections.shift();
      if (connection) this.send(connection);
      else if (this.connectionCount < MAX_CONNECTIONS) this.open();
    }
  }

  /** Opens a connection from another address, whose first guess is sent at once. */
  private open(): void {
    this.connectionCount += 1;
    this.addresses += 1;
    const socket = openConnection(this.target, randomAddress());
    const connection = { socket, remaining: GUESSES_PER_ADDRESS, sentAt: 0 };
    let isOpen = true;
    socket.on('data', (bytes: Buffer) => {
      const status = statusOf(bytes);
      if (status === undefined) return;
      this.statuses.add(status);
      this.latencies.push(performance.now() - connection.sentAt);
      if (connection.remaining > 0) this.idleConnections.push(connection);
      else socket.destroy();
    });
    socket.once('close', () => {
      if (connection.remaining > 0) this.statuses.add('connection closed');
      if (isOpen) this.connectionCount -= 1;
      isOpen = false;
      const index = this.idleConnections.indexOf(connection);
      if (index !== -1) this.idleConnections.splice(index, 1);
    });
    this.send(connection);
  }

  private send(connection: GuessingConnection): void {
    connection.remaining -= 1;
    connection.sentAt = performance.now();
    connection.socket.write(GUESSES[this.sent % GUESSES.length] as Buffer);
    this.sent += 1;
  }
}
