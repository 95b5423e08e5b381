import { GatewayClient } from '@family-watch/client';
import { Client } from 'pg';
import { waitUntil, waitUntilFound } from '@family-watch/testing/waiting/wait-for';
import type { Page } from 'playwright-core';
import { addChild, bindNewWatch, signUp, type Person, type Service } from './accounts.js';
import { uploadFile } from './family-cloud.js';
import { noisyPicture } from './pictures.js';

export const CHILDREN = 20;
export const MESSAGES = 10_000;
export const PICTURES = 20_000;
const FIRST_PLACE = { latitude: 31.2304, longitude: 121.4737 };

/** A family with many children, messages and pictures. */
export interface LargeFamily {
  readonly parent: Person;
  /** The conversation with all messages. */
  readonly conversationId: string;
}

/**
 * Creates a family through the API. The service limits how fast a person can send messages and files, so that all but
 * the first message and picture are copies in the database. Each copy has its own id, and a text of another length.
 *
 * @param service - `adminUrl`: URL of the database with the rights of a superuser
 */
export async function createLargeFamily(service: Service & { adminUrl: string }): Promise<LargeFamily> {
  const parent = await signUp(service, 'Anna');
  const gateway = new GatewayClient({ url: service.url, tokens: parent.tokens });
  const located = new Set<number>();
  gateway.onMessage('LocationPointChangeMessage', ({ payload }) => located.add(payload.did));
  gateway.start();
  await gateway.whenConnected();
  for (let index = 0; index < CHILDREN; index += 1) {
    const cid = await addChild(parent, `Child ${index + 1}`);
    const { client } = await bindNewWatch(service, parent, cid);
    const latitude = (FIRST_PLACE.latitude + (index % 5) * 0.004).toFixed(6);
    const longitude = (FIRST_PLACE.longitude + Math.floor(index / 5) * 0.004).toFixed(6);
    await client.watch.reportLocation({
      points: [{ latitude, longitude, radius: 20, pointType: 1, positionTime: Date.now() }],
    });
  }
  // The events of a family are handled in order, so that no message about an earlier change follows the last location.
  await waitUntil('the locations of all children', () => located.size === CHILDREN);
  gateway.stop();

  const { client } = parent;
  const conversationId = await waitUntilFound('the conversation with the first child', async () => {
    const { items } = await client.messages.listConversations();
    return items.find(({ type, members }) => type === 'DIRECT' && members.some(({ name }) => name === 'Child 1'))
      ?.conversationId;
  });
  const first = { kind: 'ChatTextMessage', conversationId, clientMsgId: crypto.randomUUID(), text: 'Hello' } as const;
  await client.messages.send(first);
  const [family] = (await client.families.list()).items;
  const contentID = await uploadFile(parent, family?.familyId ?? '', 'lake.png', await noisyPicture(64, 48));

  const database = new Client({ connectionString: service.adminUrl });
  await database.connect();
  try {
    await database.query(COPY_MESSAGE, [conversationId, MESSAGES]);
    await database.query(COPY_PICTURE, [contentID, PICTURES]);
  } finally {
    await database.end();
  }
  return { parent, conversationId };
}

/** Adds messages after the first one, a minute apart, the last one now. */
const COPY_MESSAGE = `
  WITH copied AS (
    INSERT INTO gateway.chat_message
           (conversation_id, conversation_seq, id, member, sender_type, sender_id, kind, time, payload)
    SELECT conversation_id, n, gen_random_uuid(), member, sender_type, sender_id, kind, time + n, (payload::jsonb ||
             jsonb_build_object('text', 'Message ' || n || repeat(' and some more words', n % 12),
                                'conversationSeq', n))::json
      FROM gateway.chat_message, generate_series(2, $2::int) AS n
     WHERE conversation_id = $1 AND conversation_seq = 1)
  UPDATE gateway.conversation SET head = $2 WHERE conversation_id = $1`;

/** Adds files with the bytes and the thumbnail of the first one, half an hour apart, the last one now. */
const COPY_PICTURE = `
  INSERT INTO mcdisk.content (content_id, cloud_id, blob_key, name, size, digest, type, media_type, uploader, state,
                              created_at, updated_at)
  SELECT (left(content_id::text, 8) || substr(gen_random_uuid()::text, 9))::uuid, cloud_id, blob_key,
         'picture ' || n || '.png', size, digest, type, media_type, uploader, state,
         created_at - n * 1800000::bigint, created_at - n * 1800000::bigint
    FROM mcdisk.content, generate_series(1, $2::int - 1) AS n
   WHERE content_id = $1`;

/** Returns the number of elements of a page. */
export function countElements(page: Page): Promise<number> {
  return page.evaluate<number>('document.querySelectorAll("*").length');
}
