import { AsyncLocalStorage } from 'node:async_hooks';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitFor } from '@family-watch/testing/waiting/wait-for';
import type { PubSub } from '../../src/pub-sub.js';
import { RecordingLogger } from '../support/recording-logger.js';

/** Two processes' pub/sub; the second may be the same object where there is only one process. */
export interface PubSubAdapter {
  sender: PubSub;
  receiver: PubSub;
  /** Resolves once subscriptions made before are known to the broker. */
  settle(): Promise<void>;
  dispose(): Promise<void>;
}

/** What every adapter of the pub/sub port must do. */
export function describePubSub(openAdapter: (logger: RecordingLogger) => Promise<PubSubAdapter>): void {
  let adapter: PubSubAdapter;
  let logger: RecordingLogger;

  beforeEach(async () => {
    logger = new RecordingLogger();
    adapter = await openAdapter(logger);
  });
  afterEach(() => adapter.dispose());

  describe('pub/sub', () => {
    test('reach every subscription of their subject, in order, and no other', async () => {
      const heard: [string, unknown][] = [];
      adapter.receiver.subscribe('mailbox.user:1', (data) => heard.push(['first', data]));
      adapter.receiver.subscribe('mailbox.user:1', (data) => heard.push(['second', data]));
      adapter.receiver.subscribe('mailbox.user:2', (data) => heard.push(['other', data]));
      await adapter.settle();
      adapter.sender.publish('mailbox.user:1', { through: 7 });
      adapter.sender.publish('mailbox.user:1', null);
      await waitFor(() => expect(heard).toHaveLength(4));
      expect(heard).toEqual([
        ['first', { through: 7 }],
        ['second', { through: 7 }],
        ['first', null],
        ['second', null],
      ]);
    });

    test('stop with their subscription, and only with the last one of the subject', async () => {
      const heard: string[] = [];
      const first = adapter.receiver.subscribe('mailbox', () => heard.push('first'));
      const second = adapter.receiver.subscribe('mailbox', () => heard.push('second'));
      first.close();
      await adapter.settle();
      adapter.sender.publish('mailbox', 1);
      await waitFor(() => expect(heard).toEqual(['second']));
      second.close();
      await adapter.settle();
      adapter.sender.publish('mailbox', 2);
      await sleep(100);
      expect(heard).toEqual(['second']);
    });

    test('go on after a listener fails', async () => {
      const heard: unknown[] = [];
      adapter.receiver.subscribe('mailbox', () => {
        throw new Error('broken listener');
      });
      adapter.receiver.subscribe('mailbox', (data) => heard.push(data));
      await adapter.settle();
      adapter.sender.publish('mailbox', 1);
      adapter.sender.publish('mailbox', 2);
      await waitFor(() => expect(heard).toEqual([1, 2]));
      expect(logger.lines.map((line) => line.level)).toEqual(['error', 'error']);
    });

    test('are heard in the context of the subscription, not of the publisher', async () => {
      const context = new AsyncLocalStorage<string>();
      const heard: (string | undefined)[] = [];
      adapter.receiver.subscribe('mailbox', () => heard.push(context.getStore()));
      await adapter.settle();
      context.run('unit of work', () => adapter.sender.publish('mailbox', 1));
      await waitFor(() => expect(heard).toEqual([undefined]));
    });

    test.each(['', 'a.*', 'a.>', 'a..b', 'a b', '.a', 'a.'])('refuse the subject %p', (subject) => {
      expect(() => adapter.sender.publish(subject, 1)).toThrow('Not a subject');
      expect(() => adapter.receiver.subscribe(subject, () => undefined)).toThrow('Not a subject');
    });

    test('are not connected after the close', async () => {
      expect(adapter.sender.connected).toBe(true);
      await adapter.sender.close();
      expect(adapter.sender.connected).toBe(false);
      expect(() => adapter.sender.publish('mailbox', 1)).not.toThrow();
    });
  });
}
