import { createServer } from 'node:http';
import { Server } from 'socket.io';
import type { Socket } from 'socket.io';
import { openDedicatedConnection } from '@family-watch/platform/database/connection';
import { Batcher } from '@family-watch/platform/process/batcher';
import { MessageTable } from './message-table.js';
import type { MessageWriter, BaselineMessage } from './message-table.js';
import { EquivalentRowsTable } from './equivalent-rows.js';

/**
 * What one would write with Socket.IO and Postgres alone: durable, numbered messages between two people, and nothing
 * of a product around them. The same transport and the same group commit as the gateway's.
 */
const MAX_FRAME_BYTES = 64 * 1_024;
const MAX_BATCH = 2_000;
const MAX_WAITING = 20_000;

interface Sending {
  to: string;
  clientMsgId: string;
  text: string;
}

const connection = await openDedicatedConnection(
  { url: process.env['DATABASE_URL'] ?? '', variable: 'DATABASE_URL' },
  'bare',
);
const table: MessageWriter =
  process.env['ROWS'] === 'same' ? new EquivalentRowsTable(connection) : new MessageTable(connection);
const commits = new Batcher<BaselineMessage, number>({
  process: (messages) => table.insert(messages),
  maxBatch: MAX_BATCH,
  maxWaiting: MAX_WAITING,
});
const http = createServer();
const server = new Server(http, {
  path: '/socket.io/',
  serveClient: false,
  transports: ['websocket'],
  allowUpgrades: false,
  perMessageDeflate: false,
  maxHttpBufferSize: MAX_FRAME_BYTES,
  connectTimeout: 10_000,
});
const sockets = new Map<string, Socket>();

server.on('connection', (socket) => {
  const { token: name } = socket.handshake.auth as { token: string };
  sockets.set(name, socket);
  socket.emit('hello', { head: 0 });
  socket.on('ChatTextMessage', (sending: Sending, answer: (given: object) => void) => {
    void deliver(name, sending, answer);
  });
  socket.on('disconnect', () => {
    if (sockets.get(name) === socket) sockets.delete(name);
  });
});

async function deliver(from: string, { to, clientMsgId, text }: Sending, answer: (given: object) => void) {
  const message: BaselineMessage = {
    receiver: to,
    id: crypto.randomUUID(),
    sender: from,
    clientMsgId,
    text,
    time: Date.now(),
  };
  const seq = await commits.submit(message);
  sockets.get(to)?.emit('message', { ...message, seq });
  answer({ ok: true, id: message.id, seq });
}

http.listen(Number(process.env['PORT']), '127.0.0.1', () => process.stdout.write('bare server is ready\n'));
process.on('SIGTERM', () => process.exit(0));
