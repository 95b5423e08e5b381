import { randomUUID } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import {
  DEPLOYMENT_STATE,
  FIRMWARE_IMAGE_STATE,
  FIRMWARE_LIMITS,
  ROLLOUT_ACTION,
  ROLLOUT_ERROR_ACTION,
  ROLLOUT_STATE,
  type RolloutAction,
} from '@family-watch/domain/watches/contracts/firmware';
import type {
  ChangeRolloutDto,
  CreateRolloutDto,
  DeploymentListDto,
  DeploymentListQueryDto,
  RolloutDto,
  RolloutListDto,
  RolloutProgressDto,
} from '@family-watch/domain/watches/dto/firmware.dto';
import type {
  FirmwareDeploymentEntity,
  FirmwareRolloutEntity,
} from '@family-watch/domain/watches/entities/firmware.entities';
import { isUuid, MIN_UUID } from '@family-watch/domain/kernel/contracts/identifier';
import { DEFAULT_PAGE_LIMIT } from '@family-watch/domain/kernel/contracts/pagination';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { PageQueryDto } from '@family-watch/domain/kernel/dto/page-query.dto';
import { decodeTimePage, toPage } from '@family-watch/platform/database/page-cursor';
import { OnJob } from '@family-watch/platform/jobs/on-job.decorator';
import { processRows } from '@family-watch/platform/jobs/process-rows';
import { Batcher } from '@family-watch/platform/concurrency/batcher';
import { UserctxOutbox, UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';
import { WatchBindingRepository } from '../binding/watch-binding.repository.js';
import { decodeDidCursor } from './firmware-groups.service.js';
import { FirmwareRepository } from './firmware.repository.js';
import { RolloutRepository, type DeploymentReport } from './rollout.repository.js';
import {
  decideRollout,
  IN_PROGRESS_STATES,
  isError,
  isLastWaveActive,
  ROLLOUT_ACTIONS,
  type RolloutDecision,
} from './rollout-decisions.js';

/** Name of the job that starts and advances rollouts. */
export const ADVANCE_JOB = 'userctx.firmware.advance-rollouts';
const ADVANCE_INTERVAL_MS = 10_000;
const BATCH_SIZE = 100;
const MAX_WAITING_EVALUATIONS = 10_000;
/** Time without a report after which a download or an installation counts as failed, in milliseconds (24 hours). */
export const STALLED_AFTER_MS = 24 * 3_600_000;
/** Time after an error in which the job evaluates its rollout, because the evaluation after the report may have failed. */
const RECENT_ERROR_MS = 5 * 60_000;
const CLEANUP_INTERVAL_MS = 3_600_000;
/**
 * Time for which stopped rollouts of withdrawn images are retained, in milliseconds (a year). Rollouts of other images
 * are retained, because they contain which watches must not get the image again.
 */
const STOPPED_RETENTION_MS = 365 * 24 * 3_600_000;

const ROLLOUT_DEFAULTS = {
  waves: [1, 10, 50, 100],
  successThreshold: 90,
  errorThreshold: 5,
  errorAction: ROLLOUT_ERROR_ACTION.PAUSE,
  minBattery: 40,
  requiresCharging: false,
  avoidsSchoolTime: true,
} satisfies Partial<CreateRolloutDto>;

/**
 * Manages rollouts: operators create, start, pause, resume and stop them; the reports of watches advance, pause, stop or
 * finish them. The row of a rollout is locked for each change, so of concurrent changes each sees the one before. Reports
 * lock only the update of their watch.
 */
@Injectable()
export class RolloutsService {
  private readonly logger = new Logger(RolloutsService.name);
  /** Evaluates rollouts after errors. Concurrent errors share an evaluation and thus one database connection. */
  private readonly evaluations = new Batcher<string, void>({
    process: async (rolloutIds) => {
      for (const rolloutId of new Set(rolloutIds)) await this.evaluateAfterErrors(rolloutId);
      return [];
    },
    maxBatchSize: MAX_WAITING_EVALUATIONS,
    maxWaitingItems: MAX_WAITING_EVALUATIONS,
  });

  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly firmware: FirmwareRepository,
    private readonly rollouts: RolloutRepository,
    private readonly bindings: WatchBindingRepository,
    private readonly outbox: UserctxOutbox,
  ) {}

  /**
   * @throws ServiceError FIRMWARE_IMAGE_NOT_FOUND, FIRMWARE_GROUP_NOT_FOUND, LIMIT_REACHED
   * @throws ServiceError FIRMWARE_IMAGE_STATE unless the image is ready
   */
  async create({ imageId, groupId, startAt, ...settings }: CreateRolloutDto): Promise<RolloutDto> {
    return this.unitOfWork.run(async () => {
      const image = isUuid(imageId) ? await this.firmware.lockImageForShare(imageId) : null;
      if (!image) throw new ServiceError('FIRMWARE_IMAGE_NOT_FOUND');
      if (image.state !== FIRMWARE_IMAGE_STATE.READY) throw new ServiceError('FIRMWARE_IMAGE_STATE');
      if (groupId !== undefined && !(isUuid(groupId) && (await this.firmware.lockGroupForShare(groupId))))
        throw new ServiceError('FIRMWARE_GROUP_NOT_FOUND');
      if ((await this.rollouts.countOfImage(image.imageId)) >= FIRMWARE_LIMITS.rolloutsPerImage)
        throw new ServiceError('LIMIT_REACHED');
      const now = Date.now();
      const rolloutId = randomUUID();
      await this.rollouts.add({
        rolloutId,
        imageId: image.imageId,
        groupId: groupId ?? null,
        state: ROLLOUT_STATE.SCHEDULED,
        waves: settings.waves ?? ROLLOUT_DEFAULTS.waves,
        successThreshold: settings.successThreshold ?? ROLLOUT_DEFAULTS.successThreshold,
        errorThreshold: settings.errorThreshold ?? ROLLOUT_DEFAULTS.errorThreshold,
        errorAction: settings.errorAction ?? ROLLOUT_DEFAULTS.errorAction,
        minBattery: settings.minBattery ?? ROLLOUT_DEFAULTS.minBattery,
        requiresCharging: settings.requiresCharging ?? ROLLOUT_DEFAULTS.requiresCharging,
        avoidsSchoolTime: settings.avoidsSchoolTime ?? ROLLOUT_DEFAULTS.avoidsSchoolTime,
        createdAt: now,
        acceptedErrors: [],
        startAt: startAt ?? null,
        changedAt: now,
      });
      return toDto(await this.find(rolloutId));
    });
  }

  /** @throws ServiceError VALIDATION_FAILED when the cursor is malformed */
  async list(query: PageQueryDto): Promise<RolloutListDto> {
    const page = await this.rollouts.findPage(decodeTimePage(query));
    return { ...page, items: page.items.map(toDto) };
  }

  /** @throws ServiceError ROLLOUT_NOT_FOUND */
  async get(rolloutId: string): Promise<RolloutProgressDto> {
    const rollout = await this.find(rolloutId);
    const counts = await this.rollouts.countByWave(rollout.rolloutId, rollout.waves.length);
    const progress = counts.map(({ ended: _, ...wave }) => wave);
    return { ...toDto(rollout), progress };
  }

  /**
   * @throws ServiceError ROLLOUT_NOT_FOUND
   * @throws ServiceError VALIDATION_FAILED when the cursor is malformed
   */
  async listDeployments(query: DeploymentListQueryDto): Promise<DeploymentListDto> {
    const { cursor, limit = DEFAULT_PAGE_LIMIT, state } = query;
    const after = decodeDidCursor(cursor);
    const { rolloutId } = await this.find(query.rolloutId);
    const found = await this.rollouts.findDeploymentPage(rolloutId, state, after, limit + 1);
    const page = toPage(found, limit, ({ did }) => [did]);
    const items = page.items.map(({ did, wave, state: current, failures, changedAt, error }) => {
      return { did, wave, state: current, failures, changedAt, error };
    });
    return { ...page, items };
  }

  /**
   * Takes an action of an operator.
   * @throws ServiceError ROLLOUT_NOT_FOUND, ROLLOUT_STATE
   * @throws ServiceError FIRMWARE_IMAGE_STATE if the image was withdrawn
   */
  async change({ rolloutId, action }: ChangeRolloutDto): Promise<RolloutDto> {
    return this.unitOfWork.run(async () => {
      const rollout = isUuid(rolloutId) ? await this.rollouts.lock(rolloutId) : null;
      if (!rollout) throw new ServiceError('ROLLOUT_NOT_FOUND');
      await this.apply(rollout, action, Date.now());
      return toDto(await this.find(rolloutId));
    });
  }

  /**
   * Applies a report of a watch about its own update. Repeated, late and reordered reports change nothing. Resolves after
   * the evaluation that follows a report of an error, so that no further watch gets an image that has reached the error
   * threshold. The report is stored even if the evaluation fails; the job repeats the evaluation.
   * @throws ServiceError DEPLOYMENT_NOT_FOUND
   */
  async applyReport(did: number, deploymentId: string, report: DeploymentReport): Promise<void> {
    const deployment = isUuid(deploymentId) ? await this.rollouts.findDeployment(deploymentId, did) : null;
    if (!deployment) throw new ServiceError('DEPLOYMENT_NOT_FOUND');
    const { rolloutId } = deployment;
    const now = Date.now();
    const isApplied = await this.unitOfWork.run(async () => {
      if (!(await this.rollouts.applyReport(did, deploymentId, report, now))) return false;
      if (report.state === DEPLOYMENT_STATE.SUCCESS) await this.publishInstalled(did, rolloutId, now);
      return true;
    });
    if (isApplied && isError(report.state)) await this.evaluations.submit(rolloutId).catch(() => undefined);
  }

  /**
   * Ends updates of a watch successfully, because the watch has the version or a newer one. If the watch had begun one of
   * them, its report was lost.
   */
  async recordInstalled(did: number, deployments: readonly FirmwareDeploymentEntity[], now: number): Promise<void> {
    await this.unitOfWork.run(async () => {
      const deploymentIds = deployments.map(({ deploymentId }) => deploymentId);
      if (!(await this.rollouts.markInstalled(deploymentIds, now))) return;
      const begun = deployments.find(({ state }) => IN_PROGRESS_STATES.includes(state));
      if (begun) await this.publishInstalled(did, begun.rolloutId, now);
    });
  }

  /**
   * Adds the updates of a watch that has joined the rollouts since they began. Returns the updates of the watch by these
   * rollouts; a watch that was removed from a group meanwhile has none.
   */
  async addWatch(
    did: number,
    rollouts: readonly FirmwareRolloutEntity[],
    now: number,
  ): Promise<FirmwareDeploymentEntity[]> {
    const rolloutIds = rollouts.map(({ rolloutId }) => rolloutId);
    const groupIds = new Set(rollouts.flatMap(({ groupId }) => groupId ?? []));
    return this.unitOfWork.run(async () => {
      for (const groupId of [...groupIds].toSorted()) await this.firmware.lockGroupForShare(groupId);
      await this.rollouts.addDeploymentsOfWatch(rolloutIds, did, now);
      return this.rollouts.findDeployments(did, rolloutIds);
    });
  }

  /** Starts rollouts that are due, counts stalled updates as failed, and advances or finishes running rollouts. */
  @OnJob(ADVANCE_JOB, { intervalMs: ADVANCE_INTERVAL_MS })
  async advance(now: number): Promise<void> {
    await processRows<FirmwareRolloutEntity>(
      (after) => this.rollouts.findActive(after?.rolloutId ?? MIN_UUID, BATCH_SIZE),
      (rollout) =>
        rollout.state === ROLLOUT_STATE.SCHEDULED ? this.startIfDue(rollout, now) : this.advanceOne(rollout, now),
      ({ rolloutId }, err) => this.logEvaluationFailure(rolloutId, err),
    );
  }

  @OnJob('userctx.firmware.delete-old-rollouts', { intervalMs: CLEANUP_INTERVAL_MS })
  async deleteOld(now: number): Promise<void> {
    const stoppedBefore = now - STOPPED_RETENTION_MS;
    await processRows<FirmwareRolloutEntity>(
      (after) => this.rollouts.findObsolete(stoppedBefore, after?.rolloutId ?? MIN_UUID, BATCH_SIZE),
      ({ rolloutId }) => this.rollouts.delete(rolloutId),
      ({ rolloutId }, err) => this.logger.error({ msg: 'Deletion of a rollout failed', rolloutId, err }),
    );
  }

  private async startIfDue({ rolloutId, startAt }: FirmwareRolloutEntity, now: number): Promise<void> {
    if (startAt === null || startAt > now) return;
    await this.unitOfWork.run(async () => {
      // The holder of the lock starts or stops the rollout.
      const rollout = await this.rollouts.tryLock(rolloutId);
      if (rollout?.state === ROLLOUT_STATE.SCHEDULED) await this.apply(rollout, ROLLOUT_ACTION.START, now);
    });
  }

  private async advanceOne(rollout: FirmwareRolloutEntity, now: number): Promise<void> {
    const { rolloutId } = rollout;
    await this.rollouts.failStalled(rolloutId, now - STALLED_AFTER_MS, now);
    if (isLastWaveActive(rollout) && !(await this.canLastWaveChange(rolloutId, now))) return;
    await this.unitOfWork.run(async () => {
      // The holder of the lock evaluates the rollout, or the next run does.
      const locked = await this.rollouts.tryLock(rolloutId);
      if (locked) await this.evaluate(locked, now);
    });
  }

  /**
   * Returns whether an evaluation of the last wave may change the rollout: some watches are lost and never end, and their
   * rollout must not be counted forever.
   */
  private async canLastWaveChange(rolloutId: string, now: number): Promise<boolean> {
    if (await this.rollouts.hasErrorsAfter(rolloutId, now - RECENT_ERROR_MS)) return true;
    return !(await this.rollouts.hasOpenDeployments(rolloutId));
  }

  /** Never fails, so that the failure of one evaluation does not prevent others. */
  private async evaluateAfterErrors(rolloutId: string): Promise<void> {
    const evaluation = this.unitOfWork.run(async () => {
      const rollout = await this.rollouts.lock(rolloutId);
      if (rollout) await this.evaluate(rollout, Date.now());
    });
    await evaluation.catch((error: unknown) => this.logEvaluationFailure(rolloutId, error));
  }

  private logEvaluationFailure(rolloutId: string, err: unknown): void {
    this.logger.error({ msg: 'Evaluation of a rollout failed', rolloutId, err });
  }

  /** Must be called in a transaction that has locked the rollout. @throws ServiceError ROLLOUT_STATE */
  private async apply(rollout: FirmwareRolloutEntity, action: RolloutAction, now: number): Promise<void> {
    const { rolloutId, imageId, state, currentWave } = rollout;
    const { from, to } = ROLLOUT_ACTIONS[action];
    if (!from.includes(state)) throw new ServiceError('ROLLOUT_STATE');
    switch (action) {
      case ROLLOUT_ACTION.START: {
        const image = await this.firmware.findImage(imageId);
        if (image?.state !== FIRMWARE_IMAGE_STATE.READY) throw new ServiceError('FIRMWARE_IMAGE_STATE');
        // Watches are removed from the group before or after, so that none of them keeps an update.
        if (rollout.groupId !== null) await this.firmware.lockGroupForShare(rollout.groupId);
        await this.rollouts.addDeployments(rolloutId, now);
        return this.rollouts.update(rolloutId, { state: to }, now);
      }
      case ROLLOUT_ACTION.RESUME: {
        const counts = await this.rollouts.countByWave(rolloutId, rollout.waves.length);
        const acceptedErrors = rollout.waves.map(
          (_, index) => counts.find(({ wave }) => wave === index + 1)?.failed ?? 0,
        );
        return this.rollouts.update(rolloutId, { state: to, acceptedErrors, resumedAt: now }, now);
      }
      case ROLLOUT_ACTION.ADVANCE:
        if (isLastWaveActive(rollout)) throw new ServiceError('ROLLOUT_STATE');
        return this.rollouts.update(rolloutId, { currentWave: currentWave + 1 }, now);
      case ROLLOUT_ACTION.PAUSE:
      case ROLLOUT_ACTION.STOP:
        return this.rollouts.update(rolloutId, { state: to }, now);
    }
  }

  /**
   * Applies the decision that follows from the reports so far. Must be called in a transaction that has locked the
   * rollout: the counts then contain all reports that were committed before the lock.
   */
  private async evaluate(rollout: FirmwareRolloutEntity, now: number): Promise<void> {
    const { rolloutId } = rollout;
    for (let current = rollout; ;) {
      const counts = await this.rollouts.countByWave(rolloutId, current.currentWave);
      const decision = decideRollout(current, counts);
      if (decision === 'CONTINUE') return;
      const changes = changesOf(decision, current);
      await this.rollouts.update(rolloutId, changes, now);
      const { currentWave } = current;
      const wave = counts.find((each) => each.wave === currentWave);
      this.logger.log({ msg: 'Rollout evaluated', rolloutId, decision, currentWave, ...wave });
      current = { ...current, ...changes };
    }
  }

  /** Publishes the installation to the family whose child wears the watch. Must be called in a transaction. */
  private async publishInstalled(did: number, rolloutId: string, time: number): Promise<void> {
    const binding = await this.bindings.findActive(did);
    const rollout = binding && (await this.rollouts.find(rolloutId));
    const image = rollout && (await this.firmware.findImage(rollout.imageId));
    if (!image) return;
    const { familyId, cid } = binding;
    const { version } = image;
    await this.outbox.appendForFamily('userctx.firmware.installed', { familyId, cid, did, version, time });
  }

  /** @throws ServiceError ROLLOUT_NOT_FOUND */
  private async find(rolloutId: string): Promise<FirmwareRolloutEntity> {
    const rollout = isUuid(rolloutId) ? await this.rollouts.find(rolloutId) : null;
    if (!rollout) throw new ServiceError('ROLLOUT_NOT_FOUND');
    return rollout;
  }
}

function changesOf(
  decision: Exclude<RolloutDecision, 'CONTINUE'>,
  { currentWave }: FirmwareRolloutEntity,
): Partial<Pick<FirmwareRolloutEntity, 'state' | 'currentWave'>> {
  switch (decision) {
    case 'ADVANCE':
      return { currentWave: currentWave + 1 };
    case 'FINISH':
      return { state: ROLLOUT_STATE.FINISHED };
    case 'PAUSE':
      return { state: ROLLOUT_STATE.PAUSED };
    case 'STOP':
      return { state: ROLLOUT_STATE.STOPPED };
  }
}

function toDto({ acceptedErrors: _, resumedAt: __, ...rollout }: FirmwareRolloutEntity): RolloutDto {
  return rollout;
}
