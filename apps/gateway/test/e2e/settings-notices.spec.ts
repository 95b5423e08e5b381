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

function publishChange(
  home: FamilyFixture,
  resource: SettingsResource,
  version: number,
  did: number | null,
): Promise<void> {
  const { familyId } = home.family;
  const payload = { familyId, cid: home.cid, did, resource, version, by: 'user:x' } as const;
  return world.publish({ name: 'userctx.watch-settings.changed', key: familyId, payload });
}

describe('settings change notices', () => {
  test.each(Object.values(SETTINGS_RESOURCE))(
    'sends the version of %s to the watch and the guardians',
    async (resource) => {
      const home = await FamilyFixture.in(world);
      const clients = await Promise.all(
        [home.owner, home.guardian, home.wearer].map((principal) => world.connect(node, principal)),
      );
      await publishChange(home, resource, 4, home.did);
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
    },
  );

  test('replaces the unseen change notice of a guardian with the state that the watch reported', async () => {
    const home = await FamilyFixture.in(world);
    const [guardian, wearer] = [await world.connect(node, home.owner), await world.connect(node, home.wearer)];
    const { head } = await (await world.connect(node, home.guardian)).whenGreeted();
    await publishChange(home, 'ALARM_CLOCK', 1, home.did);
    const { familyId } = home.family;
    const report = { familyId, cid: home.cid, did: home.did, resource: 'ALARM_CLOCK', version: 1, state: 'APPLIED' };
    const payload = report as DomainEvents['userctx.watch-settings.answered'];
    await world.publish({ name: 'userctx.watch-settings.answered', key: familyId, payload });
    await untilDurable(guardian, 2);
    expect(guardian.durable.map((message) => message.payload)).toEqual([
      { did: home.did, version: 1 },
      { did: home.did, version: 1, state: 'APPLIED' },
    ]);
    // The watch receives the next change, but not its own report.
    await publishChange(home, 'ALARM_CLOCK', 2, home.did);
    await untilDurable(wearer, 2);
    expect(versionsOf(wearer)).toEqual([1, 2]);
    const reconnected = await world.connect(node, home.guardian, { last: head });
    await untilDurable(reconnected, 1);
    expect(versionsOf(reconnected)).toEqual([2]);
  });

  test('sends nothing about a child without a watch', async () => {
    const home = await FamilyFixture.in(world);
    const [guardian, wearer] = [await world.connect(node, home.owner), await world.connect(node, home.wearer)];
    await publishChange(home, 'ALARM_CLOCK', 1, null);
    await publishChange(home, 'ALARM_CLOCK', 2, home.did);
    for (const client of [guardian, wearer]) {
      await untilDurable(client, 1);
      expect(versionsOf(client)).toEqual([2]);
    }
  });

  test('delivers only the latest version of each kind to a recipient that was offline', async () => {
    const home = await FamilyFixture.in(world);
    const { head } = await (await world.connect(node, home.wearer)).whenGreeted();
    const owner = await world.connect(node, home.owner);
    for (const version of [1, 2, 3]) await publishChange(home, 'SCHOOL_DISABLE', version, home.did);
    await publishChange(home, 'DEVICE', 1, home.did);
    await untilDurable(owner, 4);
    const reconnected = await world.connect(node, home.wearer, { last: head });
    await untilDurable(reconnected, 2);
    expect(reconnected.durable.map(({ kind }) => kind)).toEqual([
      SETTINGS_NOTICE.SCHOOL_DISABLE,
      SETTINGS_NOTICE.DEVICE,
    ]);
    expect(versionsOf(reconnected)).toEqual([3, 1]);
  });
});
