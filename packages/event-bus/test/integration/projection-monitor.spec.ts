import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type {
  Snapshot,
  SnapshotSource,
  UnpublishedSnapshot,
} from '@family-watch/domain/kernel/contracts/snapshot-source';
import { waitFor } from '@family-watch/testing/waiting/wait-for';
import { createEnvelope } from '../../src/envelope.js';
import { EventConsumer } from '../../src/event-consumer.js';
import type { EventHandler } from '../../src/event-map.js';
import { InProcessEventBus } from '../../src/in-process-event-bus.js';
import { ProjectionMonitor } from '../../src/projection-monitor.js';
import { MAX_UNPROCESSED_EVENTS } from '../../src/unprocessed-event.repository.js';
import { PgTransactionScope } from '../support/pg-transaction-scope.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { TestDatabase } from '../support/test-database.js';

const EVENT_NAME = 'userctx.family.changed';

interface Family {
  familyId: string;
  version: number;
}
interface FamilyEvents {
  'userctx.family.changed': Family;
}

/** A snapshot source with the families of userctx. */
class Families implements SnapshotSource {
  readonly versions = new Map<string, number>();
  unpublished: UnpublishedSnapshot[] = [];
  isAvailable = true;

  async listVersions(event: string, after: string | null) {
    this.assertAvailable();
    const all = event === EVENT_NAME ? [...this.versions].map(([id, version]) => ({ id, version })) : [];
    return all.filter(({ id }) => after === null || id > after).sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  async find(_event: string, ids: readonly string[]): Promise<Snapshot[]> {
    this.assertAvailable();
    return ids.flatMap((id) => {
      const version = this.versions.get(id);
      return version === undefined ? [] : [{ id, version, key: id, payload: { familyId: id, version } }];
    });
  }

  async listUnpublishedSnapshots() {
    this.assertAvailable();
    return this.unpublished;
  }

  private assertAvailable(): void {
    if (!this.isAvailable) throw new Error('userctx is unavailable');
  }
}

describe('ProjectionMonitor', () => {
  let database: TestDatabase;
  let scope: PgTransactionScope;
  let bus: InProcessEventBus;
  let consumer: EventConsumer<FamilyEvents>;
  let monitor: ProjectionMonitor;
  let source: Families;
  let logger: RecordingLogger;
  let stored: Map<string, number>;
  let rejected: Set<string>;

  beforeAll(async () => {
    database = await TestDatabase.create();
  });
  beforeEach(async () => {
    scope = new PgTransactionScope(database.url, await database.createSchema('gateway'));
    bus = new InProcessEventBus({ consumers: ['gateway'] });
    logger = new RecordingLogger();
    source = new Families();
    stored = new Map();
    rejected = new Set();
    // After two attempts an event is a dead letter.
    const retryPolicy = { maxAttempts: 2, baseDelayMs: 20, maxDelayMs: 20 };
    consumer = new EventConsumer<FamilyEvents>({
      app: 'gateway',
      scope,
      bus,
      logger,
      retryPolicy,
      retryPollIntervalMs: 20,
    });
    const handler: EventHandler<FamilyEvents> = {
      name: 'families',
      event: EVENT_NAME,
      projection: { name: 'families', findVersions: async () => stored },
      handle: async ({ payload: { familyId, version } }) => {
        if (rejected.has(familyId)) throw new Error('The family cannot be stored');
        if ((stored.get(familyId) ?? -1) < version) stored.set(familyId, version);
      },
    };
    consumer.register(handler);
    monitor = new ProjectionMonitor({ scope, logger, consumer, source, pollMs: 20, comparisonMs: 50 });
    await consumer.start();
    await monitor.start();
  });
  afterEach(async () => {
    await monitor.stop();
    await consumer.stop();
    await scope.close();
  });
  afterAll(() => database.drop());

  /** Publishes the next version of a family to the app under test. */
  async function publishChange(familyId: string): Promise<void> {
    const version = (source.versions.get(familyId) ?? 0) + 1;
    source.versions.set(familyId, version);
    const event = { id: randomUUID(), name: EVENT_NAME, key: familyId, time: 0, payload: { familyId, version } };
    await bus.publish(createEnvelope('userctx', 0, [event]));
  }

  const countRows = async (table: string) => {
    const rows = await scope.executor.query(`SELECT FROM ${scope.schema}.${table}`);
    return rows.length;
  };
  const messages = () => logger.lines.map(({ message }) => message);

  test('isKnown returns false while an event of the family is a dead letter, and true after the repair', async () => {
    const [failing, other] = [randomUUID(), randomUUID()];
    source.isAvailable = false;
    rejected.add(failing);
    await publishChange(failing);
    await publishChange(other);
    await waitFor(async () => expect(await countRows('dead_letter')).toBe(1));
    await waitFor(() => expect(monitor.isKnown('families', failing)).toBe(false));
    expect(monitor.isKnown('families', other)).toBe(true);
    expect(monitor.findSourceState(EVENT_NAME, failing)).toBeUndefined();
    expect(monitor.status.unknown).toEqual({ families: 1 });
    rejected.clear();
    source.isAvailable = true;
    await waitFor(() => expect(monitor.isKnown('families', failing)).toBe(true));
    expect(stored.get(failing)).toBe(1);
    expect(await countRows('dead_letter')).toBe(0);
    await waitFor(() =>
      expect(messages()).toEqual(expect.arrayContaining(['Projection repaired', 'Projection is known again'])),
    );
  });

  test('findSourceState returns the state from the source while the projection cannot be repaired', async () => {
    const familyId = randomUUID();
    rejected.add(familyId);
    await publishChange(familyId);
    await waitFor(() => expect(monitor.findSourceState(EVENT_NAME, familyId)).toEqual({ familyId, version: 1 }));
    expect(monitor.isKnown('families', familyId)).toBe(false);
    const failures = () => messages().filter((message) => message === 'Projection could not be repaired');
    await waitFor(() => expect(failures()).toHaveLength(1));
  });

  test('the monitor applies a change that the source has committed but could not publish', async () => {
    const familyId = randomUUID();
    await publishChange(familyId);
    source.versions.set(familyId, 2);
    source.unpublished = [{ event: EVENT_NAME, id: familyId }];
    await waitFor(() => expect(stored.get(familyId)).toBe(2));
  });

  test('a comparison finds objects that are missing and objects with an older version', async () => {
    const [missing, outdated, current] = [randomUUID(), randomUUID(), randomUUID()];
    await publishChange(outdated);
    await publishChange(current);
    await waitFor(() => expect(stored.size).toBe(2));
    source.versions.set(missing, 7).set(outdated, 8);
    await waitFor(() => expect([stored.get(missing), stored.get(outdated)]).toEqual([7, 8]));
    expect(stored.get(current)).toBe(1);
    await waitFor(() => expect(messages()).toContain('Projection differed from its source and was repaired'));
    await waitFor(() => expect(monitor.status.comparedAt).not.toBeNull());
  });

  test('isKnown returns false while a state that differs from the projection cannot be stored', async () => {
    const familyId = randomUUID();
    rejected.add(familyId);
    source.versions.set(familyId, 7);
    await waitFor(() => expect(monitor.isKnown('families', familyId)).toBe(false));
    await waitFor(() => expect(monitor.findSourceState(EVENT_NAME, familyId)).toEqual({ familyId, version: 7 }));
    rejected.clear();
    await waitFor(() => expect(monitor.isKnown('families', familyId)).toBe(true));
    expect(stored.get(familyId)).toBe(7);
  });

  test('isKnown still returns false after the dead letter was deleted if the projection has not been repaired', async () => {
    const familyId = randomUUID();
    rejected.add(familyId);
    await publishChange(familyId);
    await waitFor(() => expect(messages()).toContain('Projection could not be repaired'));
    await scope.executor.query(`DELETE FROM ${scope.schema}.dead_letter`);
    await scope.executor.query(`DELETE FROM ${scope.schema}.parked`);
    const comparedAt = monitor.status.comparedAt ?? 0;
    await waitFor(() => expect(monitor.status.comparedAt).toBeGreaterThan(comparedAt));
    expect(monitor.isKnown('families', familyId)).toBe(false);
  });

  test('isKnown returns false for every family while there are more unprocessed events than one query returns', async () => {
    await scope.executor.query(
      `INSERT INTO ${scope.schema}.dead_letter (handler, event_id, key, event, attempts, parked_at)
       SELECT 'families', gen_random_uuid(), 'key-' || n, json_build_object('name', 'other'), 1, now()
       FROM generate_series(1, ${MAX_UNPROCESSED_EVENTS}) AS n`,
    );
    await waitFor(() => expect(monitor.isKnown('families', randomUUID())).toBe(false));
    expect(monitor.hasUnknown).toBe(true);
  });

  test('isKnown returns false immediately after a restart if an event was unprocessed before the restart', async () => {
    const familyId = randomUUID();
    source.isAvailable = false;
    rejected.add(familyId);
    await publishChange(familyId);
    const restarted = new ProjectionMonitor({ scope, logger, consumer, source });
    await restarted.start();
    expect(restarted.isKnown('families', familyId)).toBe(false);
    await restarted.stop();
  });
});
