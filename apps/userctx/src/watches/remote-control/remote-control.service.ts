import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { StepUpDto } from '@family-watch/domain/accounts/dto/profile.dto';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import type { Page } from '@family-watch/domain/kernel/contracts/pagination';
import { principalKey, type Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import {
  COMMAND_STATE,
  commandTtlMs,
  REMOTE_COMMAND,
  type RemoteCommand,
} from '@family-watch/domain/watches/contracts/remote-command';
import type {
  CommandDto,
  CommandListQueryDto,
  CommandReferenceDto,
  CommandResultDto,
} from '@family-watch/domain/watches/dto/remote-command.dto';
import { RemoteCommandEntity } from '@family-watch/domain/watches/entities/remote-command.entity';
import { decodeTimePage } from '@family-watch/platform/database/page-cursor';
import { OnJob } from '@family-watch/platform/jobs/on-job.decorator';
import { UserctxOutbox, UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';
import { AccountService } from '../../accounts/account.service.js';
import { FamilyAccessService } from '../../families/family-access.service.js';
import { FamilyRosterService } from '../../families/family-roster.service.js';
import { ActiveSos } from '../active-sos.js';
import { COMMAND_TRANSITIONS } from './command-state.js';
import { RemoteCommandRepository, type NewCommand, type StoredCommand } from './remote-command.repository.js';

/** Name of the job that expires commands. */
const COMMAND_EXPIRY_JOB = 'userctx.remote-control.expire-commands';
const EXPIRY_INTERVAL_MS = 5_000;
const RETENTION_INTERVAL_MS = 3_600_000;
/** Time after which a command is deleted: 90 days. Milliseconds. */
const RETENTION_MS = 90 * 24 * 3_600_000;

/** Issues remote commands to watches. Shutdown and reboot are rejected while an SOS is active. */
@Injectable()
export class RemoteControlService {
  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly outbox: UserctxOutbox,
    private readonly access: FamilyAccessService,
    private readonly roster: FamilyRosterService,
    private readonly accounts: AccountService,
    private readonly sos: ActiveSos,
    private readonly commands: RemoteCommandRepository,
  ) {}

  /**
   * Issues a shutdown command after the step-up is verified.
   * @throws ServiceError WATCH_NOT_FOUND, PERMISSION_MISSING, STEP_UP_REQUIRED, SOS_ACTIVE
   */
  async shutDown(caller: Principal, did: number, stepUp: StepUpDto | undefined): Promise<CommandDto> {
    await this.access.requireForWatch(caller, did, 'REMOTE_CONTROL');
    await this.accounts.verifyStepUp(caller.id, stepUp);
    return this.issue(caller, did, REMOTE_COMMAND.SHUTDOWN);
  }

  /**
   * Issues a command. If the watch has not begun an earlier command of this kind, returns the earlier command.
   * @throws ServiceError WATCH_NOT_FOUND, PERMISSION_MISSING
   * @throws ServiceError SOS_ACTIVE for a shutdown or reboot
   */
  issue(caller: Principal, did: number, command: RemoteCommand): Promise<CommandDto> {
    return this.unitOfWork.run(async () => {
      const child = await this.access.requireForWatch(caller, did, 'REMOTE_CONTROL');
      if (command !== REMOTE_COMMAND.FIND && (await this.sos.isActive(child))) throw new ServiceError('SOS_ACTIVE');
      const queuedAt = Date.now();
      const { familyId, cid } = child;
      await this.commands.expireByWatch({ cid, did }, queuedAt);
      const pending = await this.commands.findPending({ familyId, did }, command);
      if (pending) return toDto(pending);
      const commandId = randomUUID();
      const by = principalKey(caller);
      const expiresAt = queuedAt + commandTtlMs(command);
      const newCommand: NewCommand = { commandId, familyId, cid, did, command, by, queuedAt, expiresAt };
      await this.commands.add(newCommand);
      const payload = { familyId, cid, did, commandId, command, by, time: queuedAt };
      await this.outbox.appendForFamily('userctx.remote-command.queued', payload);
      return toDto({ ...newCommand, state: COMMAND_STATE.QUEUED, changedAt: queuedAt, reason: null });
    });
  }

  /**
   * @throws ServiceError WATCH_NOT_FOUND, PERMISSION_MISSING
   * @throws ServiceError VALIDATION_FAILED for an invalid cursor
   */
  async list(caller: Principal, query: CommandListQueryDto): Promise<Page<CommandDto>> {
    const { did } = query;
    const requestedPage = decodeTimePage(query);
    const { familyId } = await this.access.requireForWatch(caller, did, 'REMOTE_CONTROL');
    const page = await this.commands.findPage({ familyId, did }, requestedPage);
    return { ...page, items: page.items.map(toDto) };
  }

  /**
   * Cancels a command that the watch has not begun. Idempotent.
   * @throws ServiceError WATCH_NOT_FOUND, PERMISSION_MISSING, COMMAND_NOT_FOUND, COMMAND_STATE
   */
  async cancel(caller: Principal, { did, commandId }: CommandReferenceDto): Promise<void> {
    await this.unitOfWork.run(async () => {
      const { familyId } = await this.access.requireForWatch(caller, did, 'REMOTE_CONTROL');
      const command = isUuid(commandId) ? await this.commands.find({ familyId, did }, commandId) : undefined;
      if (!command) throw new ServiceError('COMMAND_NOT_FOUND');
      if (command.state === COMMAND_STATE.CANCELLED) return;
      const time = Date.now();
      const cancelled = await this.commands.transition(did, commandId, 'CANCEL', { time });
      if (!cancelled) throw new ServiceError('COMMAND_STATE');
      const payload = { ...toCommandEventPayload(cancelled), by: principalKey(caller), time };
      await this.outbox.appendForFamily('userctx.remote-command.cancelled', payload);
    });
  }

  /**
   * Records whether the watch carried out the command. Idempotent if the watch repeats the result.
   * @throws ServiceError WATCH_UNBOUND, COMMAND_NOT_FOUND
   * @throws ServiceError COMMAND_STATE for a cancelled or expired command
   */
  async report(watch: Principal, { commandId, ok, reason }: CommandResultDto): Promise<void> {
    const did = Number(watch.id);
    await this.unitOfWork.run(async () => {
      const link = await this.roster.findChildOfWatch(did);
      if (!link) throw new ServiceError('WATCH_UNBOUND');
      const { familyId } = link;
      const command = isUuid(commandId) ? await this.commands.find({ familyId, did }, commandId) : undefined;
      if (!command) throw new ServiceError('COMMAND_NOT_FOUND');
      const transition = ok ? 'SUCCEED' : 'FAIL';
      if (command.state === COMMAND_TRANSITIONS[transition].to) return;
      const ended = await this.commands.transition(did, commandId, transition, {
        time: Date.now(),
        reason: ok ? null : reason,
      });
      if (!ended) throw new ServiceError('COMMAND_STATE');
    });
  }

  /** Expires commands whose deadline has passed and deletes commands after 90 days. */
  @OnJob(COMMAND_EXPIRY_JOB, {
    intervalMs: EXPIRY_INTERVAL_MS,
    queue: { entity: RemoteCommandEntity, dueAt: 'dueAt', where: `state IN ('QUEUED', 'SENT', 'ACKED')` },
  })
  async expireDue(now: number): Promise<void> {
    await this.unitOfWork.run(() => this.commands.expire(now));
  }

  @OnJob('userctx.remote-control.delete-old-commands', { intervalMs: RETENTION_INTERVAL_MS })
  async deleteOld(now: number): Promise<void> {
    await this.commands.deleteOld(now - RETENTION_MS);
  }
}

/** Returns the fields that identify a command in events. */
export function toCommandEventPayload({ familyId, cid, did, commandId, command }: StoredCommand) {
  return { familyId, cid, did, commandId, command };
}

function toDto({ commandId, command, state, by, queuedAt, expiresAt, changedAt, reason }: StoredCommand): CommandDto {
  return { commandId, command, state, by, queuedAt, expiresAt, changedAt, reason };
}
