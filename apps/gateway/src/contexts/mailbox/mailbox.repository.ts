import { Injectable } from '@nestjs/common';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { Sender } from '@family-watch/domain/messages/contracts/envelope';
import type { MessageKind } from '@family-watch/domain/messages/contracts/message-kinds';
import { bigintArray, textArray, uuidArray } from '@family-watch/platform/database/binary-array';
import { GatewayUnitOfWork } from '../../infrastructure/gateway.unit-of-work.js';
import type { Audience } from '../../protocol/delivery-access.js';
import { storedMessageOf } from './mailbox-entry.js';
import type { MailboxEntry, MailboxGrowth, StoredMessage } from './mailbox-entry.js';

const MAX_KNOWN_HEADS = 100_000;

/** How far a mailbox reaches. */
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

/** How far a mailbox reaches now, and the places of the entries that were numbered last, in order. */
interface GrowthRow extends MailboxHead {
  places: number[];
}

/** Numbered messages per principal. Plain SQL: this is the one place that goes past the ORM's entities. */
@Injectable()
export class MailboxRepository {
  /** Principals whose heads are known to be there; a cache. */
  private readonly made = new Set<PrincipalKey>();

  constructor(private readonly unitOfWork: GatewayUnitOfWork) {}

  /**
   * Numbers and stores entries in the open unit of work; those that the recipient has had already are left
   * out. Locks the recipients' heads in the order of their names, so it must be called once in a unit, and last.
   */
  async store(entries: readonly MailboxEntry[]): Promise<MailboxGrowth[]> {
    if (entries.length === 0) return [];
    await this.lockHeads(entries.map(({ recipient }) => recipient));
    const payloads = entries.map(({ payload }) => JSON.stringify(payload));
    const grown = await this.unitOfWork.prepared.query<GrowthRow>(STORE, [
      textArray(entries.map(({ recipient }) => recipient)),
      uuidArray(entries.map(({ id }) => id)),
      textArray(entries.map(({ kind }) => kind)),
      bigintArray(entries.map(({ time }) => time)),
      bigintArray(entries.map(({ expiresAt }) => expiresAt)),
      textArray(entries.map(({ from }) => from.type)),
      textArray(entries.map(({ from }) => from.id)),
      bigintArray(entries.map(({ did }) => did)),
      textArray(entries.map(({ cid }) => cid)),
      textArray(entries.map(({ familyId }) => familyId)),
      textArray(entries.map(({ audience }) => audience)),
      textArray(entries.map(({ replaceKey }) => replaceKey)),
      textArray(payloads),
      textArray(entries.map(({ exceptSession = null }) => exceptSession)),
    ]);
    return grown.map(({ principal, head, places }) => {
      const after = head - places.length;
      const messages = places.map((place, index) => {
        const entry = entries[place - 1] as MailboxEntry;
        return storedMessageOf(entry, after + index + 1, (payloads[place - 1] as string).length);
      });
      return { principal, after, head, messages };
    });
  }

  /**
   * Takes messages back that were not delivered yet, in the open unit of work: they keep their numbers and are not
   * delivered any more. `ids` are UUIDs.
   */
  async withdraw(recipients: readonly PrincipalKey[], ids: readonly string[]): Promise<void> {
    await this.unitOfWork.executor.query(
      `UPDATE gateway.mailbox_message SET expires_at = 0, payload = '{}'
       WHERE principal = ANY($1::text[]) AND id = ANY($2::uuid[])`,
      [recipients, ids],
    );
  }

  /** Nothing is added to this mailbox until the open unit of work has ended. */
  lockHead(principal: PrincipalKey): Promise<void> {
    return this.lockHeads([principal]);
  }

  /**
   * What may still be delivered of several ranges, at most `limit` messages of each, in the order of the requests.
   * Left out is what has expired and what a newer version has replaced.
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

  /** How far the mailboxes reach; one that never got a message is left out. */
  findHeads(principals: readonly PrincipalKey[]): Promise<MailboxHead[]> {
    return this.unitOfWork.executor.query<MailboxHead>(
      'SELECT principal, head FROM gateway.mailbox_head WHERE principal = ANY($1::text[])',
      [principals],
    );
  }

  /** The message with this id, a UUID, in this principal's mailbox. */
  async findMessage(principal: PrincipalKey, id: string): Promise<StoredMessage | undefined> {
    const [row] = await this.unitOfWork.executor.query<MessageRow>(
      `SELECT ${MESSAGE_COLUMNS} FROM gateway.mailbox_message WHERE principal = $1 AND id = $2::uuid`,
      [principal, id],
    );
    return row && toStoredMessage(row);
  }

  /** Principals that have messages older than `before` (Unix milliseconds). */
  async findWithOlderThan(before: number, limit: number): Promise<PrincipalKey[]> {
    const rows = await this.unitOfWork.executor.query<{ principal: PrincipalKey }>(
      `SELECT DISTINCT principal
       FROM (SELECT principal FROM gateway.mailbox_message WHERE time < $1 LIMIT $2) AS old`,
      [before, limit],
    );
    return rows.map(({ principal }) => principal);
  }

  /** Deletes messages older than `before` and remembers up to where, in the open unit of work. */
  async prune(principals: readonly PrincipalKey[], before: number): Promise<void> {
    await this.lockHeads(principals);
    await this.unitOfWork.executor.query(PRUNE, [principals, before]);
  }

  /**
   * Heads that are missing are made first: whoever held the lock of a head and then waited for another to be made
   * could wait for somebody who waits for that lock.
   */
  private async lockHeads(principals: readonly PrincipalKey[]): Promise<void> {
    const names = [...new Set(principals)];
    if (!names.every((name) => this.made.has(name))) await this.makeHeads(names);
    const locked = await this.unitOfWork.prepared.query(LOCK_HEADS, [names]);
    if (locked.length === names.length) return;
    // Deleted since: they are made when the request is repeated.
    this.made.clear();
    throw new Error(`${names.length - locked.length} heads of mailboxes are missing`);
  }

  private async makeHeads(names: readonly PrincipalKey[]): Promise<void> {
    await this.unitOfWork.prepared.query(MAKE_HEADS, [names]);
    this.unitOfWork.afterCommit(() => {
      if (this.made.size > MAX_KNOWN_HEADS) this.made.clear();
      for (const name of names) this.made.add(name);
    });
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

const MESSAGE_COLUMNS = `
  seq, id, kind, time, sender_type, sender_id, did, cid, family_id, audience, payload, except_session,
  expires_at, octet_length(payload::text) AS bytes`;

const MAKE_HEADS = `
  INSERT INTO gateway.mailbox_head (principal)
  SELECT name FROM unnest($1::text[]) AS name
  WHERE NOT EXISTS (SELECT FROM gateway.mailbox_head WHERE principal = name)
  ORDER BY name
  ON CONFLICT DO NOTHING`;

const LOCK_HEADS = `
  SELECT FROM gateway.mailbox_head WHERE principal = ANY($1::text[]) ORDER BY principal FOR UPDATE`;

const STORE = `
  WITH entry AS (
    SELECT * FROM unnest(
      $1::text[], $2::uuid[], $3::text[], $4::bigint[], $5::bigint[], $6::text[], $7::text[],
      $8::bigint[], $9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[]
    ) WITH ORDINALITY AS entry (
      principal, id, kind, time, expires_at, sender_type, sender_id,
      did, cid, family_id, audience, replace_key, payload, except_session, place
    )
  ), fresh AS (
    SELECT DISTINCT ON (principal, id) * FROM entry
    WHERE NOT EXISTS (
      SELECT FROM gateway.mailbox_message AS known
      WHERE known.principal = entry.principal AND known.id = entry.id
    )
    AND (except_session IS NULL OR EXISTS (
      SELECT FROM gateway.session_cursor AS cursor
      WHERE cursor.principal = entry.principal AND cursor.session <> entry.except_session
    ))
    ORDER BY principal, id, place
  ), numbered AS (
    SELECT *, head + row_number() OVER (PARTITION BY principal ORDER BY place) AS seq
    FROM fresh JOIN gateway.mailbox_head USING (principal)
  ), stored AS (
    INSERT INTO gateway.mailbox_message (
      principal, seq, id, kind, time, expires_at, sender_type, sender_id,
      did, cid, family_id, audience, replace_key, payload, except_session
    )
    SELECT
      principal, seq, id, kind, time, expires_at, sender_type, sender_id,
      did, cid, family_id, audience, replace_key, payload::json, except_session
    FROM numbered
  )
  UPDATE gateway.mailbox_head AS mailbox SET head = grown.head
  FROM (
    SELECT principal, max(seq) AS head, array_agg(place::int ORDER BY seq) AS places FROM numbered GROUP BY principal
  ) AS grown
  WHERE mailbox.principal = grown.principal
  RETURNING mailbox.principal, mailbox.head, grown.places`;

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
  WITH gone AS (
    DELETE FROM gateway.mailbox_message WHERE principal = ANY($1::text[]) AND time < $2::bigint
    RETURNING principal, seq
  )
  UPDATE gateway.mailbox_head AS mailbox SET pruned = greatest(mailbox.pruned, last.seq)
  FROM (SELECT principal, max(seq) AS seq FROM gone GROUP BY principal) AS last
  WHERE mailbox.principal = last.principal`;
