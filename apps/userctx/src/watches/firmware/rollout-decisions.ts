import {
  compareFirmwareVersions,
  DEPLOYMENT_STATE,
  MAX_UPDATE_FAILURES,
  ROLLOUT_ACTION,
  ROLLOUT_STATE,
  type DeploymentState,
  type ReportedDeploymentState,
  type RolloutAction,
  type RolloutState,
} from '@family-watch/domain/watches/contracts/firmware';
import type {
  FirmwareDeploymentEntity,
  FirmwareImageEntity,
  FirmwareRolloutEntity,
} from '@family-watch/domain/watches/entities/firmware.entities';

const { SCHEDULED, DOWNLOADING, DOWNLOADED, INSTALLING, SUCCESS, FAILED, REJECTED } = DEPLOYMENT_STATE;

/** States of an attempt before its end, in their order. */
const ATTEMPT_STATES: readonly DeploymentState[] = [SCHEDULED, DOWNLOADING, DOWNLOADED, INSTALLING];

/** States in which a watch occupies itself with an image. */
export const IN_PROGRESS_STATES: readonly DeploymentState[] = [DOWNLOADING, DOWNLOADED, INSTALLING];

/** States in which a later version on the watch ends the update successfully. */
export const OPEN_STATES: readonly DeploymentState[] = [...ATTEMPT_STATES, FAILED];

/**
 * Returns the states in which a report of the current attempt is accepted: an attempt only moves forward, and may skip
 * states. A new attempt begins in the state FAILED of the attempt before.
 */
export function statesBefore(state: ReportedDeploymentState): readonly DeploymentState[] {
  const index = ATTEMPT_STATES.indexOf(state);
  return [FAILED, ...(index === -1 ? ATTEMPT_STATES : ATTEMPT_STATES.slice(0, index))];
}

export function isError(state: ReportedDeploymentState): boolean {
  return state === FAILED || state === REJECTED;
}

/** Returns whether the watch gets the image by this deployment no more. */
function hasEnded({ state, failures }: Pick<FirmwareDeploymentEntity, 'state' | 'failures'>): boolean {
  return state === SUCCESS || state === REJECTED || failures >= MAX_UPDATE_FAILURES;
}

/** Number of watches of one wave, counted from 1. A watch counts as failed after its first failed attempt. */
export interface WaveCounts {
  wave: number;
  watches: number;
  succeeded: number;
  failed: number;
  inProgress: number;
  /** Watches that do not get the image again, whether they succeeded or not. */
  ended: number;
}

export type RolloutDecision = 'CONTINUE' | 'ADVANCE' | 'FINISH' | 'PAUSE' | 'STOP';

type EvaluatedRollout = Pick<
  FirmwareRolloutEntity,
  'state' | 'waves' | 'currentWave' | 'successThreshold' | 'errorThreshold' | 'errorAction' | 'acceptedErrors'
>;

/**
 * Decides how a rollout continues. Thresholds are percentages of the watches of a wave. The error threshold takes
 * precedence, and applies to each active wave: also late errors of an earlier wave, and errors of watches that joined a
 * finished rollout, pause or stop the rollout. Only errors since an operator last resumed the rollout count. A wave
 * without watches is complete.
 */
export function decideRollout(rollout: EvaluatedRollout, waves: readonly WaveCounts[]): RolloutDecision {
  if (!isOffering(rollout.state)) return 'CONTINUE';
  const { currentWave, acceptedErrors, errorThreshold, successThreshold } = rollout;
  const active = waves.filter(({ wave }) => wave <= currentWave);
  const hasTooManyErrors = ({ wave, failed, watches }: WaveCounts) => {
    const newErrors = failed - (acceptedErrors[wave - 1] ?? 0);
    return newErrors > 0 && newErrors * 100 >= errorThreshold * watches;
  };
  if (active.some(hasTooManyErrors)) return rollout.errorAction;
  if (rollout.state === ROLLOUT_STATE.FINISHED) return 'CONTINUE';
  if (isLastWaveActive(rollout)) return active.every(({ ended, watches }) => ended === watches) ? 'FINISH' : 'CONTINUE';
  const { succeeded, watches } = active.find(({ wave }) => wave === currentWave) ?? { succeeded: 0, watches: 0 };
  return succeeded * 100 >= successThreshold * watches ? 'ADVANCE' : 'CONTINUE';
}

/** States in which an operator can take an action, and the state that follows. */
export const ROLLOUT_ACTIONS: Readonly<Record<RolloutAction, { from: readonly RolloutState[]; to: RolloutState }>> = {
  [ROLLOUT_ACTION.START]: { from: [ROLLOUT_STATE.SCHEDULED], to: ROLLOUT_STATE.RUNNING },
  [ROLLOUT_ACTION.PAUSE]: { from: [ROLLOUT_STATE.RUNNING, ROLLOUT_STATE.FINISHED], to: ROLLOUT_STATE.PAUSED },
  [ROLLOUT_ACTION.RESUME]: { from: [ROLLOUT_STATE.PAUSED], to: ROLLOUT_STATE.RUNNING },
  [ROLLOUT_ACTION.ADVANCE]: { from: [ROLLOUT_STATE.RUNNING], to: ROLLOUT_STATE.RUNNING },
  [ROLLOUT_ACTION.STOP]: {
    from: [ROLLOUT_STATE.SCHEDULED, ROLLOUT_STATE.RUNNING, ROLLOUT_STATE.PAUSED, ROLLOUT_STATE.FINISHED],
    to: ROLLOUT_STATE.STOPPED,
  },
};

/** An image that a watch may get, with the rollout by which it gets the image. */
export interface UpdateCandidate {
  image: FirmwareImageEntity;
  rollout: FirmwareRolloutEntity;
  /** Undefined for a watch that has joined the group since the rollout began. */
  deployment: FirmwareDeploymentEntity | undefined;
}

/** What is known about one watch, and about the images for its model that are neither withdrawn nor incomplete. */
export interface FirmwareOfWatch {
  /** Version that the watch runs. */
  version: string;
  groupIds: ReadonlySet<string>;
  images: readonly FirmwareImageEntity[];
  /** All rollouts of the images. */
  rollouts: readonly FirmwareRolloutEntity[];
  /** The deployments of the watch in these rollouts. */
  deployments: readonly FirmwareDeploymentEntity[];
}

/**
 * Returns the updates that the watch gets while `isActive` is true for them, the newest version first. Of several rollouts
 * of one image, an update that the watch has begun comes first and then the oldest rollout, so that a watch gets the same
 * update at each check. Omits images that are not newer than the version of the watch, that the watch has refused, or
 * that have failed twice on the watch by any rollout.
 */
export function findCandidates({
  version,
  groupIds,
  images,
  rollouts,
  deployments,
}: FirmwareOfWatch): UpdateCandidate[] {
  const byRollout = new Map(deployments.map((deployment) => [deployment.rolloutId, deployment]));
  return images
    .filter((image) => compareFirmwareVersions(image.version, version) > 0)
    .toSorted((one, other) => compareFirmwareVersions(other.version, one.version))
    .flatMap((image) => {
      const ofImage = rollouts.filter(({ imageId }) => imageId === image.imageId);
      const attempts = ofImage.flatMap(({ rolloutId }) => byRollout.get(rolloutId) ?? []);
      const failures = attempts.reduce((sum, attempt) => sum + attempt.failures, 0);
      if (failures >= MAX_UPDATE_FAILURES || attempts.some(({ state }) => state === REJECTED)) return [];
      return ofImage
        .filter(
          ({ state, groupId }) =>
            (isOffering(state) || state === ROLLOUT_STATE.PAUSED) && (groupId === null || groupIds.has(groupId)),
        )
        .map((rollout) => ({ image, rollout, deployment: byRollout.get(rollout.rolloutId) }))
        .filter(({ deployment }) => deployment === undefined || !hasEnded(deployment))
        .toSorted(compareCandidates);
    });
}

/** Orders the updates to one image. */
function compareCandidates(one: UpdateCandidate, other: UpdateCandidate): number {
  const isBegun = ({ deployment }: UpdateCandidate) =>
    deployment !== undefined && IN_PROGRESS_STATES.includes(deployment.state);
  return (
    Number(isBegun(other)) - Number(isBegun(one)) ||
    one.rollout.createdAt - other.rollout.createdAt ||
    (one.rollout.rolloutId < other.rollout.rolloutId ? -1 : 1)
  );
}

/** Returns whether watches of the wave get the image now. In a finished rollout, all waves are active. */
export function isActive({ state, currentWave }: FirmwareRolloutEntity, wave: number): boolean {
  return isOffering(state) && wave <= currentWave;
}

/** Returns whether the last wave is active, so that only the end of all updates, or an error, changes the rollout. */
export function isLastWaveActive({
  waves,
  currentWave,
}: Pick<FirmwareRolloutEntity, 'waves' | 'currentWave'>): boolean {
  return currentWave === waves.length;
}

function isOffering(state: RolloutState): boolean {
  return state === ROLLOUT_STATE.RUNNING || state === ROLLOUT_STATE.FINISHED;
}
