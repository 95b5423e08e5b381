import { randomUUID } from 'node:crypto';
import { jetstream } from '@nats-io/jetstream';
import { connectTestNats } from '@family-watch/testing/service/nats';
import { waitFor } from '@family-watch/testing/waiting/wait-for';
import { describe, expect, test } from '@jest/globals';
import { UNKNOWN_HANDLER } from '../../src/dead-letters.js';
import { createEnvelope } from '../../src/envelope.js';
import { partitionOf } from '../../src/partition.js';
import { deployment, recordingHandler, type TestEvent, useDeployment } from '../support/deployment.js';
import { openJetStreamAdapter } from '../support/jetstream-adapter.js';

const KEY = 'family';
const PARTITION = partitionOf(KEY);

/** Declares the tests with messages that no outbox relay has sent, on the subject of a partition. */
export function describeMalformedMessages(): void {
  describe('malformed messages', () => {
    let prefix: string;
    useDeployment(async () => {
      const adapter = await openJetStreamAdapter();
      prefix = adapter.prefix;
      return adapter;
    });

    const step = (n: number, change: object = {}) => {
      const event: TestEvent = {
        id: randomUUID(),
        name: 'userctx.step.taken',
        key: KEY,
        time: 0,
        payload: { step: n },
      };
      return { ...event, ...change } as TestEvent;
    };

    async function publishRaw(...messages: (string | Uint8Array)[]): Promise<void> {
      const connection = await connectTestNats();
      for (const message of messages)
        await jetstream(connection).publish(`${prefix}.events.userctx.${PARTITION}`, message);
      await connection.close();
    }

    const envelopeOf = (...events: TestEvent[]) => JSON.stringify(createEnvelope('userctx', PARTITION, events));

    test('are stored as raw dead letters, and the partition continues', async () => {
      await deployment.startConsumer((record) => [recordingHandler(record)]);
      const bytes = Uint8Array.from([0xff, 0x00, 0x7b]);
      const malformed = step(2, { id: 'not-a-uuid' });
      await publishRaw(envelopeOf(step(1), malformed, step(3)), bytes, envelopeOf(step(4)));
      await waitFor(async () => expect(await deployment.listHandledSteps(KEY)).toEqual([1, 3, 4]));
      const deadLetters = await deployment.deadLetters.list({ limit: 10 });
      expect(deadLetters.map(({ handler, event, raw }) => ({ handler, event, raw: Buffer.from(raw ?? []) }))).toEqual([
        { handler: UNKNOWN_HANDLER, event: null, raw: Buffer.from(JSON.stringify(malformed)) },
        { handler: UNKNOWN_HANDLER, event: null, raw: Buffer.from(bytes) },
      ]);
      expect(deployment.logger.lines).toContainEqual(
        expect.objectContaining({ level: 'error', message: 'Malformed event stored as dead letter' }),
      );
    });
  });
}
