import { describe, expect, test } from '@jest/globals';
import { CHAT_RETENTION, VOICE_RETENTION } from '@family-watch/domain/messages/contracts/chat';
import type { Audible, Listener } from '../chat/conversation-cache.js';
import { mediaGrants } from './media-grants.js';
import type { StoredMessage } from './media-grants.js';

const child = (cid: string, familyId: string): Listener => ({
  ...{ member: `child:${cid}`, principal: 'watch:7', familyId, cid, did: 7 },
});
const ANNA = child('anna', 'A');
const BEN = child('ben', 'B');
const MOTHER: Listener = { member: 'user:m', principal: 'user:m', familyId: 'A', cid: null, did: null };
const friends: Audible = { revision: 1, audience: 'CHAT', listeners: [ANNA, BEN] };
const base = { clientMsgId: '1', conversationId: 'c', contentID: 'picture' };
const image: StoredMessage = { id: 'm1', kind: 'ChatImageMessage', time: 1_000, payload: base };

describe('mediaGrants', () => {
  test('lets the befriended child open what was sent, for as long as the message is kept', () => {
    const [grant, ...more] = mediaGrants(image, ANNA, friends);
    expect(more).toEqual([]);
    expect(grant).toEqual({
      name: 'gateway.media.granted',
      key: 'A',
      payload: {
        ...{ messageId: 'm1', familyId: 'A', contentIDs: ['picture'] },
        ...{ fromCid: 'anna', toCid: 'ben', toFamilyId: 'B', expiresAt: 1_000 + CHAT_RETENTION },
      },
    });
  });

  test('voice ends sooner, and a small picture is opened with the large one', () => {
    const [voice] = mediaGrants({ ...image, kind: 'ChatVoiceMessage' }, BEN, friends);
    expect(voice?.payload).toMatchObject({ fromCid: 'ben', toCid: 'anna', expiresAt: 1_000 + VOICE_RETENTION });
    const film: StoredMessage = {
      ...image,
      kind: 'ChatVideoMessage',
      payload: { ...base, thumbnail: 'still' } as StoredMessage['payload'],
    };
    expect(mediaGrants(film, ANNA, friends)[0]?.payload.contentIDs).toEqual(['picture', 'still']);
  });

  test('text, and what is said inside a family, opens nothing', () => {
    const text: StoredMessage = { ...image, kind: 'ChatTextMessage' };
    expect(mediaGrants(text, ANNA, friends)).toEqual([]);
    const family: Audible = { revision: 1, audience: 'FAMILY_GROUP', listeners: [MOTHER, ANNA] };
    expect(mediaGrants(image, ANNA, family)).toEqual([]);
    expect(mediaGrants(image, MOTHER, family)).toEqual([]);
  });
});
