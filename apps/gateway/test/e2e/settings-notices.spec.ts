import { describe, expect, test } from '@jest/globals';
import {
  SETTINGS_NOTICE,
  SETTINGS_RESOURCE,
  type SettingsResource,
} from '@family-watch/domain/watches/contracts/settings-state';
import { type FamilyFixture, waitForDurable, versionsOf } from '../support/family-fixture.js';
import { connect, createFamily } from '../support/clients.js';
import { node, useSharedGateway } from '../support/suite-gateway.js';

useSharedGateway();

const publishChange = (fixture: FamilyFixture, resource: SettingsResource, version: number, did?: null) =>
  fixture.publish('userctx.watch-settings.changed', { resource, version, by: 'user:x', ...(did === null && { did }) });

describe('settings change notices', () => {
  test.each(Object.values(SETTINGS_RESOURCE))(
    'sends the new version of %s to the watch and the guardians',
    async (resource) => {
      const fixture = await createFamily();
      const clients = await Promise.all(
        [fixture.owner, fixture.guardian, fixture.watchPrincipal].map((principal) => connect(principal)),
      );
      await publishChange(fixture, resource, 4);
      for (const client of clients) {
        await waitForDurable(client, 1);
        expect(client.durable[0]).toMatchObject({
          kind: SETTINGS_NOTICE[resource],
          from: { type: 'system', id: '' },
          did: fixture.did,
          cid: fixture.cid,
          payload: { did: fixture.did, version: 4 },
        });
      }
    },
  );

  test("replaces a guardian's undelivered change notice with the state that the watch reported", async () => {
    const fixture = await createFamily();
    const [guardian, watchClient] = [await connect(fixture.owner), await connect(fixture.watchPrincipal)];
    const { head } = await (await connect(fixture.guardian)).waitForHello();
    await publishChange(fixture, 'ALARM_CLOCK', 1);
    const report = { resource: 'ALARM_CLOCK', version: 1, state: 'APPLIED' } as const;
    await fixture.publish('userctx.watch-settings.answered', report);
    await waitForDurable(guardian, 2);
    expect(guardian.durable.map((message) => message.payload)).toEqual([
      { did: fixture.did, version: 1 },
      { did: fixture.did, version: 1, state: 'APPLIED' },
    ]);
    // The watch receives the notice of the next change, but none about the state that it reported itself.
    await publishChange(fixture, 'ALARM_CLOCK', 2);
    await waitForDurable(watchClient, 2);
    expect(versionsOf(watchClient)).toEqual([1, 2]);
    const reconnected = await connect(fixture.guardian, node, { last: head });
    await waitForDurable(reconnected, 1);
    expect(versionsOf(reconnected)).toEqual([2]);
  });

  test('sends nothing about a child without a watch', async () => {
    const fixture = await createFamily();
    const [guardian, watchClient] = [await connect(fixture.owner), await connect(fixture.watchPrincipal)];
    await publishChange(fixture, 'ALARM_CLOCK', 1, null);
    await publishChange(fixture, 'ALARM_CLOCK', 2);
    for (const client of [guardian, watchClient]) {
      await waitForDurable(client, 1);
      expect(versionsOf(client)).toEqual([2]);
    }
  });

  test('delivers only the latest version of each kind to a recipient that was offline', async () => {
    const fixture = await createFamily();
    const { head } = await (await connect(fixture.watchPrincipal)).waitForHello();
    const owner = await connect(fixture.owner);
    for (const version of [1, 2, 3]) await publishChange(fixture, 'SCHOOL_DISABLE', version);
    await publishChange(fixture, 'DEVICE', 1);
    await waitForDurable(owner, 4);
    const reconnected = await connect(fixture.watchPrincipal, node, { last: head });
    await waitForDurable(reconnected, 2);
    expect(reconnected.durable.map(({ kind }) => kind)).toEqual([
      SETTINGS_NOTICE.SCHOOL_DISABLE,
      SETTINGS_NOTICE.DEVICE,
    ]);
    expect(versionsOf(reconnected)).toEqual([3, 1]);
  });
});
