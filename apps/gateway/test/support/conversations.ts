import { randomUUID } from 'node:crypto';
import type { FriendshipParty } from '@family-watch/domain/families/contracts/friend';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import type { ChatSendResult } from '@family-watch/domain/messages/contracts/chat';
import type { TestClient } from '@family-watch/testing/clients/test-client';
import type { FamilyFixture } from './family-fixture.js';
import { callerOf, createFamily } from './clients.js';
import { environment, otherNode, query } from './suite-gateway.js';

/** Ids of the conversations that the gateway has created for a family. */
export interface FamilyConversationIds {
  group: string;
  /** The direct conversation of this member and the child. */
  direct(member: Principal): string;
}

export async function conversationsOf(fixture: FamilyFixture): Promise<FamilyConversationIds> {
  const rows = await query<{ id: string; type: string; members: string[] }>(
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

/** Sends a text. @returns the response */
export const sendText = (client: TestClient, conversationId: string, text: string) =>
  client.send('ChatTextMessage', { clientMsgId: randomUUID(), conversationId, text });

/** Sends a text that must be accepted. */
export async function sendAcceptedText(
  client: TestClient,
  conversationId: string,
  text: string,
): Promise<ChatSendResult> {
  const response = await sendText(client, conversationId, text);
  if (!response.ok) throw new Error(response.reason);
  return response as unknown as ChatSendResult;
}

export const textsOf = (client: TestClient): string[] =>
  client.messagesOfKind('ChatTextMessage').map(({ payload }) => (payload as { text: string }).text);

interface ListedConversation {
  conversationId: string;
  type: string;
  unread: number;
}

export async function listConversations(principal: Principal): Promise<ListedConversation[]> {
  return (await callerOf(principal, otherNode).get('conversation/list')).body['items'] as ListedConversation[];
}

/** Two families whose children are friends; `change` publishes a later or earlier version of their friendship. */
export async function createFriends() {
  const families = [await createFamily(), await createFamily()] as const;
  const [first, second] = families;
  const friendshipId = randomUUID();
  const sideOf = ({ family, cid, did }: FamilyFixture) => ({ familyId: family.familyId, cid, did });
  const sides: [FriendshipParty, FriendshipParty] = [sideOf(first), sideOf(second)];
  const change = (version: number, active: boolean) =>
    environment.publish({
      name: 'userctx.friendship.changed',
      key: first.family.familyId,
      payload: { friendshipId, version, active, time: environment.clock.now(), sides },
    });
  await change(1, true);
  const listed = await listConversations(first.watchPrincipal);
  const conversationId = listed.find(({ type }) => type === 'FRIENDS')?.conversationId ?? '';
  return { first, second, conversationId, change };
}
