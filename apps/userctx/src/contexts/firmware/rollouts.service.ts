import { randomUUID } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import {
  DEPLOYMENT_STATE,
  FIRMWARE_IMAGE_STATE,
  FIRMWARE_LIMITS,
  ROLLOUT_ACTION,
  ROLLOUT_ERROR_ACTION,
  ROLLOUT_STATE,
} from '@family-watch/domain/firmware/contracts/firmware';
import type { RolloutAction } from '@family-watch/domain/firmware/contracts/firmware';
import type {
  ChangeRolloutDto,
  CreateRolloutDto,
  DeploymentListDto,
  DeploymentListQueryDto,
  RolloutDto,
  RolloutListDto,
  RolloutProgressDto,
} from '@family-watch/domain/firmware/dto/firmware.dto';
import type {
  FirmwareDeploymentEntity,
  FirmwareRolloutEntity,
} from '@family-watch/domain/firmware/entities/firmware.entities';
import { isUuid, MIN_UUID } from '@family-watch/domain/kernel/contracts/identifier';
import { DEFAULT_PAGE_LIMIT } from '@family-watch/domain/kernel/contracts/pagination';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { PageQueryDto } from '@family-watch/domain/kernel/dto/page-query.dto';
import { decodeTimePage, toPage } from '@family-watch/platform/http/page-cursor';
import { OnJob } from '@family-watch/platform/jobs/on-job.decorator';
import { processRows } from '@family-watch/platform/jobs/process-rows';
import { UserctxOutbox, UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';
import { WatchBindingRepository } from '../watches/binding/watch-binding.repository.js';
import { decodeDidCursor } from './firmware-groups.service.js';
import { FirmwareRepository } from './firmware.repository.js';
import { RolloutRepository } from './rollout.repository.js';
import type { DeploymentReport } from './rollout.repository.js';
import { decideRollout, IN_PROGRESS_STATES, isError, ROLLOUT_ACTIONS } from './rollout-decisions.js';
import type { RolloutDecision } from './rollout-decisions.js';

/** Name of the job that starts and advances rollouts. */
export const ADVANCE_JOB = 'userctx.firmware.advance-rollouts';
const ADVANCE_INTERVAL_MS = 10_000;
const BATCH_SIZE = 100;
/** Time without a report after which a download or an installation counts as failed, in milliseconds (24 hours). */
export const STALLED_AFTER_MS = 24 * 3_600_000;
const CLEANUP_INTERVAL_MS = 3_600_000;
/** Time for which stopped rollouts are retained, in milliseconds (a year). */
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
 * finish them. The row of a rollout is locked for each change, so of concurrent changes each sees the one before.
 */
@Injectable()
export class RolloutsService {
  private readonly logger = new Logger(RolloutsService.name);

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
      if ((await this.rollouts.countUnstopped(image.imageId)) >= FIRMWARE_LIMITS.rolloutsPerImage)
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
    const counts = await this.rollouts.countByWave(rollout.rolloutId);
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
   * Applies a report of a watch about its own update. Repeated, late and reordered reports change nothing. A report of an
   * error also evaluates the rollout, so that no further watch gets an image that has reached the error threshold.
   * @throws ServiceError DEPLOYMENT_NOT_FOUND
   */
  async applyReport(did: number, deploymentId: string, report: DeploymentReport): Promise<void> {
    const deployment = isUuid(deploymentId) ? await this.rollouts.findDeployment(deploymentId, did) : null;
    if (!deployment) throw new ServiceError('DEPLOYMENT_NOT_FOUND');
    const { rolloutId } = deployment;
    const now = Date.now();
    await this.unitOfWork.run(async () => {
      const rollout = isError(report.state) ? await this.rollouts.lock(rolloutId) : null;
      if (!(await this.rollouts.applyReport(did, deploymentId, report, now))) return;
      if (rollout) await this.evaluate(rollout, now);
      if (report.state === DEPLOYMENT_STATE.SUCCESS) await this.publishInstalled(did, rolloutId, now);
    });
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

  /** Starts rollouts that are due, counts stalled updates as failed, and advances or finishes running rollouts. */
  @OnJob(ADVANCE_JOB, { intervalMs: ADVANCE_INTERVAL_MS })
  async advance(now: number): Promise<void> {
    await processRows<FirmwareRolloutEntity>(
      (after) => this.rollouts.findActive(after?.rolloutId ?? MIN_UUID, BATCH_SIZE),
      ({ rolloutId }) => this.advanceOne(rolloutId, now),
      ({ rolloutId }, err) => this.logger.error({ msg: 'Evaluation of a rollout failed', rolloutId, err }),
    );
  }

  @OnJob('userctx.firmware.delete-old-rollouts', { intervalMs: CLEANUP_INTERVAL_MS })
  async deleteOld(now: number): Promise<void> {
    await this.rollouts.deleteStoppedBefore(now - STOPPED_RETENTION_MS);
  }

  private async advanceOne(rolloutId: string, now: number): Promise<void> {
    await this.unitOfWork.run(async () => {
      const rollout = await this.rollouts.lock(rolloutId);
      if (!rollout) return;
      const { state, startAt } = rollout;
      if (state === ROLLOUT_STATE.SCHEDULED && startAt !== null && startAt <= now)
        return this.apply(rollout, ROLLOUT_ACTION.START, now);
      if (state !== ROLLOUT_STATE.RUNNING) return;
      await this.rollouts.failStalled(rolloutId, now - STALLED_AFTER_MS, now);
      await this.evaluate(rollout, now);
    });
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
        await this.rollouts.addDeployments(rolloutId, now);
        return this.rollouts.update(rolloutId, { state: to }, now);
      }
      case ROLLOUT_ACTION.RESUME: {
        const counts = await this.rollouts.countByWave(rolloutId);
        const acceptedErrors = rollout.waves.map(
          (_, index) => counts.find(({ wave }) => wave === index + 1)?.failed ?? 0,
        );
        await this.rollouts.restartTimes(rolloutId, now);
        return this.rollouts.update(rolloutId, { state: to, acceptedErrors }, now);
      }
      case ROLLOUT_ACTION.ADVANCE:
        if (currentWave === rollout.waves.length) throw new ServiceError('ROLLOUT_STATE');
        return this.rollouts.update(rolloutId, { currentWave: currentWave + 1 }, now);
      case ROLLOUT_ACTION.PAUSE:
      case ROLLOUT_ACTION.STOP:
        return this.rollouts.update(rolloutId, { state: to }, now);
    }
  }

  /**
   * Applies the decision that follows from the reports so far. Must be called in a transaction that has locked the
   * rollout and applied the reports: the counts then contain all reports that were committed before the lock.
   */
  private async evaluate(rollout: FirmwareRolloutEntity, now: number): Promise<void> {
    const { rolloutId } = rollout;
    const counts = await this.rollouts.countByWave(rolloutId);
    for (let current = rollout; ;) {
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

function toDto({ acceptedErrors: _, ...rollout }: FirmwareRolloutEntity): RolloutDto {
  return rollout;
}
