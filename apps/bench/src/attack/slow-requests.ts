import type { Socket } from 'node:net';

const TRICKLE_INTERVAL_MS = 5_000;
const REQUEST_LINE = 'POST /apis/v2/userctx/user/account/sign-in HTTP/1.1\r\nHost: x\r\n';
/** A request whose body never arrives completely. */
const INCOMPLETE_BODY = `${REQUEST_LINE}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`;
/** A request whose headers never arrive completely. */
const INCOMPLETE_HEADERS = `${REQUEST_LINE}X-Trickled: `;

const KINDS: readonly ((socket: Socket) => void)[] = [
  (socket) => socket.write(INCOMPLETE_BODY),
  (socket) => trickle(socket, INCOMPLETE_BODY),
  (socket) => trickle(socket, INCOMPLETE_HEADERS),
];

/** Sends a request that does not end: a third each stalls in the body, trickles the body, and trickles the headers. */
export function sendSlowRequest(socket: Socket, index: number): void {
  KINDS[index % KINDS.length]?.(socket);
}

/** Sends the beginning of a request, and then one byte at a time. */
function trickle(socket: Socket, beginning: string): void {
  socket.write(beginning);
  writeRepeatedly(socket, ' ', TRICKLE_INTERVAL_MS);
}

/** Writes the same bytes at a fixed interval until the socket is closed. */
export function writeRepeatedly(socket: Socket, bytes: string | Buffer, intervalMs: number): void {
  const timer = setInterval(() => socket.write(bytes), intervalMs);
  socket.once('close', () => clearInterval(timer));
}
