import { describe, expect, test } from '@jest/globals';
import type { ChildReadEvents } from '@family-watch/domain/privacy/contracts/child-read';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { GatewayChildReads } from '../../src/infrastructure/gateway-infrastructure.js';
import { conversationsOf, sendAcceptedText } from '../support/conversations.js';
import { waitForKind, type FamilyFixture } from '../support/family-fixture.js';
import { callerOf, connect, createFamily } from '../support/clients.js';
import { otherNode, query, serviceOf, useSharedGateway } from '../support/suite-gateway.js';

useSharedGateway();

/** Returns the recorded reads of the child as texts of viewer and kind. */
async function readsOf({ cid }: FamilyFixture): Promise<string[]> {
  await serviceOf(GatewayChildReads).flush();
  const rows = await query<{ payload: ChildReadEvents['gateway.child-data.read'] }>(
    `SELECT payload FROM gateway.outbox WHERE name = 'gateway.child-data.read' AND key = $1`,
    [cid],
  );
  return rows.flatMap(({ payload }) => payload.reads.map(({ viewer, kind }) => `${viewer} ${kind}`)).toSorted();
}

const viewerOf = ({ id }: Principal, kind: string) => `user:${id} ${kind}`;

describe('reads of children’s messages', () => {
  test('are recorded when the list of conversations shows the last message of the child', async () => {
    const fixture = await createFamily();
    const { owner, guardian, watchPrincipal } = fixture;
    const { group } = await conversationsOf(fixture);
    const list = (caller: Principal) => callerOf(caller).get('conversation/list');
    expect((await list(owner)).status).toBe(200);
    expect(await readsOf(fixture)).toEqual([]);
    const watchClient = await connect(watchPrincipal);
    await sendAcceptedText(watchClient, group, 'hello');
    expect((await list(guardian)).status).toBe(200);
    expect(await readsOf(fixture)).toEqual([viewerOf(guardian, 'CHAT')]);
  });

  test('are recorded when they are delivered to the devices of other members', async () => {
    const fixture = await createFamily();
    const { owner, guardian, watchPrincipal } = fixture;
    const { group } = await conversationsOf(fixture);
    const [phone, otherPhone] = [await connect(owner), await connect(guardian)];
    await sendAcceptedText(await connect(watchPrincipal, otherNode), group, 'from the child');
    await waitForKind(phone, 'ChatTextMessage');
    await sendAcceptedText(phone, group, 'from the owner');
    await waitForKind(otherPhone, 'ChatTextMessage', 2);
    expect(await readsOf(fixture)).toEqual([viewerOf(owner, 'CHAT'), viewerOf(guardian, 'CHAT')].toSorted());
  });
});
