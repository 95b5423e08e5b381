import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { Pool } from 'pg';
import { MailboxRepository } from '@family-watch/gateway/contexts/mailbox/mailbox.repository';
import { gatewayDatabase } from '@family-watch/gateway/database/gateway-database';
import { MailboxChatEntries1790000001170 } from '@family-watch/gateway/database/1170-mailbox-chat-entries.migration';
import { GatewayUnitOfWork } from '@family-watch/gateway/infrastructure/gateway-infrastructure';
import { openAppDatabase } from '@family-watch/platform/database/app-database';
import type { AppDatabase } from '@family-watch/platform/database/app-database';
import { migrateAppDatabase } from '@family-watch/platform/database/migrate';
import { createTestDatabase } from '@family-watch/testing/database/test-database';
import type { TestDatabase } from '@family-watch/testing/database/test-database';

/*
 * The previous build continues to store and read messages while the migration runs and after it. The suite needs a
 * database of its own, because it migrates it.
 */

const MAX_STOP_MS = 2_000;
const CONVERSATION_ID = randomUUID();
const PRINCIPAL = 'user:recipient';

/** The statement with which the previous build stored a message in a mailbox. */
const PREVIOUS_INSERT = {
  name: 'store',
  text: `INSERT INTO gateway.mailbox_message (
      principal, seq, id, kind, time, expires_at, sender_type, sender_id,
      did, cid, family_id, audience, replace_key, payload, except_session
    )
    VALUES ($1, $2, $3, 'ChatTextMessage', $4, NULL, 'user', 'sender', 7, 'c', 'f', 'CHAT', NULL, $5, NULL)`,
};
/** The statement with which the previous build read a mailbox. */
const PREVIOUS_READ = {
  name: 'read',
  text: `SELECT seq, id, kind, time, sender_type, sender_id, did, cid, family_id, audience, payload
    FROM gateway.mailbox_message AS stored
    WHERE principal = $1 AND (expires_at IS NULL OR expires_at > 1) ORDER BY seq`,
};

let database: TestDatabase;
let app: AppDatabase;
let previousBuild: Pool;
let mailboxes: MailboxRepository;
let unitOfWork: GatewayUnitOfWork;

const { migrations, ...declaration } = gatewayDatabase;
const migrationsBefore = migrations.slice(0, migrations.indexOf(MailboxChatEntries1790000001170));

beforeAll(async () => {
  database = await createTestDatabase({ template: [{ ...declaration, migrations: migrationsBefore }] });
  app = await openAppDatabase({ ...declaration, url: database.url, limits: { poolSize: 4 } });
  previousBuild = new Pool({ connectionString: database.url, max: 4 });
  unitOfWork = new GatewayUnitOfWork(app.dataSource, 'gateway');
  mailboxes = new MailboxRepository(unitOfWork);
  await previousBuild.query(
    `INSERT INTO gateway.conversation (conversation_id, type, head) VALUES ($1, 'DIRECT', 1000)`,
    [CONVERSATION_ID],
  );
  await previousBuild.query(
    `INSERT INTO gateway.conversation_member (conversation_id, member, family_id, cid, did, active)
     VALUES ($1, 'user:recipient', 'f', NULL, NULL, true), ($1, 'child:c', 'f', 'c', 7, true)`,
    [CONVERSATION_ID],
  );
});

afterAll(async () => {
  await previousBuild.end();
  await app.close();
  await database.drop();
});

const storeAsPreviousBuild = (seq: number) =>
  previousBuild.query({ ...PREVIOUS_INSERT, values: [PRINCIPAL, seq, randomUUID(), seq, { seq }] });

/** The columns that the tests use; the driver returns `bigint` as a string. */
interface PreviousRow {
  seq: string;
  id: string;
}

const readAsPreviousBuild = async () =>
  (await previousBuild.query<PreviousRow>({ ...PREVIOUS_READ, values: [PRINCIPAL] })).rows;

const readMailbox = async () =>
  (await mailboxes.readRanges([{ principal: PRINCIPAL, after: 0, through: 1_000_000 }], 1, 100_000))[0] ?? [];

/** Stores messages in the history, and entries that refer to them, as the present build does. */
async function storeAsPresentBuild(seq: number): Promise<void> {
  const [id, payload] = [randomUUID(), { seq }];
  await previousBuild.query(
    `INSERT INTO gateway.chat_message
       (conversation_id, conversation_seq, id, member, sender_type, sender_id, kind, time, payload)
     VALUES ($1, $2, $3, 'child:c', 'watch', '7', 'ChatTextMessage', $2, $4)`,
    [CONVERSATION_ID, seq, id, payload],
  );
  await previousBuild.query('UPDATE gateway.mailbox_head SET head = $2 WHERE principal = $1', [PRINCIPAL, seq - 1]);
  const entry = {
    recipient: PRINCIPAL,
    id,
    kind: 'ChatTextMessage',
    time: seq,
    expiresAt: null,
    from: { type: 'watch', id: '7' },
    did: 7,
    cid: 'c',
    familyId: 'f',
    audience: 'CHAT',
    replaceKey: null,
    payload,
    chat: { conversationId: CONVERSATION_ID, conversationSeq: seq, payloadBytes: 1 },
    isNew: true,
  } as const;
  await unitOfWork.run(() => mailboxes.store([entry]));
}

test('messages are stored and read without a stop of more than two seconds', async () => {
  let [seq, isMigrated, longestMs, migrationMs] = [0, false, 0, 0];
  const load = async (): Promise<void> => {
    while (!isMigrated || seq < 200) {
      const started = performance.now();
      await storeAsPreviousBuild((seq += 1));
      longestMs = Math.max(longestMs, performance.now() - started);
      await setImmediate();
    }
  };
  const migrate = async (): Promise<void> => {
    const started = performance.now();
    await migrateAppDatabase({ ...declaration, migrations, url: database.url, migrationUrl: database.migrationUrl });
    migrationMs = performance.now() - started;
    isMigrated = true;
  };
  await Promise.all([load(), load(), migrate()]);
  // On a slow machine, a stop for the whole migration still takes longer than half of it.
  expect(longestMs).toBeLessThan(Math.max(MAX_STOP_MS, migrationMs / 2));
  const seqs = Array.from({ length: seq }, (_, index) => index + 1);
  expect((await readMailbox()).map(({ envelope }) => envelope.seq)).toEqual(seqs);
  expect((await readAsPreviousBuild()).map((row) => Number(row.seq))).toEqual(seqs);
});

test('both builds read the messages of the other build', async () => {
  const first = (await readMailbox()).length + 1;
  await previousBuild.query('INSERT INTO gateway.mailbox_head (principal) VALUES ($1)', [PRINCIPAL]);
  await storeAsPresentBuild(first);
  await storeAsPreviousBuild(first + 1);
  await storeAsPresentBuild(first + 2);
  const present = (await readMailbox()).slice(-3);
  const previous = (await readAsPreviousBuild()).slice(-3);
  expect(previous).toEqual(
    present.map(({ envelope: { seq, id, kind, time, from, did, cid, payload }, subject }) => ({
      seq: String(seq),
      id,
      kind,
      time: String(time),
      sender_type: from.type,
      sender_id: from.id,
      did: String(did),
      cid,
      family_id: subject.familyId,
      audience: subject.audience,
      payload,
    })),
  );
  expect(present.map(({ envelope }) => envelope.seq)).toEqual([first, first + 1, first + 2]);
});

test('the previous build withdraws and deletes messages of both builds', async () => {
  const before = (await readMailbox()).length;
  const withdrawn = (await readAsPreviousBuild()).at(-2);
  await previousBuild.query(
    `UPDATE gateway.mailbox_message SET expires_at = 0, payload = '{}' WHERE principal = $1 AND id = $2`,
    [PRINCIPAL, withdrawn?.id],
  );
  expect(await readMailbox()).toHaveLength(before - 1);
  const { rowCount } = await previousBuild.query('DELETE FROM gateway.mailbox_message WHERE principal = $1', [
    PRINCIPAL,
  ]);
  expect(rowCount).toBe(before);
  expect(await readMailbox()).toEqual([]);
});

test('messages keep their content when the migration is reverted', async () => {
  await storeAsPreviousBuild(1);
  await storeAsPresentBuild(10_000);
  const before = await readAsPreviousBuild();
  expect(before).toHaveLength(2);
  const migrationApp = await openAppDatabase({ ...declaration, url: database.migrationUrl, limits: { poolSize: 1 } });
  const migrationRunner = migrationApp.dataSource.createQueryRunner();
  try {
    await new MailboxChatEntries1790000001170().down(migrationRunner);
    expect(await readAsPreviousBuild()).toEqual(before);
  } finally {
    await migrationRunner.release();
    await migrationApp.close();
  }
});
