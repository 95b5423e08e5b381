import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { SessionCursorEntity } from '@family-watch/domain/messages/entities/mailbox.entities';
import { SYSTEM_SENDER } from '@family-watch/domain/messages/contracts/message-kinds';
import { openAppDatabase, type AppDatabase } from '@family-watch/platform/database/app-database';
import { GENEROUS_LIMITS } from '@family-watch/testing/database/generous-limits';
import { createTestDatabase, type TestDatabase } from '@family-watch/testing/database/test-database';
import { InProcessPubSub } from '@family-watch/event-bus/in-process-pub-sub';
import { toMailboxEntries, type MailboxEntry } from '../../src/mailbox/mailbox-entry.js';
import { MailboxRepository } from '../../src/mailbox/mailbox.repository.js';
import { MailboxService } from '../../src/mailbox/mailbox.service.js';
import { SessionCursorRepository } from '../../src/mailbox/session-cursor.repository.js';
import { MailboxNotifier } from '../../src/mailbox/mailbox-notifier.js';
import { gatewayMigrations } from '../../src/database/gateway-migrations.js';
import { Environment } from '@family-watch/platform/config/environment';
import { GatewayOutbox, GatewayUnitOfWork } from '../../src/infrastructure/gateway-infrastructure.js';
import { silentLogger } from '../support/silent-logger.js';

const NO_UPPER_BOUND = Number.MAX_SAFE_INTEGER;

let testDatabase: TestDatabase;
let database: AppDatabase;
let unitOfWork: GatewayUnitOfWork;
let mailboxes: MailboxRepository;

beforeAll(async () => {
  testDatabase = await createTestDatabase({
    template: [{ name: 'gateway', schema: 'gateway', migrations: gatewayMigrations }],
  });
  const { url } = testDatabase;
  const limits = { ...GENEROUS_LIMITS, poolSize: 40 };
  database = await openAppDatabase({
    name: 'gateway',
    schema: 'gateway',
    url,
    entities: [SessionCursorEntity],
    limits,
  });
  unitOfWork = new GatewayUnitOfWork(database.dataSource, 'gateway');
  mailboxes = new MailboxRepository(unitOfWork);
});

afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

function randomPrincipal(): PrincipalKey {
  return `user:${randomUUID()}`;
}

function createEntries(
  recipients: readonly PrincipalKey[],
  source: string = randomUUID(),
  time = 1_000,
): MailboxEntry[] {
  const subject = { familyId: null, cid: null, audience: 'MEMBERS' } as const;
  const kind = 'ContactsChangeNoticeMessage';
  return toMailboxEntries(recipients, {
    ...subject,
    source,
    kind,
    time,
    from: SYSTEM_SENDER,
    did: 7,
    payload: { source },
  });
}

function storeEntries(batch: readonly MailboxEntry[]) {
  return unitOfWork.run(() => mailboxes.store(batch));
}

async function readMailbox(recipient: PrincipalKey, after = 0, through = NO_UPPER_BOUND) {
  const [range] = await mailboxes.readRanges([{ principal: recipient, after, through }], Date.now(), 10_000);
  return (range ?? []).map(({ envelope }) => envelope);
}

const seqsUpTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

class RecordingMailboxRepository extends MailboxRepository {
  readonly failures: unknown[] = [];

  override async store(batch: readonly MailboxEntry[]) {
    try {
      return await super.store(batch);
    } catch (error) {
      this.failures.push(error);
      throw error;
    }
  }
}

/** Creates a mailbox service as a node does. */
function createService(repository = mailboxes, environment = new Environment()): MailboxService {
  const outbox = new GatewayOutbox(unitOfWork, { onCommitted: () => undefined });
  const notifier = new MailboxNotifier(new InProcessPubSub(silentLogger));
  const sessions = new SessionCursorRepository(unitOfWork);
  return new MailboxService(unitOfWork, outbox, repository, sessions, notifier, environment);
}

describe('sequence numbers', () => {
  test('have no gaps and no duplicates with 32 concurrent writers', async () => {
    const recipient = randomPrincipal();
    const messagesPerWriter = 25;
    await Promise.all(
      seqsUpTo(32).map(async () => {
        for (let round = 0; round < messagesPerWriter; round += 1) await storeEntries(createEntries([recipient]));
      }),
    );
    const seqs = (await readMailbox(recipient)).map(({ seq }) => seq);
    expect(seqs).toEqual(seqsUpTo(32 * messagesPerWriter));
    expect(await mailboxes.findHeads([recipient])).toEqual([{ principal: recipient, head: 32 * messagesPerWriter }]);
  });

  test('are assigned per recipient and in order within one batch', async () => {
    const [first, second] = [randomPrincipal(), randomPrincipal()];
    const sources = seqsUpTo(50).map(String);
    const heads = await storeEntries(sources.flatMap((source) => createEntries([first, second], source)));
    expect(heads).toHaveLength(2);
    for (const recipient of [first, second]) {
      const messages = await readMailbox(recipient);
      expect(messages.map(({ seq }) => seq)).toEqual(seqsUpTo(50));
      expect(messages.map(({ payload }) => (payload as { source: string }).source)).toEqual(sources);
    }
  });

  test('are assigned without deadlocks by transactions with overlapping recipients', async () => {
    const recipients = seqsUpTo(12).map(randomPrincipal);
    const recording = new RecordingMailboxRepository(unitOfWork);
    const service = createService(recording);
    await Promise.all(
      seqsUpTo(40).map(async (round) => {
        const shuffled = recipients.toSorted(() => Math.random() - 0.5);
        if (round % 2 === 0) return service.deliver({ entries: createEntries(shuffled) });
        return unitOfWork.run(async () => {
          // Handlers of one envelope enqueue one after the other, in the order of its events.
          for (const recipient of shuffled) service.enqueue(createEntries([recipient]));
        });
      }),
    );
    // A unit of work retries after a deadlock, so the test also checks that no call failed.
    expect(recording.failures).toEqual([]);
    for (const recipient of recipients) {
      expect((await readMailbox(recipient)).map(({ seq }) => seq)).toEqual(seqsUpTo(40));
    }
  });

  test('are not assigned when the transaction fails', async () => {
    const recipient = randomPrincipal();
    const service = createService();
    const failing = unitOfWork.run(async () => {
      service.enqueue(createEntries([recipient]));
      throw new Error('the handler failed');
    });
    await expect(failing).rejects.toThrow('the handler failed');
    expect(await readMailbox(recipient)).toEqual([]);
  });
});

describe('duplicates', () => {
  test('are ignored when a message of the same source is stored again', async () => {
    const [first, second] = [randomPrincipal(), randomPrincipal()];
    const original = createEntries([first], 'event-1');
    await storeEntries(original);
    expect(await storeEntries([...original, ...createEntries([first, second], 'event-1'), ...original])).toMatchObject([
      { principal: second, after: 0, head: 1 },
    ]);
    expect(await readMailbox(first)).toHaveLength(1);
    expect(await readMailbox(second)).toHaveLength(1);
  });

  test('are ignored when 32 transactions store a message of the same source concurrently', async () => {
    const recipient = randomPrincipal();
    await Promise.all(seqsUpTo(32).map(() => storeEntries(createEntries([recipient], 'concurrent'))));
    expect((await readMailbox(recipient)).map(({ seq }) => seq)).toEqual([1]);
  });

  test('are detected per recipient, because a message has the same id for all of its recipients', async () => {
    const recipients = [randomPrincipal(), randomPrincipal()];
    await storeEntries(createEntries(recipients, 'shared'));
    const ids = await Promise.all(recipients.map(async (recipient) => (await readMailbox(recipient))[0]?.id));
    expect(ids[0]).toBe(ids[1]);
  });
});

describe('MailboxRepository.store', () => {
  test('returns the same messages as reading the mailbox', async () => {
    const recipient = randomPrincipal();
    await storeEntries(createEntries([recipient]));
    const [plain] = createEntries([recipient]) as [MailboxEntry];
    const subject = { did: null, cid: 'c1', familyId: 'f1', audience: 'CHAT' } as const;
    const withSubject = { ...plain, ...subject, id: randomUUID(), payload: { text: '你好, "😀"' } };
    const [append] = await storeEntries([plain, withSubject, plain]);
    const [range] = await mailboxes.readRanges([{ principal: recipient, after: 1, through: 3 }], Date.now(), 10);
    expect(append).toMatchObject({ principal: recipient, after: 1, head: 3 });
    // JSON has no `undefined`, so the messages returned by `store` must not contain `undefined`.
    expect(append?.messages).toStrictEqual(range);
  });
});

describe('messages that exclude a session', () => {
  test('are stored only for principals that have another session', async () => {
    const [oneSessionPrincipal, twoSessionPrincipal] = [randomPrincipal(), randomPrincipal()];
    const sessions = new SessionCursorRepository(unitOfWork);
    const opened = (principal: PrincipalKey, number: number) => ({
      session: `${principal}-${number}`,
      principal,
      from: 0,
      reset: false,
    });
    await sessions.open(
      [opened(oneSessionPrincipal, 1), opened(twoSessionPrincipal, 1), opened(twoSessionPrincipal, 2)],
      0,
    );
    const entriesForOtherSessions = (to: PrincipalKey) =>
      createEntries([to]).map((entry) => ({ ...entry, exceptSession: `${to}-1` }));
    await storeEntries([
      ...entriesForOtherSessions(oneSessionPrincipal),
      ...entriesForOtherSessions(twoSessionPrincipal),
    ]);
    expect(await readMailbox(oneSessionPrincipal)).toHaveLength(0);
    expect(await readMailbox(twoSessionPrincipal)).toHaveLength(1);
  });
});

describe('withdrawn messages', () => {
  test('keep their sequence numbers, lose their content, and are not delivered', async () => {
    const [first, second] = [randomPrincipal(), randomPrincipal()];
    await storeEntries([...createEntries([first, second], 'withdrawn'), ...createEntries([first, second], 'stays')]);
    const [withdrawn] = await readMailbox(first);
    await unitOfWork.run(() => mailboxes.withdraw([first], [withdrawn?.id ?? '']));
    expect((await readMailbox(first)).map(({ seq }) => seq)).toEqual([2]);
    expect((await readMailbox(second)).map(({ seq }) => seq)).toEqual([1, 2]);
    const [row] = await unitOfWork.executor.query<{ payload: object }>(
      'SELECT payload FROM gateway.mailbox_entry WHERE principal = $1 AND seq = 1',
      [first],
    );
    expect(row?.payload).toEqual({});
  });
});

describe('MailboxRepository.readRanges', () => {
  test('omits expired messages and messages that a newer version has replaced', async () => {
    const recipient = randomPrincipal();
    const [plain] = createEntries([recipient]) as [MailboxEntry];
    const expired = { ...plain, id: randomUUID(), expiresAt: Date.now() - 1 };
    const valid = { ...plain, id: randomUUID(), expiresAt: Date.now() + 60_000 };
    const version = () => ({ ...plain, id: randomUUID(), replaceKey: 'alarm-clocks:c1' });
    await storeEntries([expired, version(), valid, version()]);
    expect((await readMailbox(recipient)).map(({ seq }) => seq)).toEqual([3, 4]);
  });

  test('reads many ranges, each with its own bounds and the limit', async () => {
    const [first, second] = [randomPrincipal(), randomPrincipal()];
    for (let round = 0; round < 5; round += 1) await storeEntries(createEntries([first, second]));
    const ranges = await mailboxes.readRanges(
      [
        { principal: second, after: 0, through: 5 },
        { principal: first, after: 3, through: 4 },
        { principal: randomPrincipal(), after: 0, through: 5 },
      ],
      Date.now(),
      3,
    );
    expect(ranges.map((range) => range.map(({ envelope }) => envelope.seq))).toEqual([[1, 2, 3], [4], []]);
  });
});

describe('retention', () => {
  test('deletes messages by age, records the highest deleted sequence number, and never reuses a number', async () => {
    const recipient = randomPrincipal();
    await storeEntries(createEntries([recipient], 'old-1', 10));
    await storeEntries(createEntries([recipient], 'old-2', 20));
    await storeEntries(createEntries([recipient], 'new', 30));
    expect(await mailboxes.findPrincipalsWithMessagesBefore(30, 10)).toContain(recipient);
    await unitOfWork.run(() => mailboxes.prune([recipient], 30));
    expect((await readMailbox(recipient)).map(({ seq }) => seq)).toEqual([3]);
    const [row] = await unitOfWork.executor.query<{ head: number; pruned: number }>(
      'SELECT head, pruned FROM gateway.mailbox_head WHERE principal = $1',
      [recipient],
    );
    expect(row).toEqual({ head: 3, pruned: 2 });
    await storeEntries(createEntries([recipient], 'newer', 40));
    expect((await readMailbox(recipient)).map(({ seq }) => seq)).toEqual([3, 4]);
  });

  test('does not count a retained message as deleted if a message with an earlier time follows it', async () => {
    const recipient = randomPrincipal();
    for (const [source, time] of Object.entries({ old: 10, retained: 40, replayed: 20, newest: 50 })) {
      await storeEntries(createEntries([recipient], source, time));
    }
    await unitOfWork.run(() => mailboxes.prune([recipient], 30));
    expect((await readMailbox(recipient)).map(({ seq }) => seq)).toEqual([2, 4]);
    // A session that has acknowledged the first message still receives the second.
    const heads = await unitOfWork.executor.query(
      'SELECT head, pruned FROM gateway.mailbox_head WHERE principal = $1',
      [recipient],
    );
    expect(heads).toEqual([{ head: 4, pruned: 1 }]);
  });

  test('deletes the content of voice messages after RETENTION_VOICE_DAYS, and keeps other messages longer', async () => {
    const recipient = randomPrincipal();
    const now = Date.now();
    const store = async (kind: MailboxEntry['kind'], daysAgo: number) => {
      const entries = createEntries([recipient], randomUUID(), now - daysAgo * 86_400_000);
      await storeEntries(entries.map((entry) => ({ ...entry, kind })));
    };
    await store('ChatVoiceMessage', 8);
    await store('ChatTextMessage', 8);
    await store('ChatVoiceMessage', 6);
    const service = createService(mailboxes, Object.assign(new Environment(), { RETENTION_VOICE_DAYS: 7 }));
    await service.deleteExpired(now);
    const rows = await unitOfWork.executor.query<{ seq: number; is_empty: boolean }>(
      `SELECT seq, payload::text = '{}' AS is_empty FROM gateway.mailbox_entry WHERE principal = $1 ORDER BY seq`,
      [recipient],
    );
    expect(rows.map(({ is_empty }) => is_empty)).toEqual([true, false, false]);
    expect((await readMailbox(recipient)).map(({ seq }) => seq)).toEqual([2, 3]);
  });
});

describe('the cursor of a session', () => {
  test('is advanced without writing an index, except once a minute', async () => {
    const sessions = new SessionCursorRepository(unitOfWork);
    const key = { session: randomUUID(), principal: randomPrincipal() };
    await sessions.open([{ ...key, from: 0, reset: false }], 0);
    /** Number of updates that wrote the indexes. */
    const indexUpdates = async () => {
      const [row] = await unitOfWork.executor.query<{ count: number }>(
        `SELECT (n_tup_upd - n_tup_hot_upd)::int AS count
         FROM pg_stat_xact_user_tables WHERE relid = 'gateway.session_cursor'::regclass`,
      );
      return row?.count ?? 0;
    };
    const advanceAt = (times: readonly number[]) =>
      unitOfWork.run(async () => {
        const before = await indexUpdates();
        for (const time of times) await sessions.advance([{ ...key, seq: time }], time);
        return (await indexUpdates()) - before;
      });
    expect(await advanceAt([1_000, 30_000, 59_999])).toBe(0);
    expect(await advanceAt([60_000, 90_000, 120_000])).toBe(2);
    expect(await sessions.findMailboxes([key])).toMatchObject([{ acknowledged: 120_000 }]);
  });
});
