import { eventBusSchemaSql } from '@family-watch/event-bus/event-bus-schema';
import type { ContractingMigration } from '@family-watch/platform/database/schema-compatibility';
import { accountErasureSchemaSql } from '@family-watch/platform/app/erasure/account-erasure-schema';
import { idempotencySchemaSql } from '@family-watch/platform/http/idempotency/idempotency-schema';
import type { QueryRunner } from 'typeorm';

/** The schema of the gateway at release 1.0.0, in the order of its rooms. Times are Unix milliseconds. */
export class Baseline1790000000001 implements ContractingMigration {
  /** Builds before 1.0.0 store rows under other names, and would handle events again. */
  readonly appsMustKnow = Baseline1790000000001;

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('No schema precedes the baseline'));
  }
}

const STATEMENTS = [
  ...eventBusSchemaSql('gateway'),
  idempotencySchemaSql('gateway'),
  ...accountErasureSchemaSql('gateway'),

  // Projections
  `CREATE TABLE gateway.family (
    family_id text NOT NULL,
    version bigint NOT NULL,
    snapshot json NOT NULL,
    changed_at bigint NOT NULL,
    PRIMARY KEY (family_id)
  )`,
  `CREATE INDEX family_changed ON gateway.family (changed_at)`,
  `CREATE TABLE gateway.family_principal (
    family_id text NOT NULL,
    principal text NOT NULL,
    PRIMARY KEY (family_id, principal),
    CONSTRAINT family_principal_family_fkey FOREIGN KEY (family_id) REFERENCES gateway.family
  )`,
  `CREATE INDEX family_principal_principal ON gateway.family_principal (principal)`,
  `CREATE TABLE gateway.child_rules (
    cid text NOT NULL,
    version integer NOT NULL,
    rules json NOT NULL,
    changed_at bigint NOT NULL,
    PRIMARY KEY (cid)
  )`,
  `CREATE INDEX child_rules_changed ON gateway.child_rules (changed_at)`,
  `CREATE TABLE gateway.child_position (
    cid text NOT NULL,
    family_id text NOT NULL,
    did bigint NOT NULL,
    message_id uuid NOT NULL,
    time bigint NOT NULL,
    location json NOT NULL,
    PRIMARY KEY (cid)
  ) WITH (fillfactor = 70)`,
  `CREATE INDEX child_position_family ON gateway.child_position (family_id)`,
  `CREATE TABLE gateway.cloud_content (
    content_id text NOT NULL,
    family_id text NOT NULL,
    PRIMARY KEY (content_id)
  )`,
  `CREATE INDEX cloud_content_family ON gateway.cloud_content (family_id)`,

  // Presence
  // beat_at uses the database's clock, because nodes are compared with each other. Other times use the nodes' clocks.
  `CREATE TABLE gateway.node (
    node_id uuid NOT NULL,
    beat_at bigint NOT NULL,
    listening_since bigint NOT NULL,
    PRIMARY KEY (node_id)
  ) WITH (fillfactor = 50)`,
  `CREATE TABLE gateway.connection (
    connection_id text NOT NULL,
    principal text NOT NULL,
    session text NOT NULL,
    node_id uuid NOT NULL,
    opened_at bigint NOT NULL,
    PRIMARY KEY (connection_id)
  )`,
  `CREATE INDEX connection_principal ON gateway.connection (principal)`,
  `CREATE INDEX connection_node ON gateway.connection (node_id)`,
  // A heartbeat updates heard_at but not due_at, which is indexed, so PostgreSQL can update the row in its page (HOT).
  `CREATE TABLE gateway.watch_presence (
    principal text NOT NULL,
    online boolean NOT NULL,
    settled boolean NOT NULL,
    heard_at bigint NOT NULL,
    ended_at bigint,
    shut_down_at bigint,
    due_at bigint,
    PRIMARY KEY (principal)
  ) WITH (fillfactor = 70)`,
  `CREATE INDEX watch_presence_due ON gateway.watch_presence (due_at) WHERE due_at IS NOT NULL`,
  `CREATE TABLE gateway.watch_battery (
    did bigint NOT NULL,
    told smallint NOT NULL,
    PRIMARY KEY (did)
  )`,

  // Mailbox
  // One row per principal, updated with every message: the fill factor leaves space for in-page (HOT) updates.
  `CREATE TABLE gateway.mailbox_head (
    principal text COLLATE "C" NOT NULL,
    head bigint NOT NULL DEFAULT 0,
    pruned bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (principal),
    CONSTRAINT mailbox_head_pruned_check CHECK ((pruned >= 0) AND (pruned <= head))
  ) WITH (fillfactor = 70)`,
  // Both keys of the table start with the principal, so that the table can be hash-partitioned by principal.
  `CREATE TABLE gateway.mailbox_entry (
    principal text COLLATE "C" NOT NULL,
    seq bigint NOT NULL,
    id uuid NOT NULL,
    kind text NOT NULL,
    time bigint NOT NULL,
    expires_at bigint,
    sender_type text NOT NULL,
    sender_id text NOT NULL,
    did bigint,
    cid text,
    family_id text,
    audience text NOT NULL,
    replace_key text,
    payload json NOT NULL,
    except_session text,
    PRIMARY KEY (principal, seq),
    CONSTRAINT mailbox_entry_id_key UNIQUE (principal, id)
  )`,
  `CREATE INDEX mailbox_entry_signal ON gateway.mailbox_entry (expires_at)
    WHERE kind IN ('VideoCallInNoticeMessage', 'VideoCallOutNoticeMessage') AND ((payload -> 'signal') IS NOT NULL)`,
  `CREATE INDEX mailbox_entry_replace ON gateway.mailbox_entry (principal, replace_key, seq)
    WHERE replace_key IS NOT NULL`,
  `CREATE INDEX mailbox_entry_time ON gateway.mailbox_entry USING brin (time)`,
  `CREATE INDEX mailbox_entry_voice ON gateway.mailbox_entry (time)
    WHERE kind = 'ChatVoiceMessage' AND expires_at IS DISTINCT FROM 0`,
  `CREATE TABLE gateway.mailbox_chat_entry (
    principal text COLLATE "C" NOT NULL,
    seq bigint NOT NULL,
    conversation_id uuid NOT NULL,
    conversation_seq bigint NOT NULL,
    time bigint NOT NULL,
    except_session text,
    PRIMARY KEY (principal, seq)
  )`,
  `CREATE INDEX mailbox_chat_entry_time ON gateway.mailbox_chat_entry USING brin (time)`,
  `CREATE TABLE gateway.session_cursor (
    session text NOT NULL,
    principal text COLLATE "C" NOT NULL,
    acknowledged bigint NOT NULL,
    seen_at bigint NOT NULL,
    PRIMARY KEY (session)
  ) WITH (fillfactor = 70)`,
  `CREATE INDEX session_cursor_seen ON gateway.session_cursor (seen_at)`,
  `CREATE INDEX session_cursor_principal ON gateway.session_cursor (principal, session)`,
  // A table of one row: the epoch, which is when numbering started. It must be reset after a backup is restored,
  // because sequence numbers may then be reused.
  `CREATE TABLE gateway.epoch (
    singleton boolean NOT NULL DEFAULT true,
    epoch bigint NOT NULL,
    restored_at bigint,
    PRIMARY KEY (singleton),
    CONSTRAINT epoch_singleton_check CHECK (singleton)
  )`,
  'INSERT INTO gateway.epoch (epoch) VALUES ((extract(epoch FROM clock_timestamp()) * 1000)::bigint)',

  // Conversations
  // Updated with every batch of messages: rows are short, and the fill factor leaves space for in-page (HOT) updates.
  `CREATE TABLE gateway.conversation (
    conversation_id uuid NOT NULL,
    type text NOT NULL,
    head bigint NOT NULL DEFAULT 0,
    revision bigint NOT NULL DEFAULT 0,
    closed boolean NOT NULL DEFAULT false,
    PRIMARY KEY (conversation_id)
  ) WITH (fillfactor = 70)`,
  `CREATE TABLE gateway.conversation_member (
    conversation_id uuid NOT NULL,
    member text NOT NULL,
    family_id text NOT NULL,
    cid text,
    did bigint,
    active boolean NOT NULL,
    joined_at_seq bigint NOT NULL DEFAULT 0,
    delivered_seq bigint NOT NULL DEFAULT 0,
    read_seq bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (conversation_id, member),
    CONSTRAINT conversation_member_conversation_fkey FOREIGN KEY (conversation_id) REFERENCES gateway.conversation
  ) WITH (fillfactor = 70)`,
  `CREATE INDEX conversation_member_member ON gateway.conversation_member (member)`,
  `CREATE INDEX conversation_member_family ON gateway.conversation_member (family_id)`,
  // Sources of conversations (families and friendships), with the newest version of each source that was applied.
  `CREATE TABLE gateway.conversation_source (
    source text NOT NULL,
    version bigint NOT NULL,
    PRIMARY KEY (source)
  )`,
  // The id is derived from the sender and the sender's message id: its key rejects duplicates.
  `CREATE TABLE gateway.chat_message (
    conversation_id uuid NOT NULL,
    conversation_seq bigint NOT NULL,
    id uuid NOT NULL,
    member text NOT NULL,
    sender_type text NOT NULL,
    sender_id text NOT NULL,
    kind text NOT NULL,
    time bigint NOT NULL,
    recalled_at bigint,
    payload json NOT NULL,
    PRIMARY KEY (conversation_id, conversation_seq),
    CONSTRAINT chat_message_id_key UNIQUE (id)
  )`,
  `CREATE INDEX chat_message_time ON gateway.chat_message USING brin (time)`,
  `CREATE INDEX chat_message_voice ON gateway.chat_message (time) WHERE kind = 'ChatVoiceMessage'`,
  // Mailbox sequence number up to which senders of chat messages have received delivery receipts of this principal.
  `CREATE TABLE gateway.receipt_cursor (
    principal text NOT NULL,
    delivered bigint NOT NULL,
    PRIMARY KEY (principal)
  ) WITH (fillfactor = 70)`,

  // Video calls
  `CREATE TABLE gateway.video_call (
    call_id uuid NOT NULL,
    family_id text NOT NULL,
    cid text NOT NULL,
    did bigint NOT NULL,
    user_id text NOT NULL,
    direction text NOT NULL,
    caller_session text NOT NULL,
    accepted_session text,
    provider text NOT NULL,
    state text NOT NULL,
    created_at bigint NOT NULL,
    accepted_at bigint,
    ended_at bigint,
    due_at bigint,
    checked_at bigint NOT NULL,
    absent_since bigint,
    revision integer NOT NULL,
    signals integer NOT NULL,
    media_end_due_at bigint,
    media_found_at bigint,
    PRIMARY KEY (call_id),
    CONSTRAINT video_call_due_check
      CHECK ((due_at IS NOT NULL) = (state IN ('RINGING', 'ACCEPTED')))
  ) WITH (fillfactor = 70)`,
  // A watch and a user can each have one live call: a second call conflicts with the existing row and becomes BUSY.
  `CREATE UNIQUE INDEX video_call_live_watch ON gateway.video_call (did) WHERE due_at IS NOT NULL`,
  `CREATE UNIQUE INDEX video_call_live_user ON gateway.video_call (user_id) WHERE due_at IS NOT NULL`,
  `CREATE INDEX video_call_due ON gateway.video_call (due_at) WHERE due_at IS NOT NULL`,
  `CREATE INDEX video_call_check ON gateway.video_call (checked_at) WHERE due_at IS NOT NULL`,
  `CREATE INDEX video_call_user ON gateway.video_call (user_id, created_at DESC, call_id DESC)`,
  `CREATE INDEX video_call_child ON gateway.video_call (family_id, cid, created_at DESC, call_id DESC)`,
  `CREATE INDEX video_call_age ON gateway.video_call (created_at)`,
  `CREATE INDEX video_call_media ON gateway.video_call (media_end_due_at) WHERE media_end_due_at IS NOT NULL`,

  // Message centre
  // The rows of this table are also locked while a user's messages and unread count change.
  `CREATE TABLE gateway.center_reader (
    user_id text NOT NULL,
    subscription jsonb,
    PRIMARY KEY (user_id)
  )`,
  `CREATE TABLE gateway.center_message (
    user_id text NOT NULL,
    message_id uuid NOT NULL,
    category text NOT NULL,
    severity text NOT NULL,
    type text NOT NULL,
    params json NOT NULL,
    family_id text,
    cid text,
    did bigint,
    audience text NOT NULL,
    time bigint NOT NULL,
    read boolean NOT NULL DEFAULT false,
    PRIMARY KEY (user_id, message_id)
  )`,
  `CREATE INDEX center_message_time ON gateway.center_message (user_id, time DESC, message_id DESC)`,
  `CREATE INDEX center_message_unread ON gateway.center_message (user_id) WHERE NOT read`,
  `CREATE INDEX center_message_family ON gateway.center_message (family_id, cid)`,
  `CREATE INDEX center_message_age ON gateway.center_message (time)`,
  `CREATE TABLE gateway.center_family (
    family_id text NOT NULL,
    version bigint NOT NULL,
    members text[] NOT NULL,
    PRIMARY KEY (family_id)
  )`,
  `CREATE TABLE gateway.alert (
    user_id text NOT NULL,
    message_id uuid NOT NULL,
    notice_id uuid NOT NULL,
    family_id text NOT NULL,
    cid text NOT NULL,
    category text NOT NULL,
    audience text NOT NULL,
    about text,
    time bigint NOT NULL,
    due_at bigint NOT NULL,
    pushed boolean NOT NULL DEFAULT false,
    PRIMARY KEY (user_id, message_id)
  )`,
  `CREATE INDEX alert_due ON gateway.alert (due_at)`,
  `CREATE INDEX alert_about ON gateway.alert (about)`,
  `CREATE INDEX alert_family ON gateway.alert (family_id)`,

  // Push
  `CREATE TABLE gateway.push_token (
    token_id uuid NOT NULL,
    user_id text NOT NULL,
    session_id text NOT NULL,
    service text NOT NULL,
    token text NOT NULL,
    digest bytea NOT NULL,
    keys json,
    created_at bigint NOT NULL,
    PRIMARY KEY (token_id),
    CONSTRAINT push_token_digest_key UNIQUE (digest),
    CONSTRAINT push_token_session_key UNIQUE (session_id, service)
  )`,
  `CREATE INDEX push_token_user ON gateway.push_token (user_id, created_at)`,
  // Updated repeatedly while a user is offline: the fill factor leaves space for in-page (HOT) updates.
  `CREATE TABLE gateway.push_request (
    user_id text NOT NULL,
    collapse_key text NOT NULL,
    head bigint NOT NULL,
    kind text NOT NULL,
    category text NOT NULL,
    urgent boolean NOT NULL,
    center_message_id uuid,
    subject json NOT NULL,
    due_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    claimed_until bigint NOT NULL DEFAULT 0,
    attempts smallint NOT NULL DEFAULT 0,
    delivered uuid[] NOT NULL DEFAULT '{}',
    PRIMARY KEY (user_id, collapse_key)
  ) WITH (fillfactor = 70)`,
  `CREATE INDEX push_request_due ON gateway.push_request (due_at)`,
  `CREATE INDEX push_request_urgent ON gateway.push_request (due_at) WHERE urgent`,
  `CREATE TABLE gateway.push_key (
    singleton boolean NOT NULL DEFAULT true,
    public_key text NOT NULL,
    sealed_private_key bytea NOT NULL,
    PRIMARY KEY (singleton),
    CONSTRAINT push_key_singleton_check CHECK (singleton)
  )`,
];
