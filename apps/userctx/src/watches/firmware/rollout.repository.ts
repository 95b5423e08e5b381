import { Injectable } from '@nestjs/common';
import { Any, In, LessThan, MoreThan, Not } from 'typeorm';
import {
  DEPLOYMENT_STATE,
  FIRMWARE_IMAGE_STATE,
  MAX_UPDATE_FAILURES,
  ROLLOUT_STATE,
  type DeploymentState,
  type ReportedDeploymentState,
} from '@family-watch/domain/watches/contracts/firmware';
import {
  FirmwareDeploymentEntity,
  FirmwareImageEntity,
  FirmwareRolloutEntity,
} from '@family-watch/domain/watches/entities/firmware.entities';
import type { Page } from '@family-watch/domain/kernel/contracts/pagination';
import { findTimePage } from '@family-watch/platform/database/entity-queries';
import type { TimePageRequest } from '@family-watch/platform/database/page-cursor';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';
import { IN_PROGRESS_STATES, isError, OPEN_STATES, statesBefore, type WaveCounts } from './rollout-decisions.js';

/**
 * Adds missing deployments of the rollouts $1, one for each watch of the image's model and the rollout's group. The
 * wave of a watch depends only on its did, so the same watches are always the first ones. Watches that are being
 * deleted are left out.
 * @param condition condition on the watch `w`; may refer to $3
 */
function addDeployments(condition: string): string {
  return `
  INSERT INTO userctx.firmware_deployment (deployment_id, rollout_id, did, wave, state, changed_at)
  SELECT gen_random_uuid(), r.rollout_id, w.did,
         width_bucket((('x' || left(md5(w.did::text), 7))::bit(28)::integer % 100), r.waves) + 1, 'SCHEDULED', $2
    FROM userctx.firmware_rollout r
    JOIN userctx.firmware_image i ON i.image_id = r.image_id
    JOIN userctx.watch w ON w.model = i.model AND w.revoked_at IS NULL
   WHERE r.rollout_id = ANY ($1::uuid[]) AND ${condition}
     AND (r.group_id IS NULL OR EXISTS (
       SELECT FROM userctx.firmware_group_member m WHERE m.group_id = r.group_id AND m.did = w.did))
     AND NOT EXISTS (
       SELECT FROM userctx.firmware_deployment d WHERE d.rollout_id = r.rollout_id AND d.did = w.did)
   ORDER BY w.did LIMIT $4 FOR KEY SHARE OF w
  ON CONFLICT (rollout_id, did) DO NOTHING
  RETURNING did`;
}

/** Adds the deployments of the watch $3. */
const ADD_DEPLOYMENTS_OF_WATCH = addDeployments('w.did = $3::bigint');

/** Adds deployments of watches after $3 in the order of their did. */
const ADD_DEPLOYMENTS_AFTER = addDeployments('w.did > $3::bigint');

/** Counts the waves of the rollout $1 up to $3. */
const COUNT_BY_WAVE = `
  SELECT wave, count(*)::int AS watches,
         count(*) FILTER (WHERE state = 'SUCCESS')::int AS succeeded,
         count(*) FILTER (WHERE failures > 0)::int AS failed,
         count(*) FILTER (WHERE state IN ('DOWNLOADING', 'DOWNLOADED', 'INSTALLING'))::int AS "inProgress",
         count(*) FILTER (WHERE state IN ('SUCCESS', 'REJECTED') OR failures >= $2)::int AS ended
    FROM userctx.firmware_deployment WHERE rollout_id = $1 AND wave <= $3 GROUP BY wave ORDER BY wave`;

/**
 * Counts attempts of the rollout $1 as failed that have made no progress since $2, unless the rollout has been paused
 * since.
 */
const FAIL_STALLED = `
  UPDATE userctx.firmware_deployment
     SET state = 'FAILED', failures = failures + 1, changed_at = $3, error = 'no report in time'
   WHERE deployment_id IN (
     SELECT d.deployment_id FROM userctx.firmware_deployment d
       JOIN userctx.firmware_rollout r ON r.rollout_id = d.rollout_id
      WHERE d.rollout_id = $1 AND d.state IN ('DOWNLOADING', 'INSTALLING') AND d.changed_at < $2
        AND r.state = 'RUNNING' AND (r.resumed_at IS NULL OR r.resumed_at < $2)
      LIMIT $4 FOR UPDATE OF d SKIP LOCKED)
  RETURNING did`;

const DELETE_DEPLOYMENTS = `
  DELETE FROM userctx.firmware_deployment
   WHERE deployment_id IN (SELECT deployment_id FROM userctx.firmware_deployment WHERE rollout_id = $1 LIMIT $2)
  RETURNING did`;

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
