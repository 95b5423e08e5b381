import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type { ChildReadEvents } from '@family-watch/domain/access-log/contracts/child-read';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { GatewayChildReads } from '../../src/infrastructure/gateway-infrastructure.js';
import { conversationsOf } from '../support/conversations.js';
import { FamilyFixture } from '../support/family-fixture.js';
import { callerOf, connect, createFamily, node, useSharedGateway } from '../support/suite-gateway.js';

useSharedGateway();

/** Returns the recorded reads of the child as texts of viewer and kind. */
async function readsOf({ cid }: FamilyFixture): Promise<string[]> {
  await node.app.get(GatewayChildReads, { strict: false }).flush();
  const rows = await node.unitOfWork.executor.query<{ payload: ChildReadEvents['gateway.child-data.read'] }>(
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
    const message = { clientMsgId: randomUUID(), conversationId: group, text: 'hello' };
    expect(await watchClient.send('ChatTextMessage', message)).toMatchObject({ ok: true });
    expect((await list(guardian)).status).toBe(200);
    expect(await readsOf(fixture)).toEqual([viewerOf(guardian, 'CHAT')]);
  });
});
