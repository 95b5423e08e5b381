import { Injectable } from '@nestjs/common';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { GatewayUnitOfWork } from '../../infrastructure/gateway.unit-of-work.js';
import type { MailboxState } from '../../protocol/resume.js';

export interface Acknowledgement {
  session: string;
  principal: PrincipalKey;
  seq: number;
}

/** How far each session of a principal has read its mailbox. */
@Injectable()
export class SessionCursorRepository {
  constructor(private readonly unitOfWork: GatewayUnitOfWork) {}

  /** The principal's mailbox as the session finds it. */
  async findMailbox(principal: PrincipalKey, session: string): Promise<MailboxState> {
    const [state] = await this.unitOfWork.executor.query<MailboxState>(
      `SELECT coalesce(mailbox.head, 0) AS head, coalesce(mailbox.pruned, 0) AS pruned, epoch, acknowledged
       FROM gateway.epoch
       LEFT JOIN gateway.mailbox_head AS mailbox ON mailbox.principal = $1
       LEFT JOIN gateway.session_cursor AS cursor ON cursor.session = $2 AND cursor.principal = $1`,
      [principal, session],
    );
    if (!state) throw new Error('The gateway has no epoch: its migrations have not run');
    return state;
  }

  /** Remembers the session; `reset` sets its cursor back to `from`, otherwise a known cursor stays. */
  async open(principal: PrincipalKey, session: string, from: number, reset: boolean, now: number): Promise<void> {
    await this.unitOfWork.executor.query(
      `INSERT INTO gateway.session_cursor AS known (session, principal, acknowledged, seen_at)
       VALUES ($1, $2, $3, $4)
       ON CONFLICT (session) DO UPDATE SET
         seen_at = excluded.seen_at,
         acknowledged = CASE WHEN $5::boolean THEN excluded.acknowledged ELSE known.acknowledged END
       WHERE known.principal = excluded.principal`,
      [session, principal, from, now, reset],
    );
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
