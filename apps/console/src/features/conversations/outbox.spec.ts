import { ApiError } from '@family-watch/client';
import { afterEach, expect, jest, test } from '@jest/globals';
import { QueryClient } from '@tanstack/react-query';
import type { Session } from '../../core/session/session-store.js';
import { Outbox } from './outbox.js';
import { historyQuery } from './queries.js';
import type { StoredMessage } from './stored-message.js';

let ending = new AbortController();
afterEach(() => {
  ending.abort();
  ending = new AbortController();
});

/** A session whose storage has the values of an earlier page, by kind and id. */
function sessionWith({ client, stored = new Map() }: { client: object; stored?: Map<string, unknown> }): Session {
  const storage = {
    list: async (kind: string) => [...stored].filter(([key]) => key.startsWith(kind)).map(([, value]) => value),
    get: async (kind: string, id: string) => stored.get(`${kind} ${id}`),
    set: async (kind: string, id: string, value: unknown) => void stored.set(`${kind} ${id}`, value),
    delete: async (kind: string, id: string) => void stored.delete(`${kind} ${id}`),
  };
  const gateway = { on: () => undefined };
  return { client, gateway, storage, ended: ending.signal, userId: crypto.randomUUID() } as never;
}

const isEmpty = (outbox: Outbox) =>
  new Promise<void>((resolve) => {
    const check = () => outbox.isRestored() && outbox.get().length === 0 && resolve();
    outbox.subscribe(check);
    check();
  });

const storedMessage = (id: string, writtenAt: number): [string, StoredMessage] => [
  `message ${id}`,
  { id, writtenAt, conversationId: 'c', draft: { kind: 'ChatTextMessage', text: id } },
];

test('adds a sent message to the history with the time that the service has stored', async () => {
  const sent = { id: 'm1', conversationSeq: 1, time: 5_000 };
  const client = { messages: { send: jest.fn(async () => sent) } };
  const session = sessionWith({ client });
  const queries = new QueryClient();
  const { queryKey } = historyQuery(session, 'c', queries);
  queries.setQueryData(queryKey, { messages: [], earlierCursor: null });
  const outbox = new Outbox(session, queries);
  await isEmpty(outbox);
  outbox.add('c', { kind: 'ChatTextMessage', text: 'Hi' }, undefined);
  await isEmpty(outbox);
  expect(queries.getQueryData(queryKey)?.messages).toMatchObject([{ ...sent, payload: { text: 'Hi' } }]);
});

test('sends what an earlier page has not sent, in the order in which it was written, and keeps it until then', async () => {
  const stored = new Map<string, unknown>([storedMessage('second', 2), storedMessage('first', 1)]);
  const sentIds: string[] = [];
  const send = async ({ clientMsgId }: { clientMsgId: string }) => {
    expect(stored.has(`message ${clientMsgId}`)).toBe(true);
    sentIds.push(clientMsgId);
    return { id: clientMsgId, conversationSeq: sentIds.length, time: 5_000 };
  };
  const session = sessionWith({ client: { messages: { send } }, stored });
  await isEmpty(new Outbox(session, new QueryClient()));
  expect([sentIds, stored.size]).toEqual([['first', 'second'], 0]);
});

test('a message that an earlier page has sent with another upload of its file is done', async () => {
  const stored = new Map<string, unknown>([storedMessage('sent', 1)]);
  const fields = { status: 409, code: 409016, reason: 'CLIENT_MSG_ID_REUSED', message: '' } as const;
  const send = () => Promise.reject(new ApiError(fields));
  await isEmpty(new Outbox(sessionWith({ client: { messages: { send } }, stored }), new QueryClient()));
  expect(stored.size).toBe(0);
});

test('a rejected message is kept with the reason for the person to decide', async () => {
  const stored = new Map<string, unknown>([storedMessage('a', 1)]);
  const fields = { status: 403, code: 403001, reason: 'CONTACT_NOT_ALLOWED', message: '' } as const;
  const client = { messages: { send: () => Promise.reject(new ApiError(fields)) } };
  const outbox = new Outbox(sessionWith({ client, stored }), new QueryClient());
  await new Promise<void>((resolve) =>
    outbox.subscribe(() => outbox.get().some(({ state }) => state === 'FAILED') && resolve()),
  );
  const later = new Outbox(sessionWith({ client, stored }), new QueryClient());
  await new Promise<void>((resolve) => later.subscribe(() => later.isRestored() && resolve()));
  expect(later.get()).toMatchObject([{ clientMsgId: 'a', state: 'FAILED', error: fields }]);
});

test('a message that the browser cannot store says so', async () => {
  const session = sessionWith({ client: { messages: { send: () => new Promise(() => undefined) } } });
  session.storage.set = () => Promise.reject(new Error('QuotaExceededError'));
  const outbox = new Outbox(session, new QueryClient());
  await isEmpty(outbox);
  outbox.add('c', { kind: 'ChatTextMessage', text: 'Hi' }, undefined);
  await new Promise<void>((resolve) => outbox.subscribe(() => outbox.get()[0]?.isNotKept && resolve()));
});

test('what is typed, and the message that it answers, is there in the next page', async () => {
  const stored = new Map<string, unknown>();
  const outbox = new Outbox(sessionWith({ client: {}, stored }), new QueryClient());
  await isEmpty(outbox);
  outbox.setUnsent('c', { text: 'Which one?' });
  outbox.setUnsent('c', { quoteOf: 'm1' });
  const later = new Outbox(sessionWith({ client: {}, stored }), new QueryClient());
  await isEmpty(later);
  expect(later.unsentOf('c')).toMatchObject({ text: 'Which one?', quoteOf: 'm1' });
  later.setUnsent('c', { text: '', quoteOf: undefined });
  expect(stored.size).toBe(0);
});

test('the caption of files that are all discarded is not sent', async () => {
  const uploading = { familyCloud: { getFileUploadURL: () => new Promise(() => undefined) } };
  const send = jest.fn(() => new Promise(() => undefined));
  const outbox = new Outbox(sessionWith({ client: { ...uploading, messages: { send } } }), new QueryClient());
  await isEmpty(outbox);
  const file = (name: string) => ({
    ...{ kind: 'ChatImageMessage' as const, previewUrl: 'blob:1', width: 1, height: 1 },
    file: new File(['x'], name),
  });
  outbox.addFiles('c', [file('one.jpg'), file('two.jpg')], 'The lake', 'cloud');
  const [one, two] = outbox.get();
  outbox.discard(one!);
  expect(outbox.get()).toHaveLength(2);
  outbox.discard(two!);
  expect(outbox.get()).toEqual([]);
  expect(send).not.toHaveBeenCalled();
});
