import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { CloudClient } from '../support/cloud-client.js';
import { CloudServer } from '../support/cloud-server.js';
import { sampleFamily } from '../support/family.js';

/** All nodes must reject a download URL within this time after its holder loses access. */
const MAX_PROPAGATION_MS = 2_000;

describe('download URLs on two nodes', () => {
  let server: CloudServer;
  let other: CloudServer;

  beforeAll(async () => {
    server = await CloudServer.start();
    other = await CloudServer.startBeside(server);
  });
  afterAll(async () => {
    await other.stop();
    await server.stop();
  });

  const prepared = async () => {
    const family = sampleFamily();
    await server.familyChanged(family.snapshot);
    const owner = await CloudClient.of(server, family.owner);
    const contentID = await owner.store(family.cloudID, 'x', Buffer.from('x'));
    const link = await owner.linkTo(family.cloudID, contentID);
    const there = link.replace(server.url, other.url);
    return { family, owner, contentID, link, there };
  };

  test('a node accepts a download URL that another node signed', async () => {
    const { there } = await prepared();
    expect(await (await fetch(there)).text()).toBe('x');
  });

  test.each([
    ['member removal', ({ family }: Prepared) => server.familyChanged({ ...family.snapshot, version: 2, members: [] })],
    [
      'family dissolution',
      ({ family }: Prepared) => server.familyChanged({ ...family.snapshot, version: 2, dissolved: true }),
    ],
    ['sign-out', async ({ family }: Prepared) => server.revoke(family.owner.sessionId)],
    ['content deletion', ({ owner, family, contentID }: Prepared) => owner.delete(family.cloudID, [contentID])],
  ])('after %s, the same node rejects a URL immediately and the other node within two seconds', async (_, end) => {
    const all = await prepared();
    for (const url of [all.link, all.there]) expect((await fetch(url)).status).toBe(200);
    await end(all);
    expect((await fetch(all.link)).status).toBe(404);
    await sleep(MAX_PROPAGATION_MS);
    expect((await fetch(all.there)).status).toBe(404);
  });

  type Prepared = Awaited<ReturnType<typeof prepared>>;
});
