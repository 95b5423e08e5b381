import { createHash } from 'node:crypto';
import { envelopeData, responseData } from '@family-watch/client';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import type { ListedContent } from '../checker/log-entries.js';
import { fetchWithTimeout, untilAcknowledged } from '../load/rest-operations.js';
import type { FamilyClient, RegisteredFamily } from '../load/registered-family.js';
import type { ServerEndpoint } from '../load/websocket.js';
import { openSession, type LiveSession } from './family-load.js';
import type { HistoryLog } from './history-log.js';

const PAGE_SIZE = 200;
const REPLAY_LIMIT_MS = 120_000;
const DEVICE_PATH = '/apis/v2/userctx/user/device';
const CLOUD_PATH = '/app-api/mcdisk/wristwatch/familyCloud';

/** Reads a whole mailbox again on a new connection, which receives everything from the first message on. */
export async function replayMailbox(live: LiveSession, endpoint: ServerEndpoint, history: HistoryLog): Promise<void> {
  const { client } = live;
  const epoch = live.session.position?.epoch;
  if (epoch === undefined) throw new Error(`${client.principal} was never connected`);
  const session = openSession(client, endpoint, history, { name: `${client.principal} replay`, epoch });
  const { head } = await session.open();
  await waitUntil(`${client.principal} has read its mailbox again`, () => session.last >= head, REPLAY_LIMIT_MS);
  session.close();
}

/**
 * Reads the state of a family over REST and records it in the history.
 *
 * @param since - Unix milliseconds; all location points of the run are later
 */
export async function readFinalState(family: RegisteredFamily, history: HistoryLog, since: number): Promise<void> {
  for (const client of [family.owner, family.guardian, family.watch]) await readConversations(client, history);
  await readSettings(family, history);
  await readTrack(family, history, since);
  await readCloud(family, history);
}

async function readConversations(
  { api, principal, conversationIds }: FamilyClient,
  history: HistoryLog,
): Promise<void> {
  for (const conversationId of conversationIds) {
    const messages = await readPages((cursor) => {
      const params = { query: { conversationId, limit: PAGE_SIZE, ...cursor } };
      return untilAcknowledged(() => responseData(api.GET('/apis/v2/message/history/get', { params })));
    });
    history.write({
      kind: 'history-read',
      actor: principal,
      conversationId,
      messages: messages.map(({ id, conversationSeq, payload }) => ({
        id,
        conversationSeq,
        clientMsgId: String(payload?.['clientMsgId']),
      })),
    });
  }
}

async function readSettings(family: RegisteredFamily, history: HistoryLog): Promise<void> {
  const { owner, guardian, watch, did, guardianContact } = family;
  const { version, items } = await untilAcknowledged(() =>
    responseData(owner.api.GET(`${DEVICE_PATH}/alarm-clock/get`, { params: { query: { did } } })),
  );
  const alarms = items.map(({ alarmId, label }) => ({ alarmId, label }));
  const recipients = [watch.principal, guardian.principal];
  history.write({ kind: 'alarms-read', watch: watch.principal, version, recipients, alarms });
  for (const { alarmId, hour, minute } of items)
    history.write({ kind: 'setting-read', setting: `alarm ${alarmId}`, value: `${hour}:${minute}`, version });
  const contacts = await untilAcknowledged(() =>
    responseData(owner.api.GET(`${DEVICE_PATH}/contacts/list`, { params: { query: { deviceId: did } } })),
  );
  const value = contacts.items.find(({ refId }) => refId === guardianContact)?.appellation ?? 'missing';
  history.write({ kind: 'setting-read', setting: `contact ${guardianContact}`, value });
}

async function readTrack({ owner, cid }: RegisteredFamily, history: HistoryLog, from: number): Promise<void> {
  const to = Date.now() + 60_000;
  const points = await readPages((cursor) => {
    const params = { query: { cid, from, to, limit: PAGE_SIZE, ...cursor } };
    return untilAcknowledged(() => responseData(owner.api.GET('/apis/v2/userctx/user/location/track', { params })));
  });
  history.write({ kind: 'track-read', child: cid, times: points.map(({ positionTime }) => positionTime) });
}

async function readCloud({ owner, cloudID }: RegisteredFamily, history: HistoryLog): Promise<void> {
  const contents: ListedContent[] = [];
  for (let pageNum = 1; ; pageNum += 1) {
    const body = { cloudID, contentSortType: 3 as const, pageInfo: { pageNum, pageSize: PAGE_SIZE } };
    const page = await untilAcknowledged(() =>
      envelopeData(owner.api.POST(`${CLOUD_PATH}/queryContentList`, { body })),
    );
    for (const { contentID, contentName: name, digest } of page.cloudContentList)
      contents.push({ contentID, name, digest });
    if (contents.length >= page.totalCount || page.cloudContentList.length === 0) break;
  }
  history.write({ kind: 'cloud-read', cloud: cloudID, contents });
  for (const { contentID } of contents) {
    const digest = await untilAcknowledged(async () => {
      const body = { cloudID, contentID };
      const { downloadURL } = await envelopeData(owner.api.POST(`${CLOUD_PATH}/getFileDownLoadURL`, { body }));
      const response = await fetchWithTimeout(new Request(downloadURL));
      return createHash('sha256')
        .update(new Uint8Array(await response.arrayBuffer()))
        .digest('hex');
    });
    history.write({ kind: 'content-read', cloud: cloudID, contentID, digest });
  }
}

interface Page<Item> {
  items: Item[];
  nextCursor: string | null;
}

async function readPages<Item>(read: (cursor: { cursor?: string }) => Promise<Page<Item>>): Promise<Item[]> {
  const items: Item[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page: Page<Item> = await read(cursor === undefined ? {} : { cursor });
    items.push(...page.items);
    cursor = page.nextCursor;
  }
  return items;
}
