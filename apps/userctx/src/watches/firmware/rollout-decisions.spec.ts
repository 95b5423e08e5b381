import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  compareFirmwareVersions,
  DEPLOYMENT_STATE,
  type DeploymentState,
  type RolloutState,
} from '@family-watch/domain/watches/contracts/firmware';
import type {
  FirmwareDeploymentEntity,
  FirmwareImageEntity,
  FirmwareRolloutEntity,
} from '@family-watch/domain/watches/entities/firmware.entities';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import { decideRollout, findCandidates, isActive, statesBefore, type WaveCounts } from './rollout-decisions.js';

function createImage(version: string): FirmwareImageEntity {
  return {
    imageId: randomUUID(),
    model: 'W7',
    version,
    size: 1,
    digest: '',
    signature: Buffer.alloc(64),
    keyId: 'release',
    state: 'READY',
    createdAt: 0,
  };
}

function createRollout(changes: Partial<FirmwareRolloutEntity> = {}): FirmwareRolloutEntity {
  return {
    rolloutId: randomUUID(),
    imageId: randomUUID(),
    groupId: null,
    state: 'RUNNING',
    waves: [10, 50, 100],
    currentWave: 1,
    successThreshold: 90,
    errorThreshold: 5,
    errorAction: 'PAUSE',
    acceptedErrors: [],
    resumedAt: null,
    minBattery: 40,
    requiresCharging: false,
    avoidsSchoolTime: true,
    createdAt: 0,
    startAt: null,
    changedAt: 0,
    ...changes,
  };
}

function createDeployment(
  { rolloutId }: FirmwareRolloutEntity,
  state: DeploymentState,
  failures = 0,
): FirmwareDeploymentEntity {
  return { deploymentId: randomUUID(), rolloutId, did: 1, wave: 1, state, failures, changedAt: 0, error: null };
}

const counts = (wave: number, watches: number, succeeded = 0, failed = 0, ended = succeeded): WaveCounts => ({
  wave,
  watches,
  succeeded,
  failed,
  inProgress: 0,
  ended,
});

describe('decideRollout', () => {
  test.each<[string, Partial<FirmwareRolloutEntity>, WaveCounts[], string]>([
    ['continues below both thresholds', {}, [counts(1, 100, 89, 4)], 'CONTINUE'],
    ['advances at the success threshold', {}, [counts(1, 100, 90, 4)], 'ADVANCE'],
    ['pauses at the error threshold, even if the success threshold is reached', {}, [counts(1, 100, 90, 5)], 'PAUSE'],
    [
      'stops at the error threshold if that is the error action',
      { errorAction: 'STOP' },
      [counts(1, 100, 0, 5)],
      'STOP',
    ],
    ['pauses at the first error of a small wave', {}, [counts(1, 3, 0, 1)], 'PAUSE'],
    [
      'ignores the errors that were there when it was resumed',
      { acceptedErrors: [5] },
      [counts(1, 100, 0, 9)],
      'CONTINUE',
    ],
    ['counts new errors after it was resumed', { acceptedErrors: [5] }, [counts(1, 100, 0, 10)], 'PAUSE'],
    ['ignores watches of later waves', {}, [counts(1, 100, 90), counts(2, 400, 0, 400)], 'ADVANCE'],
    ['pauses at late errors of an earlier wave', { currentWave: 2 }, [counts(1, 100, 95, 5), counts(2, 900)], 'PAUSE'],
    ['does not dilute the errors of a wave', { currentWave: 2 }, [counts(1, 900, 900), counts(2, 100, 0, 5)], 'PAUSE'],
    ['advances over a wave without watches', {}, [counts(2, 10)], 'ADVANCE'],
    ['keeps the last wave open while watches have not ended', { currentWave: 3 }, [counts(1, 9, 8)], 'CONTINUE'],
    ['finishes when all watches have ended', { currentWave: 3 }, [counts(1, 100, 96, 4, 100)], 'FINISH'],
    ['finishes without watches', { currentWave: 3 }, [], 'FINISH'],
    [
      'stays finished while watches that joined later update',
      { state: 'FINISHED', currentWave: 3 },
      [counts(3, 100, 50)],
      'CONTINUE',
    ],
    ['pauses at errors after it finished', { state: 'FINISHED', currentWave: 3 }, [counts(3, 100, 50, 5)], 'PAUSE'],
    ['does nothing while paused', { state: 'PAUSED' }, [counts(1, 100, 90, 50)], 'CONTINUE'],
  ])('%s', (_, changes, waves, expected) => {
    expect(decideRollout(createRollout(changes), waves)).toBe(expected);
  });

  test('never lets a wave begin with more new errors than the threshold allows', () => {
    const percent = fc.integer({ min: 1, max: 100 });
    const wave = fc.tuple(fc.nat(1_000), fc.nat(1_000), fc.nat(1_000)).map(([watches, succeeded, failed]) => {
      return counts(1, watches, Math.min(succeeded, watches), Math.min(failed, watches));
    });
    fc.assert(
      fc.property(percent, percent, fc.nat(1_000), wave, (successThreshold, errorThreshold, acceptedErrors, one) => {
        const rollout = createRollout({ successThreshold, errorThreshold, acceptedErrors: [acceptedErrors] });
        const errorRate = (100 * (one.failed - acceptedErrors)) / Math.max(1, one.watches);
        const isAboveThreshold = one.failed > acceptedErrors && errorRate >= errorThreshold;
        const decision = decideRollout(rollout, [one]);
        expect(decision === 'PAUSE').toBe(isAboveThreshold);
        if (decision === 'ADVANCE') expect(one.succeeded * 100).toBeGreaterThanOrEqual(successThreshold * one.watches);
      }),
      { numRuns: propertyRuns(200) },
    );
  });
});

describe('statesBefore', () => {
  test('any order of any reports of an attempt ends in the same state as the reports in their order', () => {
    const attempt = fc.constantFrom<DeploymentState[]>(
      ['DOWNLOADING', 'DOWNLOADED', 'INSTALLING', 'SUCCESS'],
      ['DOWNLOADING', 'DOWNLOADED', 'REJECTED'],
      ['DOWNLOADING', 'FAILED'],
    );
    const received = attempt.chain((reports) =>
      fc.array(fc.constantFrom(...reports)).map((repeated) => [...reports, ...repeated]),
    );
    const shuffled = received.chain((reports) =>
      fc.shuffledSubarray(reports, { minLength: reports.length }).map((order) => ({ reports, order })),
    );
    fc.assert(
      fc.property(shuffled, ({ reports, order }) => {
        const last = reports.find((state) => ['SUCCESS', 'REJECTED', 'FAILED'].includes(state));
        let state: DeploymentState = 'SCHEDULED';
        let failures = 0;
        for (const report of order) {
          // The conditional update of the repository, for the first attempt.
          if (failures > 0 || report === 'SCHEDULED' || !statesBefore(report).includes(state)) continue;
          state = report;
          if (report === 'FAILED' || report === 'REJECTED') failures += 1;
        }
        expect(state).toBe(last);
        expect(failures).toBe(last === 'SUCCESS' ? 0 : 1);
      }),
      { numRuns: propertyRuns(200) },
    );
  });
});

describe('findCandidates', () => {
  const find = (
    { version = '1.0.0', groupIds = [] as string[] },
    images: FirmwareImageEntity[],
    rollouts: FirmwareRolloutEntity[],
    deployments: FirmwareDeploymentEntity[] = [],
  ) =>
    findCandidates({ version, groupIds: new Set(groupIds), images, rollouts, deployments }).map(
      ({ image }) => image.version,
    );
  const [old, newer] = [createImage('1.9.0'), createImage('1.10.0')];
  const rolloutOf = ({ imageId }: FirmwareImageEntity, changes: Partial<FirmwareRolloutEntity> = {}) =>
    createRollout({ imageId, ...changes });

  test('returns newer versions only, the newest first', () => {
    const rollouts = [rolloutOf(old), rolloutOf(newer)];
    expect(find({}, [old, newer], rollouts)).toEqual(['1.10.0', '1.9.0']);
    expect(find({ version: '1.9.0' }, [old, newer], rollouts)).toEqual(['1.10.0']);
    expect(find({ version: '1.10' }, [old, newer], rollouts)).toEqual(['1.10.0']);
    expect(find({ version: '2' }, [old, newer], rollouts)).toEqual([]);
    expect(find({ version: 'prototype 3' }, [old, newer], rollouts)).toEqual(['1.10.0', '1.9.0']);
  });

  test.each<[RolloutState, boolean, boolean]>([
    ['SCHEDULED', false, false],
    ['RUNNING', true, true],
    ['PAUSED', true, false],
    ['FINISHED', true, true],
    ['STOPPED', false, false],
  ])('watches wait for a rollout in state %s: %s, and get its image: %s', (state, isCandidate, isOffered) => {
    const rollout = rolloutOf(old, { state });
    expect(find({}, [old], [rollout])).toEqual(isCandidate ? ['1.9.0'] : []);
    expect([isActive(rollout, 1), isActive(rollout, 2)]).toEqual([isOffered, false]);
  });

  test('a rollout for a group concerns only watches of the group', () => {
    const groupId = randomUUID();
    const rollout = rolloutOf(old, { groupId });
    expect(find({}, [old], [rollout])).toEqual([]);
    expect(find({ groupIds: [groupId] }, [old], [rollout])).toEqual(['1.9.0']);
  });

  test('an image that has failed twice or was rejected is not offered again, also not by another rollout', () => {
    const [stopped, running] = [rolloutOf(old, { state: 'STOPPED' }), rolloutOf(old)];
    const offered = (...deployments: FirmwareDeploymentEntity[]) => find({}, [old], [stopped, running], deployments);
    expect(offered(createDeployment(stopped, 'FAILED', 1))).toEqual(['1.9.0']);
    expect(offered(createDeployment(running, 'FAILED', 1))).toEqual(['1.9.0']);
    expect(offered(createDeployment(running, 'FAILED', 2))).toEqual([]);
    expect(offered(createDeployment(stopped, 'FAILED', 1), createDeployment(running, 'DOWNLOADING', 1))).toEqual([]);
    expect(offered(createDeployment(stopped, 'REJECTED', 1))).toEqual([]);
    expect(offered(createDeployment(running, 'SUCCESS'))).toEqual([]);
  });

  test('of rollouts of one image, the begun update comes first, and then the oldest rollout', () => {
    const [first, second] = [rolloutOf(old, { createdAt: 1 }), rolloutOf(old, { createdAt: 2 })];
    const order = (rollouts: FirmwareRolloutEntity[], ...deployments: FirmwareDeploymentEntity[]) => {
      const watch = { version: '1.0.0', groupIds: new Set<string>(), images: [old], rollouts, deployments };
      return findCandidates(watch).map(({ rollout }) => rollout.createdAt);
    };
    for (const rollouts of [
      [first, second],
      [second, first],
    ]) {
      expect(order(rollouts)).toEqual([1, 2]);
      expect(order(rollouts, createDeployment(second, 'SCHEDULED'), createDeployment(first, 'FAILED', 1))).toEqual([
        1, 2,
      ]);
      expect(order(rollouts, createDeployment(second, 'DOWNLOADED'))).toEqual([2, 1]);
    }
  });

  test.each(Object.values(DEPLOYMENT_STATE))('a deployment in state %s is offered until it has ended', (state) => {
    const rollout = rolloutOf(old);
    const hasEnded = state === 'SUCCESS' || state === 'REJECTED';
    expect(find({}, [old], [rollout], [createDeployment(rollout, state)])).toEqual(hasEnded ? [] : ['1.9.0']);
  });
});

test('compareFirmwareVersions orders versions number by number', () => {
  const number = fc.nat(12);
  const version = fc.array(number, { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(version, version, (one, other) => {
      const expected = one.findIndex((part, index) => part !== other[index]);
      const difference = expected === -1 ? one.length - other.length : (one[expected] ?? -1) - (other[expected] ?? -1);
      expect(Math.sign(compareFirmwareVersions(one.join('.'), other.join('.')))).toBe(Math.sign(difference));
    }),
    { numRuns: propertyRuns(200) },
  );
  expect(compareFirmwareVersions('prototype', '0')).toBeLessThan(0);
});
