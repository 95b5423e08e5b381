import { Injectable } from '@nestjs/common';
import { Any, In, LessThan, MoreThan, Not } from 'typeorm';
import {
  DEPLOYMENT_STATE,
  FIRMWARE_IMAGE_STATE,
  MAX_UPDATE_FAILURES,
  ROLLOUT_STATE,
} from '@family-watch/domain/firmware/contracts/firmware';
import type { DeploymentState, ReportedDeploymentState } from '@family-watch/domain/firmware/contracts/firmware';
import {
  FirmwareDeploymentEntity,
  FirmwareImageEntity,
  FirmwareRolloutEntity,
} from '@family-watch/domain/firmware/entities/firmware.entities';
import type { Page } from '@family-watch/domain/kernel/contracts/pagination';
import { findTimePage } from '@family-watch/platform/database/entity-queries';
import type { TimePageRequest } from '@family-watch/platform/http/page-cursor';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';
import {
  ADD_DEPLOYMENTS_AFTER,
  ADD_DEPLOYMENTS_OF_WATCH,
  COUNT_BY_WAVE,
  DELETE_DEPLOYMENTS,
  FAIL_STALLED,
} from './firmware.sql.js';
import { IN_PROGRESS_STATES, isError, OPEN_STATES, statesBefore } from './rollout-decisions.js';
import type { WaveCounts } from './rollout-decisions.js';

/** Number of deployments that one statement adds, changes or deletes. */
const BATCH_SIZE = 10_000;

/** A report of a watch about one attempt of an update. */
export interface DeploymentReport {
  /** Counted from 1. */
  attempt: number;
  state: ReportedDeploymentState;
  error?: string | undefined;
}

/** Stores rollouts, and the update of each watch by a rollout (deployment). Times are Unix milliseconds. */
@Injectable()
export class RolloutRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  async add(rollout: Omit<FirmwareRolloutEntity, 'currentWave' | 'resumedAt'>): Promise<void> {
    await this.rollouts.insert(rollout);
  }

  find(rolloutId: string): Promise<FirmwareRolloutEntity | null> {
    return this.rollouts.findOneBy({ rolloutId });
  }

  /** Returns the rollout and locks it until the transaction ends. Deployments are locked after their rollout. */
  lock(rolloutId: string): Promise<FirmwareRolloutEntity | null> {
    return this.rollouts.findOne({ where: { rolloutId }, lock: { mode: 'for_no_key_update' } });
  }

  /** Like `lock`, but returns null if another transaction has locked the rollout. */
  tryLock(rolloutId: string): Promise<FirmwareRolloutEntity | null> {
    return this.rollouts.findOne({
      where: { rolloutId },
      lock: { mode: 'for_no_key_update', onLocked: 'skip_locked' },
    });
  }

  async update(
    rolloutId: string,
    changes: Partial<Pick<FirmwareRolloutEntity, 'state' | 'currentWave' | 'acceptedErrors' | 'resumedAt'>>,
    now: number,
  ): Promise<void> {
    await this.rollouts.update({ rolloutId }, { ...changes, changedAt: now });
  }

  /** Returns a page of rollouts, newest first. */
  findPage(page: TimePageRequest): Promise<Page<FirmwareRolloutEntity>> {
    return findTimePage(this.rollouts, {}, { time: 'createdAt', id: 'rolloutId' }, page);
  }

  findByImages(imageIds: readonly string[]): Promise<FirmwareRolloutEntity[]> {
    return this.rollouts.findBy({ imageId: In([...imageIds]) });
  }

  /** Returns rollouts that run or may have to start, after `afterId` in the order of their ids. */
  findActive(afterId: string, limit: number): Promise<FirmwareRolloutEntity[]> {
    return this.rollouts.find({
      where: { rolloutId: MoreThan(afterId), state: In([ROLLOUT_STATE.SCHEDULED, ROLLOUT_STATE.RUNNING]) },
      order: { rolloutId: 'ASC' },
      take: limit,
    });
  }

  isGroupUsed(groupId: string): Promise<boolean> {
    return this.rollouts.existsBy({ groupId });
  }

  countOfImage(imageId: string): Promise<number> {
    return this.rollouts.countBy({ imageId });
  }

  async stopAll(imageId: string, now: number): Promise<void> {
    await this.rollouts.update(
      { imageId, state: Not(ROLLOUT_STATE.STOPPED) },
      { state: ROLLOUT_STATE.STOPPED, changedAt: now },
    );
  }

  /** Returns rollouts of withdrawn images that stopped before `time`, after `afterId` in the order of their ids. */
  findObsolete(time: number, afterId: string, limit: number): Promise<FirmwareRolloutEntity[]> {
    return this.rollouts
      .createQueryBuilder('rollout')
      .innerJoin(FirmwareImageEntity, 'image', 'image.imageId = rollout.imageId')
      .where({ rolloutId: MoreThan(afterId), state: ROLLOUT_STATE.STOPPED, changedAt: LessThan(time) })
      .andWhere('image.state = :withdrawn', { withdrawn: FIRMWARE_IMAGE_STATE.WITHDRAWN })
      .orderBy('rollout.rolloutId')
      .limit(limit)
      .getMany();
  }

  /** Deletes a rollout after its deployments, in several transactions. */
  async delete(rolloutId: string): Promise<void> {
    while ((await this.unitOfWork.executor.query(DELETE_DEPLOYMENTS, [rolloutId, BATCH_SIZE])).length > 0);
    await this.rollouts.delete({ rolloutId });
  }

  /** Adds the deployments of all watches that the rollout concerns. */
  async addDeployments(rolloutId: string, now: number): Promise<void> {
    for (let after = 0; ;) {
      const parameters = [[rolloutId], now, after, BATCH_SIZE];
      const added = await this.unitOfWork.executor.query<{ did: number }>(ADD_DEPLOYMENTS_AFTER, parameters);
      if (added.length < BATCH_SIZE) return;
      after = Math.max(...added.map(({ did }) => did));
    }
  }

  /** Adds the deployments of a watch that has joined the groups of these rollouts since the rollouts began. */
  async addDeploymentsOfWatch(rolloutIds: readonly string[], did: number, now: number): Promise<void> {
    await this.unitOfWork.executor.query(ADD_DEPLOYMENTS_OF_WATCH, [rolloutIds, now, did, rolloutIds.length]);
  }

  findDeployment(deploymentId: string, did: number): Promise<FirmwareDeploymentEntity | null> {
    return this.deployments.findOneBy({ deploymentId, did });
  }

  /** Returns the deployments of the watch in these rollouts. */
  findDeployments(did: number, rolloutIds: readonly string[]): Promise<FirmwareDeploymentEntity[]> {
    return this.deployments.findBy({ did, rolloutId: In([...rolloutIds]) });
  }

  /** Returns deployments after `afterDid`, in the order of their did. */
  findDeploymentPage(
    rolloutId: string,
    state: DeploymentState | undefined,
    afterDid: number,
    limit: number,
  ): Promise<FirmwareDeploymentEntity[]> {
    return this.deployments.find({
      where: { rolloutId, did: MoreThan(afterDid), ...(state && { state }) },
      order: { did: 'ASC' },
      take: limit,
    });
  }

  /** Counts the waves up to `lastWave`. Takes about 0.4 seconds for a million watches. */
  countByWave(rolloutId: string, lastWave: number): Promise<WaveCounts[]> {
    return this.unitOfWork.executor.query<WaveCounts>(COUNT_BY_WAVE, [rolloutId, MAX_UPDATE_FAILURES, lastWave]);
  }

  /** Returns whether a watch has reported an error, or an error was counted, after `time`. */
  hasErrorsAfter(rolloutId: string, time: number): Promise<boolean> {
    return this.deployments.existsBy({ rolloutId, failures: MoreThan(0), changedAt: MoreThan(time) });
  }

  /** Returns whether a watch may still get the image by the rollout. */
  hasOpenDeployments(rolloutId: string): Promise<boolean> {
    return this.deployments.existsBy({
      rolloutId,
      state: In([...OPEN_STATES]),
      failures: LessThan(MAX_UPDATE_FAILURES),
    });
  }

  /**
   * Applies a report of the watch. Returns false if it changes nothing: the watch has no such deployment, the attempt has
   * ended, or it is already in this or a later state.
   */
  async applyReport(
    did: number,
    deploymentId: string,
    { attempt, state, error }: DeploymentReport,
    now: number,
  ): Promise<boolean> {
    const failures = attempt - 1;
    const { affected } = await this.deployments.update(
      { deploymentId, did, failures, state: In([...statesBefore(state)]) },
      { state, changedAt: now, ...(isError(state) && { failures: failures + 1, error: error ?? null }) },
    );
    return affected === 1;
  }

  /** Ends updates successfully. Returns false if all of them have ended before. */
  async markInstalled(deploymentIds: readonly string[], now: number): Promise<boolean> {
    const { affected } = await this.deployments.update(
      { deploymentId: In([...deploymentIds]), state: In([...OPEN_STATES]) },
      { state: DEPLOYMENT_STATE.SUCCESS, changedAt: now },
    );
    return affected !== 0;
  }

  /** Takes back the begun updates of the watch by other rollouts, because the watch gets another image now. */
  async resetOthers(did: number, deploymentId: string, now: number): Promise<void> {
    await this.deployments.update(
      { did, deploymentId: Not(deploymentId), state: In([...IN_PROGRESS_STATES]) },
      { state: DEPLOYMENT_STATE.SCHEDULED, changedAt: now },
    );
  }

  /**
   * Counts attempts without progress since `before` as failed, in several transactions, unless the rollout was paused
   * meanwhile.
   */
  async failStalled(rolloutId: string, before: number, now: number): Promise<void> {
    const parameters = [rolloutId, before, now, BATCH_SIZE];
    while ((await this.unitOfWork.executor.query(FAIL_STALLED, parameters)).length === BATCH_SIZE);
  }

  /** Deletes updates that watches have not begun and that have never failed. */
  async deleteScheduled(groupId: string, dids: readonly number[]): Promise<void> {
    const rollouts = await this.rollouts.find({ select: { rolloutId: true }, where: { groupId } });
    const rolloutIds = rollouts.map(({ rolloutId }) => rolloutId);
    const { SCHEDULED } = DEPLOYMENT_STATE;
    await this.deployments.delete({ rolloutId: In(rolloutIds), did: Any(dids), state: SCHEDULED, failures: 0 });
  }

  private get rollouts() {
    return this.unitOfWork.manager.getRepository(FirmwareRolloutEntity);
  }

  private get deployments() {
    return this.unitOfWork.manager.getRepository(FirmwareDeploymentEntity);
  }
}
