import { createSocket, type Socket } from 'node:dgram';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createPublicLookup } from '../../../src/notifications/push/providers/public-endpoint.js';

const IPV4_RECORD = 1;

let server: Socket;

beforeEach(async () => {
  server = createSocket('udp4');
  await new Promise<void>((resolve) => server.bind(0, '127.0.0.1', resolve));
});
afterEach(() => new Promise<void>((resolve) => server.close(() => resolve())));

function lookup(name: string): Promise<unknown> {
  const publicLookup = createPublicLookup([`127.0.0.1:${server.address().port}`]);
  return new Promise((resolve, reject) =>
    publicLookup(name, {}, (error, address) => (error ? reject(error) : resolve(address))),
  );
}

/** Answers queries for IPv4 addresses (RFC 1035, 4) with this address, and other queries with no record. */
function answerWith(address: number[]): void {
  server.on('message', (query, { port }) => {
    const question = query.subarray(12, query.indexOf(0, 12) + 5);
    const count = question.readUInt16BE(question.length - 4) === IPV4_RECORD ? 1 : 0;
    const header = Buffer.from([...query.subarray(0, 2), 0x81, 0x80, 0, 1, 0, count, 0, 0, 0, 0]);
    const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, ...address]);
    server.send(Buffer.concat([header, question, ...(count === 1 ? [record] : [])]), port);
  });
}

test('createPublicLookup resolves a name to its public address, and rejects a private one', async () => {
  answerWith([8, 8, 8, 8]);
  expect(await lookup('push.example.org')).toBe('8.8.8.8');
  server.removeAllListeners('message');
  answerWith([10, 0, 0, 1]);
  await expect(lookup('push.example.org')).rejects.toThrow('private network');
});

test('A38 lookups of names whose name server never answers are given up', async () => {
  const lookups = Array.from({ length: 16 }, (_, index) => lookup(`silent${index}.example.org`));
  const results = await Promise.allSettled(lookups);
  expect(results.map(({ status }) => status)).toEqual(Array.from({ length: 16 }, () => 'rejected'));
});
