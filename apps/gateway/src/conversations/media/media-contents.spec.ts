import { describe, expect, test } from '@jest/globals';
import type { ConversationMembers, ActiveMember } from '../chat/conversation-members.js';
import { mediaGrantEvents, type PersistedChatMessage } from './media-contents.js';

const RETENTION_MS = 86_400_000;

const createChildMember = (cid: string, familyId: string): ActiveMember => ({
  member: `child:${cid}`,
  principal: 'watch:7',
  familyId,
  cid,
  did: 7,
});
const CHILD_A = createChildMember('anna', 'A');
const CHILD_B = createChildMember('ben', 'B');
const MOTHER: ActiveMember = { member: 'user:m', principal: 'user:m', familyId: 'A', cid: null, did: null };
const friends: ConversationMembers = { revision: 1, audience: 'CHAT', activeMembers: [CHILD_A, CHILD_B] };
const basePayload = { clientMsgId: '1', conversationId: 'c', contentID: 'picture' };
const image: PersistedChatMessage = { id: 'm1', kind: 'ChatImageMessage', time: 1_000, payload: basePayload };

describe('mediaGrantEvents', () => {
  test('grants a friend access to the sent content until the message expires', () => {
    const [grant, ...otherGrants] = mediaGrantEvents(image, CHILD_A, friends, RETENTION_MS);
    expect(otherGrants).toEqual([]);
    expect(grant).toEqual({
      name: 'gateway.media.granted',
      key: 'A',
      payload: {
        messageId: 'm1',
        familyId: 'A',
        contentIDs: ['picture'],
        fromCid: 'anna',
        toCid: 'ben',
        toFamilyId: 'B',
        expiresAt: 1_000 + RETENTION_MS,
      },
    });
  });

  test('grants access to voice messages for a shorter time, and to a thumbnail together with its video', () => {
    const [voice] = mediaGrantEvents({ ...image, kind: 'ChatVoiceMessage' }, CHILD_B, friends, RETENTION_MS);
    expect(voice?.payload).toMatchObject({ fromCid: 'ben', toCid: 'anna', expiresAt: 1_000 + RETENTION_MS });
    const video: PersistedChatMessage = {
      ...image,
      kind: 'ChatVideoMessage',
      payload: { ...basePayload, thumbnail: 'still' } as PersistedChatMessage['payload'],
    };
    expect(mediaGrantEvents(video, CHILD_A, friends, RETENTION_MS)[0]?.payload.contentIDs).toEqual([
      'picture',
      'still',
    ]);
  });

  test('grants no access for text messages and for messages within one family', () => {
    const text: PersistedChatMessage = { ...image, kind: 'ChatTextMessage' };
    expect(mediaGrantEvents(text, CHILD_A, friends, RETENTION_MS)).toEqual([]);
    const family: ConversationMembers = { revision: 1, audience: 'FAMILY_GROUP', activeMembers: [MOTHER, CHILD_A] };
    expect(mediaGrantEvents(image, CHILD_A, family, RETENTION_MS)).toEqual([]);
    expect(mediaGrantEvents(image, MOTHER, family, RETENTION_MS)).toEqual([]);
  });
});
