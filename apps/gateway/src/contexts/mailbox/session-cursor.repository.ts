import { Injectable } from '@nestjs/common';
import { LessThan } from 'typeorm';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { SessionCursorEntity } from '@family-watch/domain/messages/entities/mailbox.entities';
import { bigintArray, textArray } from '@family-watch/platform/database/binary-array';
import { columnsOf } from '@family-watch/platform/database/column-arrays';
import { GatewayUnitOfWork } from '../../infrastructure/gateway-infrastructure.js';
import { ADVANCE_CURSORS, FIND_MAILBOXES, OPEN_SESSIONS } from './mailbox.sql.js';
import type { MailboxState, ResumePoint } from './resume.js';

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
