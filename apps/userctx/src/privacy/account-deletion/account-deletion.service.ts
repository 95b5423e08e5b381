import { createHash, randomUUID } from 'node:crypto';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { ACCOUNT_DELETION_STATE } from '@family-watch/domain/privacy/contracts/account-deletion';
import {
  ERASING_APPS,
  type ErasingApp,
  type ErasureConfirmation,
} from '@family-watch/domain/kernel/contracts/account-erasure';
import type { DomainEvents } from '@family-watch/domain/events';
import type {
  AccountDeletionDto,
  DeleteAccountDto,
  ErasureReceiptDto,
} from '@family-watch/domain/privacy/dto/account-deletion.dto';
import { AccountDeletionEntity } from '@family-watch/domain/privacy/entities/account-deletion.entity';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { Environment } from '@family-watch/platform/config/environment';
import { sumCounts } from '@family-watch/platform/app/erasure/account-erasure';
import { OnJob } from '@family-watch/platform/jobs/on-job.decorator';
import { processDueRow } from '@family-watch/platform/jobs/process-rows';
import { UserctxOutbox, UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';
import { AccountService } from '../../accounts/account.service.js';
import { FamilyRosterService } from '../../families/family-roster.service.js';
import { FamilySuccessionService } from '../../families/memberships/family-succession.service.js';
import { AccountDeletionRepository } from './account-deletion.repository.js';
import { PersonErasureService } from './person-erasure.service.js';

const { ERASING, COMPLETED } = ACCOUNT_DELETION_STATE;

const JOB_INTERVAL_MS = 1_000;
/** Milliseconds after which the event of an erasure is published again if an app has not confirmed the erasure. */
const REPETITION_INTERVAL_MS = 3_600_000;
const RETRY_DELAY_MS = 60_000;

type AccountDeletionChange = DomainEvents['userctx.account-deletion.changed']['state'];

/**
 * Deletes accounts in four steps, each of which a killed process repeats: the person requests the deletion; after the
 * grace period one transaction erases the account in userctx and publishes the erasure; every app erases its data and
 * confirms; with the last confirmation only the receipt is left.
 */
@Injectable()
export class AccountDeletionService {
  private readonly logger = new Logger(AccountDeletionService.name);

  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly outbox: UserctxOutbox,
    private readonly deletions: AccountDeletionRepository,
    private readonly accounts: AccountService,
    private readonly roster: FamilyRosterService,
    private readonly succession: FamilySuccessionService,
    private readonly person: PersonErasureService,
    @Inject(Environment) private readonly environment: Pick<Environment, 'ACCOUNT_DELETION_GRACE'>,
  ) {}

  /**
   * Requests the deletion; a repetition returns the requested deletion.
   * @throws ServiceError STEP_UP_REQUIRED, RATE_LIMITED, OVERLOADED
   */
  async request(caller: Principal, { stepUp }: DeleteAccountDto): Promise<AccountDeletionDto> {
    await this.accounts.verifyStepUp(caller.id, stepUp);
    const requestedAt = Date.now();
    const eraseAt = requestedAt + this.environment.ACCOUNT_DELETION_GRACE * 1_000;
    await this.unitOfWork.run(async () => {
      const deletion = { receiptId: randomUUID(), userId: caller.id, requestedAt, eraseAt };
      if (await this.deletions.add(deletion)) await this.publishChange(caller.id, 'REQUESTED', eraseAt);
    });
    const requested = await this.find(caller);
    // Without a grace period, the account may already be erased.
    if (!requested) throw new ServiceError('TOKEN_REVOKED');
    return requested;
  }

  /**
   * Cancels the requested deletion, if any.
   * @throws ServiceError TOKEN_REVOKED if the account was erased while the request waited
   */
  async cancel({ id }: Principal): Promise<void> {
    await this.unitOfWork.run(async () => {
      const cancelled = await this.deletions.cancel(id);
      if (cancelled) await this.publishChange(id, 'CANCELLED', cancelled.eraseAt);
      else if (await this.deletions.findByUser(id)) throw new ServiceError('TOKEN_REVOKED');
    });
  }

  /** Returns null if the caller has not requested the deletion. */
  async find({ id }: Principal): Promise<AccountDeletionDto | null> {
    const deletion = await this.deletions.findByUser(id);
    if (!deletion) return null;
    const { receiptId, requestedAt, eraseAt } = deletion;
    return { receiptId, requestedAt, eraseAt, ownedFamily: await this.succession.plan(id) };
  }

  /** @throws ServiceError RECEIPT_NOT_FOUND */
  async getReceipt(receiptId: string): Promise<ErasureReceiptDto> {
    const deletion = isUuid(receiptId) ? await this.deletions.find(receiptId) : null;
    if (!deletion) throw new ServiceError('RECEIPT_NOT_FOUND');
    return { ...toReceipt(deletion), digest: deletion.digest };
  }

  /** Erases the accounts whose grace period is over, and publishes unconfirmed erasures again. */
  @OnJob('userctx.account-deletion.erase-due', {
    intervalMs: JOB_INTERVAL_MS,
    queue: { entity: AccountDeletionEntity, dueAt: 'dueAt', where: 'due_at IS NOT NULL' },
  })
  async processDue(now: number, signal?: AbortSignal): Promise<void> {
    while (!signal?.aborted && (await this.processNext(now)));
  }

  private processNext(now: number): Promise<boolean> {
    return processDueRow<AccountDeletionEntity>(this.unitOfWork, {
      lockDue: () => this.deletions.lockDue(now),
      process: (due) => this.process(due, now),
      onFailure: async ({ receiptId, dueAt }, err) => {
        this.logger.error({ msg: 'Deletion of an account failed', receiptId, err });
        await this.deletions.postpone(receiptId, dueAt, now + RETRY_DELAY_MS);
      },
    });
  }

  private async process({ receiptId, userId, subjects, erasedAt }: AccountDeletionEntity, now: number): Promise<void> {
    const time = erasedAt ?? Date.now();
    const dueAt = now + REPETITION_INTERVAL_MS;
    if (subjects) {
      this.logger.warn({ msg: 'Erasure is not confirmed by every app, publishing it again', receiptId });
      await this.person.repeat(receiptId, subjects, time);
      await this.deletions.update(receiptId, { dueAt });
    } else if (userId !== null) {
      const erased = await this.person.erase(userId, receiptId, time);
      await this.deletions.update(receiptId, { state: ERASING, subjects: erased, erasedAt: time, dueAt });
    }
  }

  /** Stores the confirmation of an app. After the last one, nothing but the receipt is left. */
  async confirm(app: ErasingApp, { receiptId, counts, time }: ErasureConfirmation): Promise<void> {
    const deletion = await this.deletions.lock(receiptId);
    if (deletion?.state !== ERASING) return;
    // An app that has already confirmed erases again when the erasure is published again, and finds little or nothing.
    const total = sumCounts(deletion.confirmations[app]?.counts ?? {}, counts);
    const confirmations = { ...deletion.confirmations, [app]: { counts: total, time } };
    if (!ERASING_APPS.every((each) => confirmations[each])) {
      await this.deletions.update(receiptId, { confirmations });
      return;
    }
    const completed = { ...deletion, confirmations, state: COMPLETED, completedAt: Date.now() };
    await this.deletions.update(receiptId, {
      ...completed,
      userId: null,
      subjects: null,
      dueAt: null,
      digest: createHash('sha256')
        .update(JSON.stringify(toReceipt(completed)))
        .digest('hex'),
    });
    this.logger.log({ msg: 'Erasure of an account completed', receiptId });
  }

  private async publishChange(userId: string, state: AccountDeletionChange, eraseAt: number): Promise<void> {
    const familyIds = await this.roster.findFamilies(userId);
    const payload = { userId, state, familyIds, eraseAt, time: Date.now() };
    await this.outbox.append({ name: 'userctx.account-deletion.changed', key: `user:${userId}`, payload });
  }
}

function toReceipt(deletion: AccountDeletionEntity): Omit<ErasureReceiptDto, 'digest'> {
  const { receiptId, state, requestedAt, eraseAt, erasedAt, completedAt } = deletion;
  const confirmations = ERASING_APPS.flatMap((app) => {
    const confirmation = deletion.confirmations[app];
    if (!confirmation) return [];
    const counts = Object.fromEntries(Object.entries(confirmation.counts).toSorted(([a], [b]) => (a < b ? -1 : 1)));
    return [{ app, time: confirmation.time, counts }];
  });
  return { receiptId, state, requestedAt, eraseAt, erasedAt, completedAt, confirmations };
}
