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

/** Node calls `push` of a socket with each received chunk, and reads no further chunk when the result is false. */
function delayReceivedData(socket) {
  const push = (chunk) => Socket.prototype.push.call(socket, chunk);
  socket.push = (chunk) => {
    if (chunk === null || Math.random() >= DELAYED_SHARE) return push(chunk);
    // The socket reads again as soon as this chunk has been consumed.
    setTimeout(() => !socket.destroyed && push(chunk), Math.random() * maxDelayMs);
    return false;
  };
}
