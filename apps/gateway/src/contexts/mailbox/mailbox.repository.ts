import { Injectable } from '@nestjs/common';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { Sender } from '@family-watch/domain/messages/contracts/envelope';
import type { MessageKind } from '@family-watch/domain/messages/contracts/message-kinds';
import { textArray, uuidArray } from '@family-watch/platform/database/binary-array';
import { GatewayUnitOfWork } from '../../infrastructure/gateway.unit-of-work.js';
import type { Audience } from '../../protocol/delivery-access.js';
import type { MailboxEntry, MailboxAppend, StoredMessage } from './mailbox-entry.js';
import { MailboxHeadRepository } from './mailbox-head.repository.js';
import type { MailboxHead } from './mailbox-head.repository.js';
import { MailboxSequencer, STORE_ENTRIES } from './mailbox-sequencer.js';

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

/** Numbered messages per principal. Plain SQL: this is the one place that goes past the ORM's entities. */
@Injectable()
export class MailboxRepository {
  private readonly heads: MailboxHeadRepository;

  constructor(private readonly unitOfWork: GatewayUnitOfWork) {
    this.heads = new MailboxHeadRepository(unitOfWork);
  }

  /**
   * Numbers and stores entries in the open unit of work; those that the recipient has had already are left
   * out. Locks the recipients' heads in the order of their names, so it must be called once in a unit, and last.
   */
  async store(entries: readonly MailboxEntry[]): Promise<MailboxAppend[]> {
    if (entries.length === 0) return [];
    const numbering = new MailboxSequencer(await this.heads.lock(entries.map(({ recipient }) => recipient)));
    const isStored = await this.findStored(entries.filter(({ isNew }) => !isNew));
    const hasOthers = await this.findWithOthers(entries);
    const seen = new Set<string>();
    for (const entry of entries) {
      const { recipient, id, isNew, exceptSession } = entry;
      if (exceptSession !== undefined && !hasOthers.has(recipient)) continue;
      const key = isNew ? undefined : `${recipient} ${id}`;
      if (key !== undefined && (isStored.has(key) || seen.has(key))) continue;
      if (key !== undefined) seen.add(key);
      numbering.add(entry);
    }
    const growths = numbering.appends();
    if (growths.length > 0) await this.unitOfWork.prepared.query(STORE_ENTRIES, numbering.columns(growths));
    return growths;
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

  /** Nothing is added to these mailboxes until the open unit of work has ended. */
  async lockHeads(principals: readonly PrincipalKey[]): Promise<void> {
    await this.heads.lock(principals);
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
  async findPrincipalsWithMessagesBefore(before: number, limit: number): Promise<PrincipalKey[]> {
    const rows = await this.unitOfWork.executor.query<{ principal: PrincipalKey }>(
      `SELECT DISTINCT principal
       FROM (SELECT principal FROM gateway.mailbox_message WHERE time < $1 LIMIT $2) AS old`,
      [before, limit],
    );
    return rows.map(({ principal }) => principal);
  }

  /** Deletes messages older than `before` and remembers up to where, in the open unit of work. */
  async prune(principals: readonly PrincipalKey[], before: number): Promise<void> {
    await this.heads.lock(principals);
    await this.unitOfWork.executor.query(PRUNE, [principals, before]);
  }

  /** Which of these their recipients have had already, as `<recipient> <id>`. */
  private async findStored(entries: readonly MailboxEntry[]): Promise<Set<string>> {
    if (entries.length === 0) return new Set();
    const stored = await this.unitOfWork.prepared.query<{ principal: PrincipalKey; id: string }>(FIND_STORED, [
      textArray(entries.map(({ recipient }) => recipient)),
      uuidArray(entries.map(({ id }) => id)),
    ]);
    return new Set(stored.map(({ principal, id }) => `${principal} ${id}`));
  }

  /** Which of the recipients of echoes have another session than the one that is left out. */
  private async findWithOthers(entries: readonly MailboxEntry[]): Promise<Set<PrincipalKey>> {
    const left = new Map(
      entries.flatMap(({ recipient, exceptSession }) => (exceptSession ? [[recipient, exceptSession]] : [])),
    );
    if (left.size === 0) return new Set();
    const found = await this.unitOfWork.prepared.query<{ principal: PrincipalKey }>(FIND_WITH_OTHERS, [
      textArray([...left.keys()]),
      textArray([...left.values()]),
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

const MESSAGE_COLUMNS = `
  seq, id, kind, time, sender_type, sender_id, did, cid, family_id, audience, payload, except_session,
  expires_at, octet_length(payload::text) AS bytes`;

const FIND_STORED = `
  SELECT stored.principal, stored.id
  FROM unnest($1::text[], $2::uuid[]) AS wanted (principal, id)
  JOIN gateway.mailbox_message AS stored ON stored.principal = wanted.principal AND stored.id = wanted.id`;

const FIND_WITH_OTHERS = `
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
  WITH gone AS (
    DELETE FROM gateway.mailbox_message WHERE principal = ANY($1::text[]) AND time < $2::bigint
    RETURNING principal, seq
  )
  UPDATE gateway.mailbox_head AS mailbox SET pruned = greatest(mailbox.pruned, least(last.seq, kept.seq - 1))
  FROM (SELECT principal, max(seq) AS seq FROM gone GROUP BY principal) AS last
  LEFT JOIN LATERAL (
    -- Ages need not follow numbers: an event that was given up long ago and tried again is stored last.
    SELECT seq FROM gateway.mailbox_message AS stored
    WHERE stored.principal = last.principal AND stored.time >= $2::bigint
    ORDER BY seq LIMIT 1
  ) AS kept ON true
  WHERE mailbox.principal = last.principal`;
