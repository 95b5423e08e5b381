import { Socket } from 'node:net';

/*
 * Preloaded into every Node process of a test run with TEST_REPLY_DELAY_MS (docs/testing.md): every fourth chunk that a
 * process receives on a connection it has opened (Postgres, NATS, HTTP, WebSocket) is held back for a random time of at
 * most TEST_REPLY_DELAY_MS milliseconds, and with it all later data of that connection. Two connections then often
 * report the same change in the other order, as on a busy machine, so a test that expects one right after the other
 * fails.
 */
const maxDelayMs = Number(process.env.TEST_REPLY_DELAY_MS);
const DELAYED_SHARE = 0.25;

const connect = Socket.prototype.connect;
Socket.prototype.connect = function (...args) {
  if (!Object.hasOwn(this, 'push')) delayReceivedData(this);
  return connect.apply(this, args);
};

/** Node calls `push` of a socket with each received chunk, and with null at the end of the data. */
function delayReceivedData(socket) {
  const waiting = [];
  const release = () => {
    while (waiting.length > 0 && !socket.destroyed) Socket.prototype.push.call(socket, waiting.shift());
  };
  socket.push = (chunk) => {
    if (waiting.length === 0 && Math.random() >= DELAYED_SHARE) return Socket.prototype.push.call(socket, chunk);
    if (waiting.length === 0) setTimeout(release, Math.random() * maxDelayMs);
    waiting.push(chunk);
    return true;
  };
}
