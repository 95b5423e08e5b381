import { describe, expect, test } from '@jest/globals';
import { CHAT_RETENTION_MS, VOICE_RETENTION_MS } from '@family-watch/domain/messages/contracts/chat';
import type { ConversationMembers, ActiveMember } from '../chat/conversation-cache.js';
import { mediaGrantEvents } from './media-grant-events.js';
import type { PersistedChatMessage } from './media-grant-events.js';

const child = (cid: string, familyId: string): ActiveMember => ({
  member: `child:${cid}`,
  principal: 'watch:7',
  familyId,
  cid,
  did: 7,
});
const ANNA = child('anna', 'A');
const BEN = child('ben', 'B');
const MOTHER: ActiveMember = { member: 'user:m', principal: 'user:m', familyId: 'A', cid: null, did: null };
const friends: ConversationMembers = { revision: 1, audience: 'CHAT', activeMembers: [ANNA, BEN] };
const base = { clientMsgId: '1', conversationId: 'c', contentID: 'picture' };
const image: PersistedChatMessage = { id: 'm1', kind: 'ChatImageMessage', time: 1_000, payload: base };

describe('mediaGrantEvents', () => {
  test('lets the befriended child open what was sent, for as long as the message is kept', () => {
    const [grant, ...more] = mediaGrantEvents(image, ANNA, friends);
    expect(more).toEqual([]);
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
        expiresAt: 1_000 + CHAT_RETENTION_MS,
      },
    });
  });

  test('voice ends sooner, and a small picture is opened with the large one', () => {
    const [voice] = mediaGrantEvents({ ...image, kind: 'ChatVoiceMessage' }, BEN, friends);
    expect(voice?.payload).toMatchObject({ fromCid: 'ben', toCid: 'anna', expiresAt: 1_000 + VOICE_RETENTION_MS });
    const film: PersistedChatMessage = {
      ...image,
      kind: 'ChatVideoMessage',
      payload: { ...base, thumbnail: 'still' } as PersistedChatMessage['payload'],
    };
    expect(mediaGrantEvents(film, ANNA, friends)[0]?.payload.contentIDs).toEqual(['picture', 'still']);
  });

  test('text, and what is said inside a family, opens nothing', () => {
    const text: PersistedChatMessage = { ...image, kind: 'ChatTextMessage' };
    expect(mediaGrantEvents(text, ANNA, friends)).toEqual([]);
    const family: ConversationMembers = { revision: 1, audience: 'FAMILY_GROUP', activeMembers: [MOTHER, ANNA] };
    expect(mediaGrantEvents(image, ANNA, family)).toEqual([]);
    expect(mediaGrantEvents(image, MOTHER, family)).toEqual([]);
  });
});
