import { describe, expect, test } from '@jest/globals';
import {
  nextToSend,
  outboxReducer,
  type Draft,
  type OutboxAction,
  type PendingMessage,
  type RestoredMessage,
} from './outbox-state.js';

const text: Draft = { kind: 'ChatTextMessage', text: 'Hi' };
const voice: Draft = { kind: 'ChatVoiceMessage', file: {} as File, previewUrl: 'blob:1', duration: 900 };
const added = (clientMsgId: string, draft: Draft, conversationId = 'c'): OutboxAction => ({
  type: 'added',
  message: { clientMsgId, conversationId, writtenAt: Number(clientMsgId), draft },
});
const apply = (...actions: OutboxAction[]) => actions.reduce<readonly PendingMessage[]>(outboxReducer, []);

describe('outboxReducer', () => {
  test('keeps the order in which messages were written', () => {
    const messages = apply(
      added('1', text),
      added('2', voice),
      { type: 'sending', clientMsgId: '1' },
      added('3', text),
    );
    expect(messages.map(({ clientMsgId, state }) => [clientMsgId, state])).toEqual([
      ['1', 'SENDING'],
      ['2', 'UPLOADING'],
      ['3', 'WAITING'],
    ]);
  });

  test('a message that was not sent keeps its id and its uploaded file', () => {
    const error = new Error('forbidden');
    const [failed] = apply(
      added('1', voice),
      { type: 'uploaded', clientMsgId: '1', contentID: 'file' },
      { type: 'failed', clientMsgId: '1', error },
    );
    expect(failed).toMatchObject({ clientMsgId: '1', contentID: 'file', state: 'FAILED', error });
    const [retried] = outboxReducer([failed!], { type: 'retried', clientMsgId: '1' });
    expect(retried).toMatchObject({ clientMsgId: '1', contentID: 'file', state: 'WAITING', error: undefined });
  });

  test('a failed upload begins again', () => {
    const [message] = apply(
      added('1', voice),
      { type: 'failed', clientMsgId: '1', error: new Error() },
      { type: 'retried', clientMsgId: '1' },
    );
    expect(message?.state).toBe('UPLOADING');
  });
});

describe('a message of an earlier page', () => {
  const restored = (fields: Partial<RestoredMessage>): OutboxAction => ({
    type: 'restored',
    message: { clientMsgId: '1', conversationId: 'c', writtenAt: 1, draft: text, ...fields },
  });

  test('comes before those that were written later', () => {
    const messages = apply(added('2', text), restored({}));
    expect(messages.map(({ clientMsgId, state }) => [clientMsgId, state])).toEqual([
      ['1', 'WAITING'],
      ['2', 'WAITING'],
    ]);
  });

  test.each([
    ['is uploaded again without its file', { draft: voice }, 'UPLOADING'],
    ['is sent with its file', { draft: voice, contentID: 'file' }, 'WAITING'],
    ['is not sent again if the service has rejected it', { error: new Error('forbidden') }, 'FAILED'],
  ])('%s', (_, fields, state) => {
    expect(apply(restored(fields))[0]?.state).toBe(state);
  });
});

describe('nextToSend', () => {
  test('returns the first message that is ready', () => {
    expect(nextToSend(apply(added('1', voice), added('2', text), added('3', text)), 'c')?.clientMsgId).toBe('2');
  });

  test('returns nothing while a message of the conversation is being sent', () => {
    const messages = apply(added('1', text), added('2', text), { type: 'sending', clientMsgId: '1' });
    expect(nextToSend(messages, 'c')).toBeUndefined();
  });

  test('a message of another conversation does not wait', () => {
    const messages = apply(added('1', text, 'a'), added('2', text, 'b'), { type: 'sending', clientMsgId: '1' });
    expect(nextToSend(messages, 'b')?.clientMsgId).toBe('2');
  });

  test('passes a message that only the person can send', () => {
    const messages = apply(added('1', text), added('2', text), {
      type: 'failed',
      clientMsgId: '1',
      error: new Error(),
    });
    expect(nextToSend(messages, 'c')?.clientMsgId).toBe('2');
  });

  test('returns a delayed message again before later ones', () => {
    const messages = apply(added('1', text), added('2', text), {
      type: 'delayed',
      clientMsgId: '1',
      error: new Error(),
    });
    expect(nextToSend(messages, 'c')?.clientMsgId).toBe('1');
  });
});

test('a caption is sent after its files, and by itself when one of them was discarded', () => {
  const caption: OutboxAction = {
    type: 'added',
    message: { clientMsgId: '3', conversationId: 'c', writtenAt: 3, draft: text, after: ['1', '2'] },
  };
  const files = apply(added('1', voice), added('2', voice), caption, added('4', text));
  expect(nextToSend(files, 'c')?.clientMsgId).toBe('4');
  const one = [
    { type: 'removed', clientMsgId: '4' },
    { type: 'removed', clientMsgId: '1' },
  ] as const satisfies OutboxAction[];
  const waiting = one.reduce<readonly PendingMessage[]>(outboxReducer, files);
  expect(nextToSend(waiting, 'c')).toBeUndefined();
  const detached = outboxReducer(waiting, { type: 'detached', clientMsgId: '3', after: ['1'] });
  expect(nextToSend(detached, 'c')?.clientMsgId).toBe('3');
});
