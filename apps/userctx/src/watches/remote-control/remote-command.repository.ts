import { Injectable } from '@nestjs/common';
import { In, MoreThan, LessThanOrEqual, Not, LessThan, type FindOptionsWhere } from 'typeorm';
import { COMMAND_STATE, type RemoteCommand } from '@family-watch/domain/watches/contracts/remote-command';
import { RemoteCommandEntity } from '@family-watch/domain/watches/entities/remote-command.entity';
import type { Page } from '@family-watch/domain/kernel/contracts/pagination';
import { findTimePage } from '@family-watch/platform/database/entity-queries';
import type { TimePageRequest } from '@family-watch/platform/database/page-cursor';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';
import { COMMAND_TRANSITIONS, COMMAND_RESULT_TIMEOUT_MS, type CommandTransition } from './command-state.js';

/** A command to the watch that was bound to the child when the command was issued. Times are Unix milliseconds. */
export type StoredCommand = Omit<RemoteCommandEntity, 'dueAt'>;

export type NewCommand = Omit<StoredCommand, 'state' | 'changedAt' | 'reason'>;

/** The watch that a command is sent to, and the family that issued the command. */
export interface CommandTarget {
  familyId: string;
  did: number;
}

@Injectable()
export class RemoteCommandRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  async add(command: NewCommand): Promise<void> {
    const { queuedAt: changedAt, expiresAt: dueAt } = command;
    await this.commands.insert({ ...command, state: COMMAND_STATE.QUEUED, dueAt, changedAt });
  }

  /** Finds the command of this kind that the watch has not begun. */
  findPending({ familyId, did }: CommandTarget, command: RemoteCommand): Promise<StoredCommand | null> {
    return this.commands.findOneBy({ familyId, did, command, state: In([COMMAND_STATE.QUEUED, COMMAND_STATE.SENT]) });
  }

  find({ familyId, did }: CommandTarget, commandId: string): Promise<StoredCommand | null> {
    return this.commands.findOneBy({ familyId, did, commandId });
  }

  /** Returns a page of commands, newest first. */
  findPage({ familyId, did }: CommandTarget, page: TimePageRequest): Promise<Page<StoredCommand>> {
    return findTimePage(this.commands, { familyId, did }, { time: 'queuedAt', id: 'commandId' }, page);
  }

  /**
   * Applies the transition and returns the command; exactly one of several concurrent calls succeeds. Returns null if
   * the transition is not allowed.
   */
  async transition(
    did: number,
    commandId: string,
    transition: CommandTransition,
    { time, reason = null }: { time: number; reason?: string | null },
  ): Promise<StoredCommand | null> {
    const { from, to } = COMMAND_TRANSITIONS[transition];
    // A command whose deadline has passed accepts only SEND and EXPIRE, even before the expiry job has run.
    const isDeadlineIgnored = to === COMMAND_STATE.SENT || to === COMMAND_STATE.EXPIRED;
    const { affected } = await this.commands.update(
      { commandId, did, state: In(from), ...(isDeadlineIgnored ? {} : { dueAt: MoreThan(time) }) },
      {
        state: to,
        changedAt: time,
        reason,
        ...(to === COMMAND_STATE.ACKED ? { dueAt: time + COMMAND_RESULT_TIMEOUT_MS } : {}),
      },
    );
    return affected === 1 ? this.commands.findOneBy({ commandId, did }) : null;
  }

  /**
   * Cancels the commands of these kinds that the child's watch has not begun. Must be called in a transaction.
   * @returns the cancelled commands
   */
  async cancelPending(
    familyId: string,
    cid: string,
    kinds: readonly RemoteCommand[],
    now: number,
  ): Promise<StoredCommand[]> {
    const { from, to: state } = COMMAND_TRANSITIONS.CANCEL;
    const pending = await this.lock([{ familyId, cid, command: In(kinds), state: In(from), dueAt: MoreThan(now) }]);
    await this.commands.update(idsOf(pending), { state, changedAt: now });
    return pending.map((command) => ({ ...command, state, changedAt: now }));
  }

  /** Expires commands that were not begun or finished in time. Must be called in a transaction. */
  async expire(now: number): Promise<void> {
    const { from, to } = COMMAND_TRANSITIONS.EXPIRE;
    const expired = await this.lock([{ dueAt: LessThanOrEqual(now), state: In(from) }]);
    await this.commands.update(idsOf(expired), { state: to, changedAt: () => 'due_at' });
  }

  /**
   * Expires the commands of one watch whose deadline has passed, and all commands of the watch that were issued while
   * it was bound to another child. Must be called in a transaction.
   */
  async expireByWatch({ cid, did }: { cid: string; did: number }, now: number): Promise<void> {
    const { from, to } = COMMAND_TRANSITIONS.EXPIRE;
    const conditions = [{ dueAt: LessThanOrEqual(now) }, { cid: Not(cid) }];
    const expired = await this.lock(conditions.map((condition) => ({ ...condition, did, state: In(from) })));
    await this.commands.update(idsOf(expired), {
      state: to,
      changedAt: () => `least(due_at, ${Math.trunc(now)})`,
    });
  }

  async erase(familyId: string, cid: string): Promise<void> {
    await this.commands.delete({ familyId, cid });
  }

  async deleteOld(queuedBefore: number): Promise<void> {
    await this.commands.delete({ queuedAt: LessThan(queuedBefore) });
  }

  /** Locks the commands until commit in the order of their ids, so that concurrent transactions cannot deadlock. */
  private lock(where: FindOptionsWhere<RemoteCommandEntity>[]): Promise<RemoteCommandEntity[]> {
    return this.commands.find({ where, order: { commandId: 'ASC' }, lock: { mode: 'pessimistic_write' } });
  }

  private get commands() {
    return this.unitOfWork.manager.getRepository(RemoteCommandEntity);
  }
}

function idsOf(commands: readonly RemoteCommandEntity[]): FindOptionsWhere<RemoteCommandEntity> {
  return { commandId: In(commands.map(({ commandId }) => commandId)) };
}
