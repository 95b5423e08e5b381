import { Injectable } from '@nestjs/common';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { CommandState, RemoteCommand } from '@family-watch/domain/remote-control/contracts/remote-command';
import type { TimeCursor } from '@family-watch/platform/http/page-cursor';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';
import { COMMAND_TRANSITIONS, COMMAND_RESULT_TIMEOUT_MS } from './command-state.js';
import type { CommandTransition } from './command-state.js';

/** A command to the watch that was bound to the child when the command was issued. Times are Unix milliseconds. */
export interface StoredCommand {
  commandId: string;
  familyId: string;
  cid: string;
  did: number;
  command: RemoteCommand;
  state: CommandState;
  by: PrincipalKey;
  queuedAt: number;
  expiresAt: number;
  changedAt: number;
  reason: string | null;
}

export type NewCommand = Omit<StoredCommand, 'state' | 'changedAt' | 'reason'>;

/** The family and watch that a command belongs to. */
export interface CommandTarget {
  familyId: string;
  did: number;
}

const COLUMNS = `command_id as "commandId", family_id as "familyId", cid, did, command, state, by,
  queued_at as "queuedAt", expires_at as "expiresAt", changed_at as "changedAt", reason`;

@Injectable()
export class RemoteCommandRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  async add({ commandId, familyId, cid, did, command, by, queuedAt, expiresAt }: NewCommand): Promise<void> {
    await this.unitOfWork.executor.query(
      `insert into userctx.remote_command (command_id, family_id, cid, did, command, state, by, queued_at,
         expires_at, due_at, changed_at)
       values ($1, $2, $3, $4, $5, 'QUEUED', $6, $7, $8, $8, $7)`,
      [commandId, familyId, cid, did, command, by, queuedAt, expiresAt],
    );
  }

  /** Finds the command of this kind that the watch has not begun. */
  async findPending({ familyId, did }: CommandTarget, command: RemoteCommand): Promise<StoredCommand | undefined> {
    const [found] = await this.unitOfWork.executor.query<StoredCommand>(
      `select ${COLUMNS} from userctx.remote_command
        where did = $1 and family_id = $2 and command = $3 and state in ('QUEUED', 'SENT')`,
      [did, familyId, command],
    );
    return found;
  }

  async find({ familyId, did }: CommandTarget, commandId: string): Promise<StoredCommand | undefined> {
    const [found] = await this.unitOfWork.executor.query<StoredCommand>(
      `select ${COLUMNS} from userctx.remote_command where command_id = $1 and did = $2 and family_id = $3`,
      [commandId, did, familyId],
    );
    return found;
  }

  /** Returns the page of commands after `after`, newest first. */
  findPage(watch: CommandTarget, after: TimeCursor | undefined, limit: number): Promise<StoredCommand[]> {
    return this.unitOfWork.executor.query<StoredCommand>(
      `select ${COLUMNS} from userctx.remote_command
        where did = $1 and family_id = $2 and ($3::bigint is null or (queued_at, command_id) < ($3, $4::uuid))
        order by queued_at desc, command_id desc limit $5`,
      [watch.did, watch.familyId, after?.time ?? null, after?.id ?? null, limit],
    );
  }

  /**
   * Applies the transition and returns the command; exactly one of several concurrent calls succeeds. Returns undefined
   * if the transition is not allowed.
   */
  async transition(
    did: number,
    commandId: string,
    transition: CommandTransition,
    { time, reason = null }: { time: number; reason?: string | null },
  ): Promise<StoredCommand | undefined> {
    const { from, to } = COMMAND_TRANSITIONS[transition];
    const [updated] = await this.unitOfWork.executor.query<StoredCommand>(
      `update userctx.remote_command set state = $3, changed_at = $5, reason = $6,
         due_at = case when $3 = 'ACKED' then $5 + $7::bigint else due_at end
        where command_id = $1 and did = $2 and state = any($4::text[])
          -- An expired command rejects transitions, even before the expiry job has run.
          and (due_at > $5 or $3 in ('SENT', 'EXPIRED'))
       returning ${COLUMNS}`,
      [commandId, did, to, from, time, reason, COMMAND_RESULT_TIMEOUT_MS],
    );
    return updated;
  }

  /** Cancels those of the commands that the child's watch has not begun. */
  cancelPending(familyId: string, cid: string, commands: readonly RemoteCommand[], now: number) {
    const { from, to } = COMMAND_TRANSITIONS.CANCEL;
    return this.unitOfWork.executor.query<StoredCommand>(
      `update userctx.remote_command set state = $5, changed_at = $6
        where cid = $1 and family_id = $2 and command = any($3::text[]) and state = any($4::text[]) and due_at > $6
       returning ${COLUMNS}`,
      [cid, familyId, commands, from, to, now],
    );
  }

  /** Expires commands that were not begun or finished in time. */
  async expire(now: number): Promise<void> {
    const { from, to } = COMMAND_TRANSITIONS.EXPIRE;
    await this.unitOfWork.executor.query(
      'update userctx.remote_command set state = $2, changed_at = due_at where due_at <= $1 and state = any($3::text[])',
      [now, to, from],
    );
  }

  /**
   * Expires the commands of one watch whose deadline has passed, and all its commands that were issued for another
   * child.
   */
  async expireByWatch({ cid, did }: { cid: string; did: number }, now: number): Promise<void> {
    const { from, to } = COMMAND_TRANSITIONS.EXPIRE;
    await this.unitOfWork.executor.query(
      `update userctx.remote_command set state = $4, changed_at = least(due_at, $3)
        where did = $1 and (due_at <= $3 or cid <> $2) and state = any($5::text[])`,
      [did, cid, now, to, from],
    );
  }

  async erase(familyId: string, cid: string): Promise<void> {
    await this.unitOfWork.executor.query('delete from userctx.remote_command where cid = $1 and family_id = $2', [
      cid,
      familyId,
    ]);
  }

  async deleteOld(queuedBefore: number): Promise<void> {
    await this.unitOfWork.executor.query('delete from userctx.remote_command where queued_at < $1', [queuedBefore]);
  }
}
