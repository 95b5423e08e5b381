import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { CloudServer } from '../support/cloud-server.js';
import { createCloud } from '../support/test-cloud.js';
import { moveMonotonicClock } from '../support/monotonic-clock.js';

/** All nodes must reject a download URL within this time after its holder loses access. */
const MAX_PROPAGATION_MS = 2_000;

describe('download URLs on two nodes', () => {
  let server: CloudServer;
  let other: CloudServer;

  beforeAll(async () => {
    server = await CloudServer.start();
    other = await CloudServer.startSecondNode(server);
  });
  afterEach(() => void jest.restoreAllMocks());
  afterAll(async () => {
    await other.stop();
    await server.stop();
  });

  const prepared = async () => {
    const { family, cloudID, owner } = await createCloud(server);
    const contentID = await owner.uploadFile(cloudID, 'x', Buffer.from('x'));
    const link = await owner.createDownloadUrl(cloudID, contentID);
    return { family, owner, contentID, link, there: link.replace(server.url, other.url) };
  };

  test.each([
    [
      'member removal',
      ({ family }: PreparedDownload) => server.publishFamily({ ...family.snapshot, version: 2, members: [] }),
    ],
    [
      'family dissolution',
      ({ family }: PreparedDownload) => server.publishFamily({ ...family.snapshot, version: 2, dissolved: true }),
    ],
    ['sign-out', async ({ family }: PreparedDownload) => server.revokeSession(family.owner.sessionId)],
    ['content deletion', ({ owner, family, contentID }: PreparedDownload) => owner.delete(family.cloudID, [contentID])],
  ])('after %s, the same node rejects a URL immediately and the other node within two seconds', async (_, end) => {
    const all = await prepared();
    for (const url of [all.link, all.there]) expect(await (await fetch(url)).text()).toBe('x');
    await end(all);
    expect((await fetch(all.link)).status).toBe(404);
    moveMonotonicClock(MAX_PROPAGATION_MS);
    expect((await fetch(all.there)).status).toBe(404);
  });

  type PreparedDownload = Awaited<ReturnType<typeof prepared>>;
});
