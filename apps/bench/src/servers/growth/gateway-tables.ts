import type { BenchDatabase } from '../bench-database.js';
import { GrownFamilies } from './grown-families.js';

const MESSAGES_PER_FAMILY = 10;
const CENTER_MESSAGES_PER_USER = 20;
const MESSAGE_INTERVAL_MS = 3_600_000;

/** Rows of the gateway. Each family has an owner, a child with a watch, and the conversation of both. */
export class GatewayTables {
  private readonly families: GrownFamilies;

  constructor(private readonly database: BenchDatabase) {
    this.families = new GrownFamilies(database);
  }

  /** Inserts messages of the message centre for users. */
  async insertCenterMessages(userIds: readonly string[]): Promise<void> {
    await this.database.query(
      `INSERT INTO gateway.center_message (user_id, message_id, category, severity, type, params, audience, time)
       SELECT user_id, gen_random_uuid(), 'BATTERY', 'WARNING', 'BATTERY_LOW', '{"battery":15}', 'MEMBERS', $2::bigint - k
       FROM unnest($1::text[]) AS user_id CROSS JOIN generate_series(1, ${CENTER_MESSAGES_PER_USER}) AS k`,
      [userIds, Date.now()],
    );
  }

  async grow(count: number): Promise<void> {
    await this.families.grow(count, async () => {
      await this.insertFamilies();
      await this.insertChat();
      await this.database.query(
        `INSERT INTO gateway.center_message
           (user_id, message_id, category, severity, type, params, family_id, cid, did, audience, time)
         SELECT user_id::text, gen_random_uuid(), 'BATTERY', 'WARNING', 'BATTERY_LOW', '{"battery":15}',
                family_id::text, cid::text, did, 'MEMBERS', $1::bigint - k * ${MESSAGE_INTERVAL_MS}
         FROM generate_series(1, 5) AS k CROSS JOIN grown`,
        [Date.now()],
      );
    });
  }

  private async insertFamilies(): Promise<void> {
    const now = Date.now();
    await this.database.query(
      `INSERT INTO gateway.family (family_id, version, snapshot, changed_at)
       SELECT family_id::text, 1, snapshot::json, $1::bigint FROM grown`,
      [now],
    );
    await this.database.query(
      `INSERT INTO gateway.family_principal (family_id, principal)
       SELECT family_id::text, principal
       FROM grown CROSS JOIN LATERAL (VALUES ('user:' || user_id), ('watch:' || did)) AS member (principal)`,
    );
    await this.database.query(
      `INSERT INTO gateway.center_family (family_id, version, members)
       SELECT family_id::text, 1, ARRAY[user_id::text] FROM grown`,
    );
  }

  /** Inserts the messages in the order of their times, as families send them: conversations alternate. */
  private async insertChat(): Promise<void> {
    await this.database.query(
      `INSERT INTO gateway.conversation (conversation_id, type, head)
       SELECT conversation_id, 'DIRECT', ${MESSAGES_PER_FAMILY} FROM grown`,
    );
    await this.database.query(
      `INSERT INTO gateway.conversation_member (conversation_id, member, family_id, cid, did, active)
       SELECT conversation_id, 'user:' || user_id, family_id::text, NULL, NULL, true FROM grown
       UNION ALL
       SELECT conversation_id, 'child:' || cid, family_id::text, cid::text, did, true FROM grown`,
    );
    const now = Date.now();
    await this.database.query(
      `INSERT INTO gateway.chat_message
         (conversation_id, conversation_seq, id, member, sender_type, sender_id, kind, time, payload)
       SELECT conversation_id, k, gen_random_uuid(), 'user:' || user_id, 'user', user_id::text, 'ChatTextMessage',
              $1::bigint - (${MESSAGES_PER_FAMILY} - k) * ${MESSAGE_INTERVAL_MS},
              json_build_object('clientMsgId', gen_random_uuid(), 'conversationId', conversation_id,
                                'text', repeat('x', 100))
       FROM grown CROSS JOIN generate_series(1, ${MESSAGES_PER_FAMILY}) AS k
       ORDER BY k`,
      [now],
    );
    await this.database.query(
      `INSERT INTO gateway.mailbox_chat_entry (principal, seq, conversation_id, conversation_seq, time)
       SELECT 'watch:' || did, k, conversation_id, k,
              $1::bigint - (${MESSAGES_PER_FAMILY} - k) * ${MESSAGE_INTERVAL_MS}
       FROM grown CROSS JOIN generate_series(1, ${MESSAGES_PER_FAMILY}) AS k
       ORDER BY k`,
      [now],
    );
    await this.database.query(
      `INSERT INTO gateway.mailbox_head (principal, head) SELECT 'watch:' || did, ${MESSAGES_PER_FAMILY} FROM grown`,
    );
  }
}
