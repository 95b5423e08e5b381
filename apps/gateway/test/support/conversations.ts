import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import type { FamilyFixture } from './family-fixture.js';
import { node } from './suite-gateway.js';

/** Ids of the conversations that the gateway has created for a family. */
export interface FamilyConversationIds {
  group: string;
  /** The direct conversation of this member and the child. */
  direct(member: Principal): string;
}

export async function conversationsOf(fixture: FamilyFixture): Promise<FamilyConversationIds> {
  const rows = await node.unitOfWork.executor.query<{ id: string; type: string; members: string[] }>(
    `SELECT conversation_id::text AS id, type, array_agg(member) AS members
     FROM gateway.conversation JOIN gateway.conversation_member USING (conversation_id)
     WHERE family_id = $1 AND active GROUP BY conversation_id`,
    [fixture.family.familyId],
  );
  return {
    group: rows.find(({ type }) => type === 'FAMILY')?.id ?? '',
    direct: ({ id }) => rows.find(({ type, members }) => type === 'DIRECT' && members.includes(`user:${id}`))?.id ?? '',
  };
}
