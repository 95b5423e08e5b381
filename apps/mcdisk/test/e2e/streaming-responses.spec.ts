import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { StreamingResponseService } from '../../src/contexts/downloads/streaming-response.service.js';
import { CloudClient } from '../support/cloud-client.js';
import { CloudServer } from '../support/cloud-server.js';
import { sampleFamily } from '../support/family.js';

const MIB = 1024 * 1024;
/** As many as one person may have under way. */
const MOST = 64;

// On a server of its own: it counts the answers of the whole node.
describe('answers that take long', () => {
  let server: CloudServer;
  let answers: StreamingResponseService;

  beforeAll(async () => {
    server = await CloudServer.start();
    answers = server.app.get(StreamingResponseService, { strict: false });
  });
  afterAll(() => server.stop());

  const prepared = async (size: number) => {
    const family = sampleFamily();
    await server.familyChanged(family.snapshot);
    const owner = await CloudClient.of(server, family.owner);
    const contentID = await owner.store(family.cloudID, 'x', randomBytes(size));
    return { family, owner, contentID, link: await owner.linkTo(family.cloudID, contentID) };
  };
  type Prepared = Awaited<ReturnType<typeof prepared>>;
  const underWay = (count: number) => waitUntil(`${count} are under way`, async () => answers.activeCount === count);

  test.each([
    ['removal', ({ family }: Prepared) => server.familyChanged({ ...family.snapshot, version: 2, members: [] })],
    [
      'sign-out',
      async ({ family }: Prepared) => {
        server.revoke(family.owner.sessionId);
      },
    ],
    ['deletion', ({ owner, family, contentID }: Prepared) => owner.delete(family.cloudID, [contentID])],
  ])('%s ends one that is under way, and it does not pass for whole', async (_, end) => {
    const all = await prepared(24 * MIB);
    const response = await fetch(all.link);
    expect(response.status).toBe(200);
    await underWay(1);
    await end(all);
    await underWay(0);
    await expect(response.arrayBuffer()).rejects.toThrow();
  });

  test('one person has only so many at a time, and others are not held up by them', async () => {
    const { family, contentID, link } = await prepared(12 * MIB);
    const sockets = await Promise.all(Array.from({ length: MOST }, () => readerOfNothing(link)));
    await underWay(MOST);
    const refused = await fetch(link);
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('2');
    const guardian = await CloudClient.of(server, family.guardian);
    const range = { headers: { range: 'bytes=0-99999' } };
    expect((await fetch(await guardian.linkTo(family.cloudID, contentID), range)).status).toBe(206);
    for (const socket of sockets) socket.destroy();
    await underWay(0);
    expect((await fetch(link, range)).status).toBe(206);
  });
});

async function readerOfNothing(link: string): Promise<Socket> {
  const { pathname, port } = new URL(link);
  const socket = connect({ host: '127.0.0.1', port: Number(port) });
  await once(socket, 'connect');
  socket.pause();
  socket.write(`GET ${pathname} HTTP/1.1\r\nhost: x\r\n\r\n`);
  return socket;
}
