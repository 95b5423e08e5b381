import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { DomainEvents } from '@family-watch/domain/events';
import { SETTINGS_NOTICE } from '@family-watch/domain/watch-settings/contracts/settings-notices';
import { SETTINGS_RESOURCE } from '@family-watch/domain/watch-settings/contracts/watch-settings.events';
import type { SettingsResource } from '@family-watch/domain/watch-settings/contracts/watch-settings.events';
import type { GatewayNode } from '../support/gateway-node.js';
import { GatewayTestEnvironment } from '../support/gateway-test-environment.js';
import { FamilyFixture, untilDurable, versionsOf } from '../support/family-fixture.js';

let world: GatewayTestEnvironment;
let node: GatewayNode;

beforeAll(async () => {
  world = await GatewayTestEnvironment.shared();
  node = await world.addNode();
});
afterAll(() => world.stop());

function changed(home: FamilyFixture, resource: SettingsResource, version: number, did: number | null): Promise<void> {
  const { familyId } = home.family;
  const payload = { familyId, cid: home.cid, did, resource, version, by: 'user:x' } as const;
  return world.publish({ name: 'userctx.watch-settings.changed', key: familyId, payload });
}

describe('changed settings', () => {
  test.each(Object.values(SETTINGS_RESOURCE))('%s: watch and guardians are told the version', async (resource) => {
    const home = await FamilyFixture.in(world);
    const clients = await Promise.all(
      [home.owner, home.guardian, home.wearer].map((principal) => world.connect(node, principal)),
    );
    await changed(home, resource, 4, home.did);
    for (const client of clients) {
      await untilDurable(client, 1);
      expect(client.durable[0]).toMatchObject({
        kind: SETTINGS_NOTICE[resource],
        from: { type: 'system', id: '' },
        did: home.did,
        cid: home.cid,
        payload: { did: home.did, version: 4 },
      });
    }
  });

  test('what the watch made of them is told to the guardians, in the place of the change they have not seen', async () => {
    const home = await FamilyFixture.in(world);
    const [guardian, wearer] = [await world.connect(node, home.owner), await world.connect(node, home.wearer)];
    const { head } = await (await world.connect(node, home.guardian)).whenGreeted();
    await changed(home, 'ALARM_CLOCK', 1, home.did);
    const { familyId } = home.family;
    const answer = { familyId, cid: home.cid, did: home.did, resource: 'ALARM_CLOCK', version: 1, state: 'APPLIED' };
    const payload = answer as DomainEvents['userctx.watch-settings.answered'];
    await world.publish({ name: 'userctx.watch-settings.answered', key: familyId, payload });
    await untilDurable(guardian, 2);
    expect(guardian.durable.map((message) => message.payload)).toEqual([
      { did: home.did, version: 1 },
      { did: home.did, version: 1, state: 'APPLIED' },
    ]);
    // What follows is heard by the watch; the answer was not.
    await changed(home, 'ALARM_CLOCK', 2, home.did);
    await untilDurable(wearer, 2);
    expect(versionsOf(wearer)).toEqual([1, 2]);
    const away = await world.connect(node, home.guardian, { last: head });
    await untilDurable(away, 1);
    expect(versionsOf(away)).toEqual([2]);
  });

  test('of a child without a watch are told to nobody', async () => {
    const home = await FamilyFixture.in(world);
    const [guardian, wearer] = [await world.connect(node, home.owner), await world.connect(node, home.wearer)];
    await changed(home, 'ALARM_CLOCK', 1, null);
    await changed(home, 'ALARM_CLOCK', 2, home.did);
    for (const client of [guardian, wearer]) {
      await untilDurable(client, 1);
      expect(versionsOf(client)).toEqual([2]);
    }
  });

  test('who was away gets the newest version of each kind alone', async () => {
    const home = await FamilyFixture.in(world);
    const { head } = await (await world.connect(node, home.wearer)).whenGreeted();
    const watching = await world.connect(node, home.owner);
    for (const version of [1, 2, 3]) await changed(home, 'SCHOOL_DISABLE', version, home.did);
    await changed(home, 'DEVICE', 1, home.did);
    await untilDurable(watching, 4);
    const back = await world.connect(node, home.wearer, { last: head });
    await untilDurable(back, 2);
    expect(back.durable.map(({ kind }) => kind)).toEqual([SETTINGS_NOTICE.SCHOOL_DISABLE, SETTINGS_NOTICE.DEVICE]);
    expect(versionsOf(back)).toEqual([3, 1]);
  });
});
