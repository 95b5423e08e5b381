import { Injectable } from '@nestjs/common';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { Audience } from '@family-watch/domain/messages/contracts/message-center';
import type { Sender, MessageKind } from '@family-watch/domain/messages/contracts/message-kinds';
import { textArray, uuidArray } from '@family-watch/platform/database/binary-array';
import { GatewayUnitOfWork } from '../../infrastructure/gateway-infrastructure.js';
import type { MailboxEntry, MailboxAppend, StoredMessage } from './mailbox-entry.js';
import { MailboxSequencer, STORE_ENTRIES } from './mailbox-sequencer.js';

/** The highest sequence number of a mailbox. */
export interface MailboxHead {
  principal: PrincipalKey;
  head: number;
}

export interface RangeRequest {
  principal: PrincipalKey;
  after: number;
  through: number;
}

interface MessageRow {
  request: number;
  seq: number;
  id: string;
  kind: MessageKind;
  time: number;
  sender_type: Sender['type'];
  sender_id: string;
  did: number | null;
  cid: string | null;
  family_id: string | null;
  audience: Audience;
  payload: object;
  except_session: string | null;
  expires_at: number | null;
  bytes: number;
}

const MAX_CACHED_HEADS = 100_000;

/**
 * Stores the numbered messages of each principal, in plain SQL instead of ORM entities. Only the transaction that has
 * locked the head of a mailbox may add messages to the mailbox.
 */
@Injectable()
export class MailboxRepository {
  /** Cache of principals whose head rows exist. */
  private readonly principalsWithHead = new Set<PrincipalKey>();

  constructor(private readonly unitOfWork: GatewayUnitOfWork) {}

  /**
   * Numbers and stores entries in the current transaction; entries that the recipient already has are skipped. Locks
   * the recipients' heads in the order of their principals, so it must be called only once per transaction, as the last
   * step.
   */
  async store(entries: readonly MailboxEntry[]): Promise<MailboxAppend[]> {
    if (entries.length === 0) return [];
    const sequencer = new MailboxSequencer(await this.lockHeads(entries.map(({ recipient }) => recipient)));
    const storedKeys = await this.findStored(entries.filter(({ isNew }) => !isNew));
    const withOtherSessions = await this.findWithOtherSessions(entries);
    const seen = new Set<string>();
    for (const entry of entries) {
      const { recipient, id, isNew, exceptSession } = entry;
      if (exceptSession !== undefined && !withOtherSessions.has(recipient)) continue;
      const key = isNew ? undefined : `${recipient} ${id}`;
      if (key !== undefined && (storedKeys.has(key) || seen.has(key))) continue;
      if (key !== undefined) seen.add(key);
      sequencer.add(entry);
    }
    const appends = sequencer.appends();
    if (appends.length > 0) await this.unitOfWork.prepared.query(STORE_ENTRIES, sequencer.toColumnArrays(appends));
    return appends;
  }

  /**
   * Withdraws undelivered messages in the current transaction: they keep their sequence numbers, but are no longer
   * delivered. `ids` are UUIDs.
   */
  async withdraw(recipients: readonly PrincipalKey[], ids: readonly string[]): Promise<void> {
    await this.unitOfWork.executor.query(
      `UPDATE gateway.mailbox_message SET expires_at = 0, payload = '{}'
       WHERE principal = ANY($1::text[]) AND id = ANY($2::uuid[])`,
      [recipients, ids],
    );
  }

  /**
   * Locks these mailboxes against new messages until the end of the current transaction, ordered by principal, and
   * returns their heads. Missing heads are inserted first: a transaction that has locked one head and then waits for the
   * insertion of another head could deadlock.
   */
  async lockHeads(principals: readonly PrincipalKey[]): Promise<Map<PrincipalKey, number>> {
    const keys = [...new Set(principals)];
    if (!keys.every((key) => this.principalsWithHead.has(key))) await this.insertMissingHeads(keys);
    const locked = await this.unitOfWork.prepared.query<MailboxHead>(LOCK_HEADS, [textArray(keys)]);
    if (locked.length < keys.length) {
      // Head rows were deleted after they were cached: a retry of the request inserts the rows again.
      this.principalsWithHead.clear();
      throw new Error(`${keys.length - locked.length} mailbox heads are missing`);
    }
    return new Map(locked.map(({ principal, head }) => [principal, head]));
  }

  /**
   * Returns the deliverable messages of several ranges, at most `limit` of each, in the order of the requests. Expired
   * messages, and messages that a newer one has replaced, are omitted.
   */
  async readRanges(requests: readonly RangeRequest[], now: number, limit: number): Promise<StoredMessage[][]> {
    const rows = await this.unitOfWork.prepared.query<MessageRow>(READ_RANGES, [
      requests.map((_, index) => index),
      requests.map(({ principal }) => principal),
      requests.map(({ after }) => after),
      requests.map(({ through }) => through),
      now,
      limit,
    ]);
    const ranges: StoredMessage[][] = requests.map(() => []);
    for (const row of rows) ranges[row.request]?.push(toStoredMessage(row));
    return ranges;
  }

  /** Returns the heads of the mailboxes; a mailbox that never received a message is omitted. */
  findHeads(principals: readonly PrincipalKey[]): Promise<MailboxHead[]> {
    return this.unitOfWork.executor.query<MailboxHead>(
      'SELECT principal, head FROM gateway.mailbox_head WHERE principal = ANY($1::text[])',
      [principals],
    );
  }

  /** Returns the message with this id, a UUID, from this principal's mailbox. */
  async findMessage(principal: PrincipalKey, id: string): Promise<StoredMessage | undefined> {
    const [row] = await this.unitOfWork.executor.query<MessageRow>(
      `SELECT ${MESSAGE_COLUMNS} FROM gateway.mailbox_message WHERE principal = $1 AND id = $2::uuid`,
      [principal, id],
    );
    return row && toStoredMessage(row);
  }

  /** Returns principals that have messages older than `before` (Unix milliseconds). */
  async findPrincipalsWithMessagesBefore(before: number, limit: number): Promise<PrincipalKey[]> {
    const rows = await this.unitOfWork.executor.query<{ principal: PrincipalKey }>(
      `SELECT DISTINCT principal
       FROM (SELECT principal FROM gateway.mailbox_message WHERE time < $1 LIMIT $2) AS old`,
      [before, limit],
    );
    return rows.map(({ principal }) => principal);
  }

  /** Deletes messages older than `before` and records the highest deleted number, in the current transaction. */
  async prune(principals: readonly PrincipalKey[], before: number): Promise<void> {
    await this.lockHeads(principals);
    await this.unitOfWork.executor.query(PRUNE, [principals, before]);
  }

  private async insertMissingHeads(keys: readonly PrincipalKey[]): Promise<void> {
    await this.unitOfWork.prepared.query(INSERT_MISSING_HEADS, [textArray(keys)]);
    this.unitOfWork.afterCommit(() => {
      if (this.principalsWithHead.size > MAX_CACHED_HEADS) this.principalsWithHead.clear();
      for (const key of keys) this.principalsWithHead.add(key);
    });
  }

  /** Returns the entries that are already stored, as `<recipient> <id>`. */
  private async findStored(entries: readonly MailboxEntry[]): Promise<Set<string>> {
    if (entries.length === 0) return new Set();
    const stored = await this.unitOfWork.prepared.query<{ principal: PrincipalKey; id: string }>(FIND_STORED, [
      textArray(entries.map(({ recipient }) => recipient)),
      uuidArray(entries.map(({ id }) => id)),
    ]);
    return new Set(stored.map(({ principal, id }) => `${principal} ${id}`));
  }

  /** Returns the recipients that have a session other than the session that their entry excludes. */
  private async findWithOtherSessions(entries: readonly MailboxEntry[]): Promise<Set<PrincipalKey>> {
    const excludedSessions = new Map(
      entries.flatMap(({ recipient, exceptSession }) => (exceptSession ? [[recipient, exceptSession]] : [])),
    );
    if (excludedSessions.size === 0) return new Set();
    const found = await this.unitOfWork.prepared.query<{ principal: PrincipalKey }>(FIND_WITH_OTHER_SESSIONS, [
      textArray([...excludedSessions.keys()]),
      textArray([...excludedSessions.values()]),
    ]);
    return new Set(found.map(({ principal }) => principal));
  }
}

function toStoredMessage(row: MessageRow): StoredMessage {
  const { seq, id, kind, time, did, cid, payload } = row;
  return {
    envelope: {
      id,
      kind,
      seq,
      time,
      from: { type: row.sender_type, id: row.sender_id },
      ...(did === null ? {} : { did }),
      ...(cid === null ? {} : { cid }),
      payload,
    },
    subject: { familyId: row.family_id, cid, audience: row.audience },
    exceptSession: row.except_session,
    expiresAt: row.expires_at,
    bytes: row.bytes,
  };
}

const INSERT_MISSING_HEADS = `
  INSERT INTO gateway.mailbox_head (principal)
  SELECT key FROM unnest($1::text[]) AS key
  WHERE NOT EXISTS (SELECT FROM gateway.mailbox_head WHERE principal = key)
  ORDER BY key
  ON CONFLICT DO NOTHING`;

const LOCK_HEADS = `
  SELECT principal, head FROM gateway.mailbox_head
  WHERE principal = ANY($1::text[]) ORDER BY principal FOR UPDATE`;

const MESSAGE_COLUMNS = `
  seq, id, kind, time, sender_type, sender_id, did, cid, family_id, audience, payload, except_session,
  expires_at, octet_length(payload::text) AS bytes`;

const FIND_STORED = `
  SELECT stored.principal, stored.id
  FROM unnest($1::text[], $2::uuid[]) AS requested (principal, id)
  JOIN gateway.mailbox_message AS stored ON stored.principal = requested.principal AND stored.id = requested.id`;

const FIND_WITH_OTHER_SESSIONS = `
  SELECT left_out.principal FROM unnest($1::text[], $2::text[]) AS left_out (principal, session)
  WHERE EXISTS (
    SELECT FROM gateway.session_cursor AS cursor
    WHERE cursor.principal = left_out.principal AND cursor.session <> left_out.session
  )`;

const READ_RANGES = `
  SELECT range.request, message.*
  FROM unnest($1::int[], $2::text[], $3::bigint[], $4::bigint[]) AS range (request, principal, after, through)
  CROSS JOIN LATERAL (
    SELECT ${MESSAGE_COLUMNS}
    FROM gateway.mailbox_message AS stored
    WHERE stored.principal = range.principal AND stored.seq > range.after AND stored.seq <= range.through
      AND (stored.expires_at IS NULL OR stored.expires_at > $5::bigint)
      AND (stored.replace_key IS NULL OR NOT EXISTS (
        SELECT FROM gateway.mailbox_message AS newer
        WHERE newer.principal = stored.principal AND newer.replace_key = stored.replace_key AND newer.seq > stored.seq
      ))
    ORDER BY stored.seq
    LIMIT $6::int
  ) AS message
  ORDER BY range.request, message.seq`;

const PRUNE = `
  WITH deleted AS (
    DELETE FROM gateway.mailbox_message WHERE principal = ANY($1::text[]) AND time < $2::bigint
    RETURNING principal, seq
  )
  UPDATE gateway.mailbox_head AS mailbox SET pruned = greatest(mailbox.pruned, least(last.seq, retained.seq - 1))
  FROM (SELECT principal, max(seq) AS seq FROM deleted GROUP BY principal) AS last
  LEFT JOIN LATERAL (
    -- Ages do not follow sequence numbers: an event replayed from the dead letters long after is stored last.
    SELECT seq FROM gateway.mailbox_message AS stored
    WHERE stored.principal = last.principal AND stored.time >= $2::bigint
    ORDER BY seq LIMIT 1
  ) AS retained ON true
  WHERE mailbox.principal = last.principal`;
