import { randomUUID } from 'node:crypto';
import { expectOk } from '../http-client.js';
import { waitForConversation, type FamilyFixture } from '../family-fixture.js';

const MESSAGE_PATH = '/apis/v2/message/';

/** Ids of the family's group conversation and of a message in this conversation. */
export interface ConversationIds {
  /** The family's group conversation, in which all members are. */
  conversationId: string;
  /** A message that the owner sent to the group. */
  chatMessageId: string;
}

export async function conversationIdsOf({ owner }: FamilyFixture): Promise<ConversationIds> {
  const conversationId = await waitForConversation(owner, 'FAMILY');
  const body = { kind: 'ChatTextMessage', clientMsgId: randomUUID(), conversationId, text: 'Hello' };
  const { id } = await expectOk(owner.post<{ id: string }>(`${MESSAGE_PATH}send`, body));
  return { conversationId, chatMessageId: id };
}

export function unknownConversationIds(): ConversationIds {
  return { conversationId: randomUUID(), chatMessageId: randomUUID() };
}
