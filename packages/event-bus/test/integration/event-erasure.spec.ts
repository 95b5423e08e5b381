import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { ErasureSubjects } from '@family-watch/domain/kernel/contracts/account-erasure';
import { eraseEvents } from '../../src/event-erasure.js';
import { deployment, useDeployment } from '../support/deployment.js';
import { openInProcessAdapter } from '../support/in-process-adapter.js';

const ERASED_AT = 1_790_000_000_000;
const DID = 71;

describe('eraseEvents', () => {
  useDeployment(openInProcessAdapter);
  let subjects: ErasureSubjects;

  beforeEach(() => {
    subjects = { userId: randomUUID(), familyIds: [randomUUID()], cids: [randomUUID()], dids: [DID] };
  });

  const query = <Row>(sql: string, parameters: unknown[] = []) =>
    deployment.publisherScope.executor.query<Row>(sql, parameters);
  const table = (name: string) => `${deployment.publisherScope.schema}.${name}`;
  const insertEvent = (payload: object, time: number, isPublished = true) =>
    query(
      `INSERT INTO ${table('outbox')} (id, partition, key, name, time, payload, confirmed_at)
       VALUES (gen_random_uuid(), 1, 'key', 'app.thing.happened', $1, $2, CASE WHEN $3 THEN now() END)`,
      [time, JSON.stringify(payload), isPublished],
    );
  const insertRow = (name: 'parked' | 'dead_letter', payload: object, time: number) => {
    const id = randomUUID();
    const event = JSON.stringify({ id, name: 'app.thing.happened', key: 'key', time, payload });
    const column = name === 'parked' ? 'next_attempt_at' : 'parked_at';
    return query(
      `INSERT INTO ${table(name)} (handler, event_id, key, event, attempts, ${column}) VALUES ('h', $1, 'key', $2, 1, now())`,
      [id, event],
    );
  };
  const payloadsOf = async (name: string, column: string) =>
    (await query<{ value: object }>(`SELECT ${column} AS value FROM ${table(name)}`)).map(({ value }) => value);
  const erase = () => deployment.publisherScope.run(() => eraseEvents(deployment.publisherScope, subjects, ERASED_AT));

  test('keeps events that name a watch since the erasure, because another family may have bound it', async () => {
    const [cid = ''] = subjects.cids;
    const others = { familyId: randomUUID(), did: DID };
    await insertEvent({ did: DID, battery: 9 }, ERASED_AT);
    await insertEvent({ did: DID, battery: 8 }, ERASED_AT + 1);
    await insertEvent({ cid, n: 1 }, ERASED_AT + 1);
    await insertEvent(others, ERASED_AT + 1);
    await insertRow('dead_letter', { did: DID }, ERASED_AT);
    await insertRow('dead_letter', others, ERASED_AT + 1);
    expect(await erase()).toEqual({ deleted: 3, isPending: false });
    expect(await payloadsOf('outbox', 'payload')).toHaveLength(2);
    expect(await payloadsOf('dead_letter', 'event')).toEqual([expect.objectContaining({ payload: others })]);
  });

  test('does not wait for events of the watch since the erasure, but for those of the erased family', async () => {
    const [familyId = ''] = subjects.familyIds;
    await insertEvent({ did: DID }, ERASED_AT + 1, false);
    await insertRow('parked', { did: DID }, ERASED_AT + 1);
    expect(await erase()).toMatchObject({ isPending: false });
    await insertRow('parked', { familyId }, ERASED_AT + 1);
    expect(await erase()).toMatchObject({ isPending: true });
  });
});
