import { createServer } from 'node:http';
import { Server, type Socket } from 'socket.io';
import { openDedicatedConnection } from '@family-watch/platform/database/connection';
import { Batcher } from '@family-watch/platform/concurrency/batcher';
import { MessageTable, type MessageWriter, type BaselineMessage } from './message-table.js';
import { EquivalentRowsTable } from './equivalent-rows.js';

/**
 * Minimal chat server of Socket.IO and Postgres: durable, numbered messages between two people, without any other
 * features. The server uses the gateway's transport options and the `Batcher` class for group commits. Environment:
 * `DATABASE_URL`, `PORT`, `ROWS`.
 */
const MAX_FRAME_BYTES = 64 * 1_024;
const MAX_BATCH_SIZE = 2_000;
const MAX_QUEUE_LENGTH = 20_000;

interface SendRequest {
  to: string;
  clientMsgId: string;
  text: string;
}

const connection = await openDedicatedConnection(
  { url: process.env['DATABASE_URL'] ?? '', variableName: 'DATABASE_URL' },
  'bare',
);
const table: MessageWriter =
  process.env['ROWS'] === 'rows-of-gateway' ? new EquivalentRowsTable(connection) : new MessageTable(connection);
const commitBatcher = new Batcher<BaselineMessage, number>({
  process: (messages) => table.insert(messages),
  maxBatchSize: MAX_BATCH_SIZE,
  maxWaitingItems: MAX_QUEUE_LENGTH,
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
  socket.on('ChatTextMessage', (request: SendRequest, respond: (response: object) => void) => {
    void deliver(name, request, respond);
  });
  socket.on('disconnect', () => {
    if (sockets.get(name) === socket) sockets.delete(name);
  });
});

async function deliver(from: string, { to, clientMsgId, text }: SendRequest, respond: (response: object) => void) {
  const message: BaselineMessage = {
    receiver: to,
    id: crypto.randomUUID(),
    sender: from,
    clientMsgId,
    text,
    time: Date.now(),
  };
  const seq = await commitBatcher.submit(message);
  sockets.get(to)?.emit('message', { ...message, seq });
  respond({ ok: true, id: message.id, seq });
}

http.listen(Number(process.env['PORT']), '127.0.0.1', () => process.stdout.write('bare server is ready\n'));
process.on('SIGTERM', () => process.exit(0));
