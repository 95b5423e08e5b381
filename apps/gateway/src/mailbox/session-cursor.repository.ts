import { Injectable } from '@nestjs/common';
import { LessThan } from 'typeorm';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { SessionCursorEntity } from '@family-watch/domain/messages/entities/mailbox.entities';
import { bigintArray, textArray } from '@family-watch/platform/database/binary-array';
import { columnsOf } from '@family-watch/platform/database/column-arrays';
import { GatewayUnitOfWork } from '../infrastructure/gateway-infrastructure.js';
import type { MailboxState, ResumePoint } from './resume.js';
import { prepared } from '@family-watch/domain/kernel/contracts/transaction-scope';

/** Milliseconds by which `seen_at` of a session may be older than its last acknowledgement. */
const SEEN_AT_PRECISION_MS = 60_000;

/**
 * The indexed column `seen_at` changes at most once a minute, because a row whose indexed columns are unchanged is
 * updated without writing its three indexes.
 */
const ADVANCE_CURSORS = `
  UPDATE gateway.session_cursor AS cursor
  SET acknowledged = greatest(cursor.acknowledged, ack.seq),
    seen_at = CASE WHEN cursor.seen_at > $4::bigint - ${SEEN_AT_PRECISION_MS} THEN cursor.seen_at ELSE $4::bigint END
  FROM unnest($1::text[], $2::text[], $3::bigint[]) AS ack (session, principal, seq)
  WHERE cursor.session = ack.session AND cursor.principal = ack.principal`;

const FIND_MAILBOXES = prepared(`
  SELECT coalesce(mailbox.head, 0) AS head, coalesce(mailbox.pruned, 0) AS "deletedThrough", epoch, acknowledged
  FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS requested (principal, session, ordinal)
  CROSS JOIN gateway.epoch
  LEFT JOIN gateway.mailbox_head AS mailbox ON mailbox.principal = requested.principal
  LEFT JOIN gateway.session_cursor AS cursor
    ON cursor.session = requested.session AND cursor.principal = requested.principal
  ORDER BY ordinal`);

const OPEN_SESSIONS = prepared(`
  INSERT INTO gateway.session_cursor AS existing (session, principal, acknowledged, seen_at)
  SELECT session, principal, start, $5::bigint
  FROM unnest($1::text[], $2::text[], $3::bigint[]) AS opened (session, principal, start)
  ORDER BY session
  ON CONFLICT (session) DO UPDATE SET
    seen_at = excluded.seen_at,
    acknowledged = CASE
      WHEN existing.session = ANY($4::text[]) THEN excluded.acknowledged
      ELSE existing.acknowledged
    END
  WHERE existing.principal = excluded.principal`);

/** A session and its principal. */
export interface SessionKey {
  session: string;
  principal: PrincipalKey;
}

export interface Acknowledgement extends SessionKey {
  seq: number;
}

/** A session and the sequence number after which it starts to read. */
export interface OpenedSession extends SessionKey, ResumePoint {}

/** Stores the cursor of each session: the sequence number up to which it has acknowledged its principal's mailbox. */
@Injectable()
export class SessionCursorRepository {
  constructor(private readonly unitOfWork: GatewayUnitOfWork) {}

  /** Returns the mailbox state for each session, in the order of the sessions. */
  async findMailboxes(sessions: readonly SessionKey[]): Promise<MailboxState[]> {
    const states = await this.unitOfWork.executor.query<MailboxState>(FIND_MAILBOXES, [
      textArray(sessions.map(({ principal }) => principal)),
      textArray(sessions.map(({ session }) => session)),
    ]);
    if (states.length < sessions.length) throw new Error('Table gateway.epoch is empty: the migrations have not run');
    return states;
  }

  /**
   * Stores the cursors of sessions. `sessions` must not contain a session twice. A session with `reset` gets the cursor
   * `from`; the existing cursor of any other session is unchanged.
   */
  async open(sessions: readonly OpenedSession[], now: number): Promise<void> {
    await this.unitOfWork.executor.query(OPEN_SESSIONS, [
      textArray(sessions.map(({ session }) => session)),
      textArray(sessions.map(({ principal }) => principal)),
      bigintArray(sessions.map(({ from }) => from)),
      textArray(sessions.filter(({ reset }) => reset).map(({ session }) => session)),
      now,
    ]);
  }

  /** Advances cursors, but never moves a cursor back. Requires at most one acknowledgement per session. */
  async advance(acknowledgements: readonly Acknowledgement[], now: number): Promise<void> {
    await this.unitOfWork.executor.query(ADVANCE_CURSORS, [
      ...columnsOf(acknowledgements, 'session', 'principal', 'seq'),
      now,
    ]);
  }

  /** Deletes sessions not seen since `before` (Unix milliseconds). */
  async deleteUnseenSince(before: number): Promise<void> {
    await this.unitOfWork.manager.delete(SessionCursorEntity, { seenAt: LessThan(before) });
  }
}
