import { AsyncLocalStorage } from 'node:async_hooks';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitFor } from '@family-watch/testing/waiting/wait-for';
import type { PubSub } from '../../src/pub-sub.js';
import { RecordingLogger } from '../support/recording-logger.js';

/** Pub/sub of two processes; `sender` and `receiver` are the same object if there is only one process. */
export interface PubSubAdapter {
  sender: PubSub;
  receiver: PubSub;
  /** Resolves once the broker has processed the existing subscriptions. */
  flush(): Promise<void>;
  dispose(): Promise<void>;
}

/** Declares the tests that every pub/sub adapter must pass. */
export function describePubSub(openAdapter: (logger: RecordingLogger) => Promise<PubSubAdapter>): void {
  let adapter: PubSubAdapter;
  let logger: RecordingLogger;

  beforeEach(async () => {
    logger = new RecordingLogger();
    adapter = await openAdapter(logger);
  });
  afterEach(() => adapter.dispose());

  describe('pub/sub', () => {
    test('delivers messages in order to every subscription of their subject and to no other', async () => {
      const received: [string, unknown][] = [];
      adapter.receiver.subscribe('mailbox.user:1', (data) => received.push(['first', data]));
      adapter.receiver.subscribe('mailbox.user:1', (data) => received.push(['second', data]));
      adapter.receiver.subscribe('mailbox.user:2', (data) => received.push(['other', data]));
      await adapter.flush();
      adapter.sender.publish('mailbox.user:1', { through: 7 });
      adapter.sender.publish('mailbox.user:1', null);
      await waitFor(() => expect(received).toHaveLength(4));
      expect(received).toEqual([
        ['first', { through: 7 }],
        ['second', { through: 7 }],
        ['first', null],
        ['second', null],
      ]);
    });

    test('delivers to a subject until its last subscription is closed', async () => {
      const received: string[] = [];
      const first = adapter.receiver.subscribe('mailbox', () => received.push('first'));
      const second = adapter.receiver.subscribe('mailbox', () => received.push('second'));
      first.close();
      await adapter.flush();
      adapter.sender.publish('mailbox', 1);
      await waitFor(() => expect(received).toEqual(['second']));
      second.close();
      await adapter.flush();
      adapter.sender.publish('mailbox', 2);
      await sleep(100);
      expect(received).toEqual(['second']);
    });

    test('continues after a listener throws', async () => {
      const received: unknown[] = [];
      adapter.receiver.subscribe('mailbox', () => {
        throw new Error('broken listener');
      });
      adapter.receiver.subscribe('mailbox', (data) => received.push(data));
      await adapter.flush();
      adapter.sender.publish('mailbox', 1);
      adapter.sender.publish('mailbox', 2);
      await waitFor(() => expect(received).toEqual([1, 2]));
      expect(logger.lines.map((line) => line.level)).toEqual(['error', 'error']);
    });

    test('calls listeners in the asynchronous context of the subscription, not of the publisher', async () => {
      const context = new AsyncLocalStorage<string>();
      const received: (string | undefined)[] = [];
      adapter.receiver.subscribe('mailbox', () => received.push(context.getStore()));
      await adapter.flush();
      context.run('publisher', () => adapter.sender.publish('mailbox', 1));
      await waitFor(() => expect(received).toEqual([undefined]));
    });

    test.each(['', 'a.*', 'a.>', 'a..b', 'a b', '.a', 'a.'])('rejects the subject %p', (subject) => {
      expect(() => adapter.sender.publish(subject, 1)).toThrow('Invalid subject');
      expect(() => adapter.receiver.subscribe(subject, () => undefined)).toThrow('Invalid subject');
    });

    test('is not connected after close', async () => {
      expect(adapter.sender.connected).toBe(true);
      await adapter.sender.close();
      expect(adapter.sender.connected).toBe(false);
      expect(() => adapter.sender.publish('mailbox', 1)).not.toThrow();
    });
  });
}
