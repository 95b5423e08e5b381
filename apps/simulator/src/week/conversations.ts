import { randomUUID } from 'node:crypto';
import {
  responseData,
  type ClientEvent,
  type RestClient,
  type SentPayload,
  type SuccessResponseTo,
} from '@family-watch/client';
import type { ConversationType, EmojiCode } from '@family-watch/domain/messages/contracts/chat';
import { Temporal } from 'temporal-polyfill';
import { findCloudId, uploadFile } from '../people/family-cloud.js';
import { pollUntil, retryUntilAvailable } from '../retry.js';
import type { DemoFamily } from './demo-family.js';
import { drawPicture, PICTURE_SIZE } from './pictures.js';
import { hum } from './voice.js';

/** A person or a watch that takes part in conversations. */
export interface Participant {
  api: RestClient;
  /** Sends an event, with retries. @throws ApiError for an error response */
  send<Event extends ClientEvent>(event: Event, payload: SentPayload<Event>): Promise<SuccessResponseTo<Event>>;
}

type Content = { text: string } | { emoji: EmojiCode } | { melody: readonly number[] } | { picture: number };
type Line = readonly [Participant, Content];

/** Semitones above 220 Hz. */
const SONG = [12, 12, 19, 19, 21, 21, 19, 17, 17, 16, 16, 14, 14, 12];
const LULLABY = [16, 14, 12, 14, 16, 16, 16, 14, 14, 14, 16, 19, 19];

/**
 * Sends the messages of all conversations of the family. The service dates a chat message when it stores the message.
 * All members have read their conversations afterwards, except the last message of each child to the mother.
 */
export async function chat(family: DemoFamily): Promise<void> {
  const { mother, granny, friend } = family;
  const [mia, leo] = [family.mia.watch.connection, family.leo.watch.connection];
  const { cid: cidOfMia } = family.mia.child;
  const { cid: cidOfLeo } = family.leo.child;
  const nora = friend.watch.connection;
  await play(await findConversation(mother, 'FAMILY'), [
    [granny, { text: 'Who would like dumplings on Saturday?' }],
    [mia, { emoji: 'LOVE' }],
    [leo, { text: 'Me! With lots of vinegar' }],
    [mother, { text: 'We come at three. Can I bring something?' }],
    [granny, { text: 'Only the children :-)' }],
    [mother, { picture: 100 }],
    [granny, { emoji: 'CLAP' }],
    [leo, { melody: SONG }],
    [mia, { text: 'He has been humming this all day' }],
    [mother, { emoji: 'LAUGH' }],
  ]);
  await play(await findConversation(granny, 'DIRECT', cidOfMia), [
    [granny, { text: 'Did you practise the piano today?' }],
    [mia, { text: 'Yes, half an hour' }],
    [mia, { melody: LULLABY }],
    [granny, { emoji: 'HEART' }],
  ]);
  await play(await findConversation(granny, 'DIRECT', cidOfLeo), [
    [leo, { text: 'Granny, can we feed the ducks again?' }],
    [granny, { text: 'On Wednesday, after school' }],
    [leo, { emoji: 'SUN' }],
  ]);
  await play(await findConversation(mia, 'FRIENDS', friend.child.cid), [
    [nora, { text: 'Are you at the park later?' }],
    [mia, { text: 'After homework' }],
    [nora, { emoji: 'BALL' }],
  ]);
  await play(
    await findConversation(mother, 'DIRECT', cidOfMia),
    [
      [mother, { text: 'Have you packed your sports clothes?' }],
      [mia, { text: 'Yes, they are in the blue bag' }],
      [mother, { emoji: 'THUMBS_UP' }],
      [mia, { picture: 103 }],
      [mother, { text: 'Beautiful! Who drew it?' }],
      [mia, { text: 'Nora and me' }],
    ],
    mother,
  );
  await play(
    await findConversation(mother, 'DIRECT', cidOfLeo),
    [
      [leo, { text: 'My tooth fell out!!' }],
      [mother, { emoji: 'SURPRISED' }],
      [mother, { text: 'Keep it safe, I want to see it' }],
      [leo, { melody: SONG.slice(0, 7) }],
    ],
    mother,
  );
  mother.log('has chatted with the family');

  async function play(conversationId: string, lines: readonly Line[], behind?: Participant): Promise<void> {
    for (const [index, [participant, content]] of lines.entries()) {
      const { id: messageId } = await send(participant, conversationId, content);
      const isLast = index === lines.length - 1;
      const readers = [...new Set(lines.map(([sender]) => sender))].filter((each) => each !== participant);
      for (const reader of readers) if (!isLast || reader !== behind) await markRead(reader, conversationId, messageId);
    }
  }
}

async function send(sender: Participant, conversationId: string, content: Content): Promise<{ id: string }> {
  const message = { clientMsgId: randomUUID(), conversationId };
  if ('text' in content) return sender.send('ChatTextMessage', { ...message, ...content });
  if ('emoji' in content) return sender.send('ChatEmojiMessage', { ...message, ...content });
  const cloudID = await findCloudId(sender.api);
  if ('melody' in content) {
    const { bytes, duration } = hum(content.melody);
    const contentID = await uploadFile(sender.api, cloudID, { name: 'voice message.wav', bytes });
    return sender.send('ChatVoiceMessage', { ...message, contentID, duration });
  }
  const bytes = await drawPicture(content.picture, Temporal.Now.zonedDateTimeISO());
  const contentID = await uploadFile(sender.api, cloudID, { name: 'picture.jpg', bytes });
  return sender.send('ChatImageMessage', { ...message, contentID, ...PICTURE_SIZE });
}

export async function markRead({ api }: Participant, conversationId: string, messageId: string): Promise<void> {
  const body = { conversationId, messageId };
  await retryUntilAvailable(() => responseData(api.POST('/apis/v2/message/read/mark', { body })));
}

/** Returns the participant's conversation of this type, with this child; the service creates it after the family. */
function findConversation({ api }: Participant, type: ConversationType, cid?: string): Promise<string> {
  return pollUntil('the conversation', async () => {
    const { items } = await responseData(api.GET('/apis/v2/message/conversation/list'));
    const found = items.find(
      (conversation) =>
        conversation.type === type && (cid === undefined || conversation.members.some((member) => member.cid === cid)),
    );
    return found?.conversationId;
  });
}
