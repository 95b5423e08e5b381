import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { StreamingResponseService } from '../../src/transfers/downloads/streaming-response.service.js';
import { CloudServer } from '../support/cloud-server.js';
import { createCloud } from '../support/test-cloud.js';

const MIB = 1024 * 1024;
/** Maximum number of concurrent streaming responses per principal. */
const MAX_RESPONSES = 64;

// Uses a separate server, because a test counts the responses of the whole node.
describe('streaming responses', () => {
  let server: CloudServer;
  let responses: StreamingResponseService;

  beforeAll(async () => {
    server = await CloudServer.start();
    responses = server.get(StreamingResponseService);
  });
  afterAll(() => server.stop());

  const prepared = async (size: number) => {
    const { family, owner } = await createCloud(server);
    const contentID = await owner.uploadFile(family.cloudID, 'x', randomBytes(size));
    return { family, owner, contentID, link: await owner.createDownloadUrl(family.cloudID, contentID) };
  };
  type PreparedDownload = Awaited<ReturnType<typeof prepared>>;
  const waitForActive = (count: number) =>
    waitUntil(`${count} active responses`, async () => responses.activeCount === count);

  test.each([
    [
      'member removal',
      ({ family }: PreparedDownload) => server.publishFamily({ ...family.snapshot, version: 2, members: [] }),
    ],
    [
      'sign-out',
      async ({ family }: PreparedDownload) => {
        server.revokeSession(family.owner.sessionId);
      },
    ],
    ['content deletion', ({ owner, family, contentID }: PreparedDownload) => owner.delete(family.cloudID, [contentID])],
  ])('%s aborts a download in progress', async (_, end) => {
    const all = await prepared(24 * MIB);
    const response = await fetch(all.link);
    expect(response.status).toBe(200);
    await waitForActive(1);
    await end(all);
    await waitForActive(0);
    await expect(response.arrayBuffer()).rejects.toThrow();
  });

  test('limits the concurrent responses of one principal without affecting other principals', async () => {
    const { family, contentID, link } = await prepared(12 * MIB);
    const sockets = await Promise.all(Array.from({ length: MAX_RESPONSES }, () => openUnreadDownload(link)));
    await waitForActive(MAX_RESPONSES);
    const rejected = await fetch(link);
    expect(rejected.status).toBe(429);
    expect(rejected.headers.get('retry-after')).toBe('2');
    const guardian = await server.as(family.guardian);
    const range = { headers: { range: 'bytes=0-99999' } };
    expect((await fetch(await guardian.createDownloadUrl(family.cloudID, contentID), range)).status).toBe(206);
    for (const socket of sockets) socket.destroy();
    await waitForActive(0);
    expect((await fetch(link, range)).status).toBe(206);
  });
});

async function openUnreadDownload(link: string): Promise<Socket> {
  const { pathname, port } = new URL(link);
  const socket = connect({ host: '127.0.0.1', port: Number(port) });
  await once(socket, 'connect');
  socket.pause();
  socket.write(`GET ${pathname} HTTP/1.1\r\nhost: x\r\n\r\n`);
  return socket;
}
