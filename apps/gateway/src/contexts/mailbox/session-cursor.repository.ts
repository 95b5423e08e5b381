import { Injectable } from '@nestjs/common';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { bigintArray, textArray } from '@family-watch/platform/database/binary-array';
import { GatewayUnitOfWork } from '../../infrastructure/gateway.unit-of-work.js';
import type { MailboxState, ResumePoint } from '../../protocol/resume.js';

/** A session, and whose it is. */
export interface SessionKey {
  session: string;
  principal: PrincipalKey;
}

export interface Acknowledgement extends SessionKey {
  seq: number;
}

/** A session and where it begins to read. */
export interface OpenedSession extends SessionKey, ResumePoint {}

/** How far each session of a principal has read its mailbox. */
@Injectable()
export class SessionCursorRepository {
  constructor(private readonly unitOfWork: GatewayUnitOfWork) {}

  /** The principals' mailboxes as their sessions find them, in the order of the sessions. */
  async findMailboxes(sessions: readonly SessionKey[]): Promise<MailboxState[]> {
    const states = await this.unitOfWork.prepared.query<MailboxState>(FIND_MAILBOXES, [
      textArray(sessions.map(({ principal }) => principal)),
      textArray(sessions.map(({ session }) => session)),
    ]);
    if (states.length < sessions.length) throw new Error('The gateway has no epoch: its migrations have not run');
    return states;
  }

  /** Remembers sessions, each once; `reset` sets a cursor back to `from`, otherwise a known one stays. */
  async open(sessions: readonly OpenedSession[], now: number): Promise<void> {
    await this.unitOfWork.prepared.query(OPEN, [
      textArray(sessions.map(({ session }) => session)),
      textArray(sessions.map(({ principal }) => principal)),
      bigintArray(sessions.map(({ from }) => from)),
      textArray(sessions.filter(({ reset }) => reset).map(({ session }) => session)),
      now,
    ]);
  }

  /** Moves cursors forward, never back; one entry per session. */
  async advance(acknowledgements: readonly Acknowledgement[], now: number): Promise<void> {
    await this.unitOfWork.executor.query(
      `UPDATE gateway.session_cursor AS cursor
       SET acknowledged = greatest(cursor.acknowledged, said.seq), seen_at = $4
       FROM unnest($1::text[], $2::text[], $3::bigint[]) AS said (session, principal, seq)
       WHERE cursor.session = said.session AND cursor.principal = said.principal`,
      [
        acknowledgements.map(({ session }) => session),
        acknowledgements.map(({ principal }) => principal),
        acknowledgements.map(({ seq }) => seq),
        now,
      ],
    );
  }

  /** Forgets sessions that were not seen since `before` (Unix milliseconds). */
  async deleteUnseenSince(before: number): Promise<void> {
    await this.unitOfWork.executor.query('DELETE FROM gateway.session_cursor WHERE seen_at < $1', [before]);
  }
}

const FIND_MAILBOXES = `
  SELECT coalesce(mailbox.head, 0) AS head, coalesce(mailbox.pruned, 0) AS pruned, epoch, acknowledged
  FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS asked (principal, session, place)
  CROSS JOIN gateway.epoch
  LEFT JOIN gateway.mailbox_head AS mailbox ON mailbox.principal = asked.principal
  LEFT JOIN gateway.session_cursor AS cursor
    ON cursor.session = asked.session AND cursor.principal = asked.principal
  ORDER BY place`;

const OPEN = `
  INSERT INTO gateway.session_cursor AS known (session, principal, acknowledged, seen_at)
  SELECT session, principal, start, $5::bigint
  FROM unnest($1::text[], $2::text[], $3::bigint[]) AS opened (session, principal, start)
  ORDER BY session
  ON CONFLICT (session) DO UPDATE SET
    seen_at = excluded.seen_at,
    acknowledged = CASE
      WHEN known.session = ANY($4::text[]) THEN excluded.acknowledged
      ELSE known.acknowledged
    END
  WHERE known.principal = excluded.principal`;
