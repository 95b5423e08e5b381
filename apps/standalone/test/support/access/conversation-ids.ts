import { randomUUID } from 'node:crypto';
import { waitUntilFound } from '@family-watch/testing/waiting/wait-for';
import { expectOk } from '../http-client.js';
import type { FamilyFixture } from '../family-fixture.js';

const MESSAGE = '/apis/v2/message/';

/** What a household talks in. */
export interface ConversationIds {
  /** The family's group, in which everybody of the household is. */
  conversationId: string;
  /** What the owner said there. */
  chatMessageId: string;
}

export async function conversationIdsOf({ owner }: FamilyFixture): Promise<ConversationIds> {
  const conversationId = await groupOf(owner);
  const body = { kind: 'ChatTextMessage', clientMsgId: randomUUID(), conversationId, text: 'Hello' };
  const { id } = await expectOk(owner.post<{ id: string }>(`${MESSAGE}send`, body));
  return { conversationId, chatMessageId: id };
}

export function conversationIdsOfNothing(): ConversationIds {
  return { conversationId: randomUUID(), chatMessageId: randomUUID() };
}

/** Conversations are made when the gateway hears of the family. */
function groupOf(owner: FamilyFixture['owner']): Promise<string> {
  return waitUntilFound('the group of the family', async () => {
    const { items } = await expectOk(
      owner.get<{ items: { conversationId: string; type: string }[] }>(`${MESSAGE}conversation/list`),
    );
    return items.find(({ type }) => type === 'FAMILY')?.conversationId;
  });
}
