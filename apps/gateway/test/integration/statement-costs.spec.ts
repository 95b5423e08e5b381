import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Client } from 'pg';
import { FIND_CONVERSATIONS } from '@family-watch/gateway/conversations/chat/chat-history.repository';
import { READ_RANGES } from '@family-watch/gateway/mailbox/mailbox.sql';
import { COUNT_UNREAD } from '@family-watch/gateway/notifications/message-center/center-message.repository';
import { gatewayDatabase } from '@family-watch/gateway/database/gateway-database';
import { createTestDatabase, type TestDatabase } from '@family-watch/testing/database/test-database';

/*
 * The pages that a statement reads must not grow with what a family has stored (docs/decisions/06-database.md).
 * The planner chooses the wrong plan for one long conversation only beside thousands of short ones, so the suite needs a
 * database of its own.
 */

const FAMILIES = 3_000;
const SHORT_CONVERSATION = 10;
const LONG_CONVERSATION = 2_000;
const READ_MESSAGES = 100;
/** Executions after which Postgres may use a generic plan for a prepared statement. */
const EXECUTIONS = 7;

let database: TestDatabase;
let client: Client;

beforeAll(async () => {
  database = await createTestDatabase({ template: [gatewayDatabase] });
  client = new Client({ connectionString: database.adminUrl });
  await client.connect();
  await client.query(`
    CREATE TEMPORARY TABLE family AS
    SELECT n, 'watch:' || n AS watch, 'user:' || n AS parent, gen_random_uuid() AS conversation_id,
      CASE n WHEN 1 THEN ${LONG_CONVERSATION} ELSE ${SHORT_CONVERSATION} END AS messages
    FROM generate_series(1, ${FAMILIES}) AS n`);
  for (const statement of [
    `INSERT INTO gateway.conversation (conversation_id, type, head)
     SELECT conversation_id, 'DIRECT', messages FROM family`,
    `INSERT INTO gateway.conversation_member (conversation_id, member, family_id, cid, did, active)
     SELECT conversation_id, parent, n, NULL, NULL, true FROM family
     UNION ALL SELECT conversation_id, 'child:' || n, n, n, n, true FROM family`,
    `INSERT INTO gateway.chat_message
       (conversation_id, conversation_seq, id, member, sender_type, sender_id, kind, time, payload)
     SELECT conversation_id, seq, gen_random_uuid(), 'child:' || n, 'watch', n, 'ChatTextMessage', seq, '{"text":"x"}'
     FROM family CROSS JOIN generate_series(1, messages) AS seq ORDER BY seq`,
    `INSERT INTO gateway.mailbox_chat_entry (principal, seq, conversation_id, conversation_seq, time)
     SELECT parent, seq, conversation_id, seq, seq FROM family CROSS JOIN generate_series(1, messages) AS seq ORDER BY seq`,
    `INSERT INTO gateway.center_message (user_id, message_id, category, severity, type, params, audience, time)
     SELECT n, gen_random_uuid(), 'BATTERY', 'WARNING', 'BATTERY_LOW', '{}', 'MEMBERS', seq
     FROM family CROSS JOIN generate_series(1, messages) AS seq ORDER BY seq`,
    'VACUUM ANALYZE',
  ])
    await client.query(statement);
});

afterAll(async () => {
  await client.end();
  await database.drop();
});

interface PlanRow {
  'QUERY PLAN': [{ Plan: { 'Actual Rows': number; 'Shared Hit Blocks': number; 'Shared Read Blocks': number } }];
}

/** Executes a statement as a prepared one. @returns the number of its rows and of the pages that it read */
async function measure(name: string, sql: string, parameters: string): Promise<{ rows: number; pages: number }> {
  await client.query(`PREPARE ${name} AS ${sql}`);
  let plan: PlanRow['QUERY PLAN'][0]['Plan'] | undefined;
  for (let execution = 0; execution < EXECUTIONS; execution++) {
    const { rows } = await client.query<PlanRow>(
      `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) EXECUTE ${name} (${parameters})`,
    );
    plan = rows[0]?.['QUERY PLAN'][0].Plan;
  }
  if (!plan) throw new Error('EXPLAIN returned no plan');
  return { rows: plan['Actual Rows'], pages: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'] };
}

test('a missed message of a long conversation is read by its key', async () => {
  const after = LONG_CONVERSATION - READ_MESSAGES;
  const ranges = `'{1}', '{user:1}', '{${after}}', '{${LONG_CONVERSATION}}', 1, ${READ_MESSAGES}`;
  const { rows, pages } = await measure('read_ranges', READ_RANGES.sql, ranges);
  expect(rows).toBe(READ_MESSAGES);
  expect(pages / rows).toBeLessThan(30);
});

test('the list of conversations reads a limited number of unread messages', async () => {
  const parameters = `'user:1', '00000000-0000-0000-0000-000000000000', 100`;
  const { rows, pages } = await measure('find_conversations', FIND_CONVERSATIONS.sql, parameters);
  expect(rows).toBe(1);
  expect(pages).toBeLessThan(40);
});

test('a center message counts a limited number of unread messages', async () => {
  const { rows, pages } = await measure('count_unread', COUNT_UNREAD, `'{1}', 100`);
  expect(rows).toBe(1);
  expect(pages).toBeLessThan(30);
});
