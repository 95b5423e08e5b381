import { createHash, generateKeyPairSync, randomBytes, randomUUID, sign } from 'node:crypto';
import type { INestApplicationContext } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { firmwareSigningPayload, type ReportedDeploymentState } from '@family-watch/domain/watches/contracts/firmware';
import type {
  CreateRolloutDto,
  FirmwareCheckDto,
  FirmwareUpdateDto,
} from '@family-watch/domain/watches/dto/firmware.dto';
import { FirmwareGroupsService } from '../../../src/watches/firmware/firmware-groups.service.js';
import { FirmwareImagesService } from '../../../src/watches/firmware/firmware-images.service.js';
import { ADVANCE_JOB, RolloutsService, STALLED_AFTER_MS } from '../../../src/watches/firmware/rollouts.service.js';
import { WatchUpdatesService } from '../../../src/watches/firmware/watch-updates.service.js';
import { SosService } from '../../../src/sos/sos.service.js';
import { SchoolTimesService } from '../../../src/watches/settings/school-times.service.js';
import { runWithTransaction } from '@family-watch/platform/database/transaction-context';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { UserctxUnitOfWork } from '../../../src/infrastructure/userctx-infrastructure.js';
import { createBoundFamily, outcomeOf } from '../../support/bound-family-fixture.js';
import { WatchesTestEnvironment } from '../../support/watches-test-environment.js';

const ORIGIN = 'https://watch.example';
const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const trustedKey = publicKey.export({ format: 'jwk' }).x ?? '';

let environment: WatchesTestEnvironment;
let replica: INestApplicationContext;
let images: FirmwareImagesService;
let groups: FirmwareGroupsService;
let rollouts: RolloutsService;
let updates: WatchUpdatesService;

beforeAll(async () => {
  environment = await WatchesTestEnvironment.open({ FIRMWARE_PUBLIC_KEYS: `release=${trustedKey}` });
  // The test runs the job at times of its own and acts as mcdisk.
  replica = await environment.replica({}, { isRelayDisabled: true, disabledJobs: [ADVANCE_JOB] });
  images = replica.get(FirmwareImagesService);
  groups = replica.get(FirmwareGroupsService);
  rollouts = replica.get(RolloutsService);
  updates = replica.get(WatchUpdatesService);
});
afterAll(() => environment.close());

const uniqueModel = (): string => `W7-${randomUUID().slice(0, 8)}`;

function signedImage(model: string, version: string, key = privateKey) {
  const manifest = {
    model,
    version,
    size: 1_000,
    digest: createHash('sha256')
      .update(model + version)
      .digest('hex'),
  };
  const signature = sign(null, Buffer.from(firmwareSigningPayload(manifest)), key).toString('base64url');
  return { ...manifest, signature, keyId: 'release' };
}

const announce = (image: ReturnType<typeof signedImage>) => images.create(image, ORIGIN, 'operator:suite');

async function markStored(imageId: string): Promise<void> {
  const payload = { imageId, size: 1_000, digest: '', time: Date.now() };
  await environment.deliver(replica, 'userctx.firmware.image-stored', {
    name: 'mcdisk.firmware-image.stored',
    payload,
  });
}

async function createReadyImage(model: string, version = '2.0.0'): Promise<string> {
  const { imageId } = await announce(signedImage(model, version));
  await markStored(imageId);
  return imageId;
}

async function startRollout(request: CreateRolloutDto): Promise<string> {
  const { rolloutId } = await rollouts.create(request);
  await rollouts.change({ rolloutId, action: 'START' });
  return rolloutId;
}

/** Enrols watches without keys of their own. Returns their ids in ascending order. */
async function addWatches(model: string, count: number): Promise<number[]> {
  const rows = await environment.query<{ did: number }>(
    `INSERT INTO userctx.watch (did, public_key, imei, model, firmware_version, enrolled_at, last_contact_at)
     SELECT (('x' || encode(substring(key FOR 6), 'hex'))::bit(48)::bigint) + 1, key, '490154203237518', $1, '1.0.0', $3, $3
       FROM unnest($2::bytea[]) AS key RETURNING did`,
    [model, Array.from({ length: count }, () => randomBytes(32)), Date.now()],
  );
  return rows.map(({ did }) => did).toSorted((one, other) => one - other);
}

const check = (
  did: number,
  more: Partial<Parameters<WatchUpdatesService['check']>[1]> = {},
): Promise<FirmwareCheckDto> =>
  updates.check(did, { firmwareVersion: '1.0.0', battery: 80, charging: false, ...more }, ORIGIN);

async function offered(did: number): Promise<FirmwareUpdateDto> {
  const { update } = await check(did);
  if (!update) throw new Error('No update was offered');
  return update;
}

const report = (did: number, update: { deploymentId: string; attempt: number }, state: ReportedDeploymentState) =>
  updates.report(did, { deploymentId: update.deploymentId, attempt: update.attempt, state });

const stateOf = async (rolloutId: string) => {
  const { state, currentWave } = await rollouts.get(rolloutId);
  return [state, currentWave];
};

/** Runs `work` for all items, twenty at a time. */
async function forAll<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const rest = items.values();
  await Promise.all(
    Array.from({ length: 20 }, async () => {
      for (const item of rest) await work(item);
    }),
  );
}

describe('images', () => {
  test('accepts an image only with a valid signature of a trusted key over model, version, size and digest', async () => {
    const image = signedImage(uniqueModel(), '2.0.0');
    const outcomes = [
      { ...image, version: '2.0.1' },
      { ...image, model: 'W8' },
      { ...image, size: 1_001 },
      { ...image, digest: '0'.repeat(64) },
      { ...image, keyId: 'unknown' },
      { ...image, keyId: 'constructor' },
      signedImage(image.model, '2.0.0', generateKeyPairSync('ed25519').privateKey),
    ].map((forged) => outcomeOf(() => announce(forged)));
    expect(new Set(await Promise.all(outcomes))).toEqual(new Set(['FIRMWARE_SIGNATURE_INVALID']));
    const { imageId, uploadUrl } = await announce(image);
    expect(uploadUrl).toMatch(/^https:\/\/watch\.example\/app-api\/mcdisk\/firmware\/image\?ticket=/);
    expect(await announce(image)).toMatchObject({ imageId, uploadUrl: expect.any(String) });
    await markStored(imageId);
    expect(await announce(image)).toMatchObject({ imageId, uploadUrl: null });
    const other = { ...image, size: 2_000 };
    const signature = sign(null, Buffer.from(firmwareSigningPayload(other)), privateKey).toString('base64url');
    expect(await outcomeOf(() => announce({ ...other, signature }))).toBe('FIRMWARE_IMAGE_EXISTS');
  });

  test('withdraws an image with its rollouts, and publishes this once', async () => {
    const model = uniqueModel();
    const [did = 0] = await addWatches(model, 1);
    const imageId = await createReadyImage(model);
    const rolloutId = await startRollout({ imageId, waves: [100] });
    await offered(did);
    await images.withdraw(imageId);
    await images.withdraw(imageId);
    expect(await environment.events('userctx.firmware-image.withdrawn', imageId)).toHaveLength(1);
    expect(await stateOf(rolloutId)).toEqual(['STOPPED', 1]);
    expect(await check(did)).toMatchObject({ update: null, missingConditions: [] });
    // Bytes that arrive late do not revive the image.
    await markStored(imageId);
    expect(await outcomeOf(() => rollouts.create({ imageId }))).toBe('FIRMWARE_IMAGE_STATE');
    expect(await outcomeOf(() => announce(signedImage(model, '2.0.0')))).toBe('FIRMWARE_IMAGE_EXISTS');
    expect(await outcomeOf(() => images.withdraw(randomUUID()))).toBe('FIRMWARE_IMAGE_NOT_FOUND');
    expect(await outcomeOf(() => images.withdraw('x'))).toBe('FIRMWARE_IMAGE_NOT_FOUND');
  });
});

describe('rollouts', () => {
  test('a rollout to 10,000 watches of which 3 % fail pauses at its threshold, resumes, and finishes', async () => {
    const model = uniqueModel();
    await addWatches(model, 10_000);
    const imageId = await createReadyImage(model);
    const request = { imageId, waves: [10, 40, 100], successThreshold: 95, errorThreshold: 2 };
    const rolloutId = await startRollout(request);
    const deployments = await environment.query<{ deploymentId: string; did: number; wave: number }>(
      'SELECT deployment_id AS "deploymentId", did, wave FROM userctx.firmware_deployment WHERE rollout_id = $1',
      [rolloutId],
    );
    expect(deployments).toHaveLength(10_000);
    const waveSizes = [1, 2, 3].map((wave) => deployments.filter((each) => each.wave === wave).length);
    for (const [index, share] of [1_000, 3_000, 6_000].entries())
      expect(Math.abs((waveSizes[index] ?? 0) - share)).toBeLessThan(250);

    // Of each wave, 3 % fail. A paused rollout still accepts reports of begun updates.
    const [failing = [], working = []] = [0, 1].map((part) =>
      [1, 2, 3].map((wave) => {
        const ofWave = deployments.filter((each) => each.wave === wave);
        const failures = Math.ceil(ofWave.length * 0.03);
        return part === 0 ? ofWave.slice(0, failures) : ofWave.slice(failures);
      }),
    );
    type Watches = typeof deployments;
    const reportAll = (watches: Watches = [], state: ReportedDeploymentState, attempt = 1) =>
      forAll(watches, ({ did, deploymentId }) => report(did, { deploymentId, attempt }, state));
    /** Stores the success of the watches of a wave that have not reported. Their reports are all the same. */
    const succeedOthers = (wave: number) =>
      environment.query(
        `UPDATE userctx.firmware_deployment SET state = 'SUCCESS'
          WHERE rollout_id = $1 AND wave = $2 AND state = 'SCHEDULED'`,
        [rolloutId, wave],
      );
    const resume = () => rollouts.change({ rolloutId, action: 'RESUME' });

    // 2 % of the watches of the first wave.
    const threshold = Math.ceil((waveSizes[0] ?? 0) * 0.02);
    await reportAll(failing[0]?.slice(0, threshold - 1), 'FAILED');
    expect(await stateOf(rolloutId)).toEqual(['RUNNING', 1]);
    await reportAll(failing[0]?.slice(threshold - 1), 'FAILED');
    expect(await stateOf(rolloutId)).toEqual(['PAUSED', 1]);
    const waiting = working[0]?.[0]?.did ?? 0;
    const waits = await check(waiting);
    expect(waits).toMatchObject({ update: null, missingConditions: [] });
    // The operator may resume the rollout soon.
    expect(waits.retryAfter).toBeLessThan(5 * 3_600);
    await resume();
    expect(await check(waiting)).toMatchObject({ update: { version: '2.0.0', attempt: 1 } });
    await reportAll(failing[0], 'FAILED', 2);
    await reportAll(working[0]?.slice(0, 100), 'SUCCESS');
    // Repetitions are harmless.
    await reportAll(working[0]?.slice(0, 100), 'DOWNLOADING');
    await succeedOthers(1);
    await rollouts.advance(Date.now());
    expect(await stateOf(rolloutId)).toEqual(['RUNNING', 2]);

    await Promise.all([reportAll(failing[1], 'REJECTED'), reportAll(working[1]?.slice(0, 200), 'SUCCESS')]);
    await succeedOthers(2);
    expect(await stateOf(rolloutId)).toEqual(['PAUSED', 2]);
    await resume();
    await rollouts.advance(Date.now());
    expect(await stateOf(rolloutId)).toEqual(['RUNNING', 3]);

    await reportAll(failing[2], 'REJECTED');
    expect(await stateOf(rolloutId)).toEqual(['PAUSED', 3]);
    await resume();
    await succeedOthers(3);
    await rollouts.advance(Date.now());
    expect(await stateOf(rolloutId)).toEqual(['FINISHED', 3]);
    const reported = failing.flat().length;
    const { progress } = await rollouts.get(rolloutId);
    expect(progress.map(({ watches }) => watches)).toEqual(waveSizes);
    expect(progress.reduce((sum, { failed }) => sum + failed, 0)).toBe(reported);
    expect(progress.reduce((sum, { succeeded }) => sum + succeeded, 0)).toBe(10_000 - reported);
  });

  test('of concurrent errors, exactly as many are accepted as are committed when the threshold pauses the rollout', async () => {
    const model = uniqueModel();
    const dids = await addWatches(model, 100);
    const imageId = await createReadyImage(model);
    const rolloutId = await startRollout({ imageId, waves: [100], errorThreshold: 10, errorAction: 'STOP' });
    const failing = await Promise.all(dids.slice(0, 9).map(async (did) => ({ did, update: await offered(did) })));
    await Promise.all(failing.map(({ did, update }) => report(did, update, 'FAILED')));
    expect(await stateOf(rolloutId)).toEqual(['RUNNING', 1]);
    await Promise.all(
      dids.slice(9, 20).map(async (did) => {
        const { update } = await check(did);
        if (update) await report(did, update, 'REJECTED');
      }),
    );
    expect(await stateOf(rolloutId)).toEqual(['STOPPED', 1]);
    expect(await outcomeOf(() => rollouts.change({ rolloutId, action: 'RESUME' }))).toBe('ROLLOUT_STATE');
    expect((await check(dids[50] ?? 0)).update).toBeNull();
  });

  test('a watch is in the same wave of every rollout with the same waves', async () => {
    const model = uniqueModel();
    await addWatches(model, 200);
    const waves = [20, 60, 100];
    const started = [];
    for (const version of ['2.0.0', '2.1.0'])
      started.push(await startRollout({ imageId: await createReadyImage(model, version), waves }));
    const pairs = await environment.query<{ first: number; second: number }>(
      `SELECT one.wave AS first, other.wave AS second FROM userctx.firmware_deployment one
         JOIN userctx.firmware_deployment other ON other.did = one.did AND other.rollout_id = $2
        WHERE one.rollout_id = $1`,
      started,
    );
    expect(pairs).toHaveLength(200);
    expect(new Set(pairs.map(({ first }) => first))).toEqual(new Set([1, 2, 3]));
    expect(pairs.filter(({ first, second }) => first !== second)).toEqual([]);
  });

  test('an action is possible only in the states for it, and an unknown rollout is reported', async () => {
    const model = uniqueModel();
    const imageId = await createReadyImage(model);
    const { rolloutId } = await rollouts.create({ imageId });
    const change = (action: 'START' | 'PAUSE' | 'RESUME' | 'ADVANCE' | 'STOP') =>
      outcomeOf(() => rollouts.change({ rolloutId, action }));
    expect([await change('PAUSE'), await change('RESUME'), await change('ADVANCE')]).toEqual(
      Array.from({ length: 3 }, () => 'ROLLOUT_STATE'),
    );
    expect([await change('START'), await change('START')]).toEqual(['ok', 'ROLLOUT_STATE']);
    expect([await change('ADVANCE'), await change('PAUSE'), await change('ADVANCE')]).toEqual([
      'ok',
      'ok',
      'ROLLOUT_STATE',
    ]);
    expect([await change('STOP'), await change('STOP')]).toEqual(['ok', 'ROLLOUT_STATE']);
    for (const unknown of [randomUUID(), 'x'])
      expect(await outcomeOf(() => rollouts.change({ rolloutId: unknown, action: 'STOP' }))).toBe('ROLLOUT_NOT_FOUND');
  });

  test('a rollout starts at its time, and its download counts as failed after 24 hours, but not while it is paused', async () => {
    const model = uniqueModel();
    const [did = 0] = await addWatches(model, 1);
    const imageId = await createReadyImage(model);
    const startAt = Date.now() + 3_600_000;
    const { rolloutId } = await rollouts.create({ imageId, waves: [100], errorThreshold: 100, startAt });
    await rollouts.advance(startAt - 1);
    expect((await check(did)).update).toBeNull();
    await rollouts.advance(startAt);
    const update = await offered(did);
    await report(did, update, 'DOWNLOADING');
    await rollouts.change({ rolloutId, action: 'PAUSE' });
    await rollouts.advance(Date.now() + 2 * STALLED_AFTER_MS);
    await rollouts.change({ rolloutId, action: 'RESUME' });
    await rollouts.advance(Date.now() + STALLED_AFTER_MS - 60_000);
    expect(await offered(did)).toMatchObject({ attempt: 1 });
    await rollouts.advance(Date.now() + STALLED_AFTER_MS + 60_000);
    // The only watch has failed, so the rollout pauses.
    expect(await stateOf(rolloutId)).toEqual(['PAUSED', 1]);
    await rollouts.change({ rolloutId, action: 'RESUME' });
    expect(await offered(did)).toMatchObject({ deploymentId: update.deploymentId, attempt: 2 });
    const { items } = await rollouts.listDeployments({ rolloutId, state: 'FAILED' });
    expect(items).toEqual([expect.objectContaining({ did, failures: 1, error: 'no report in time' })]);
  });
});

describe('large rollouts', () => {
  test('errors of many watches are stored while the rollout is locked, and one evaluation waits for the lock', async () => {
    const model = uniqueModel();
    const dids = await addWatches(model, 40);
    const imageId = await createReadyImage(model);
    const rolloutId = await startRollout({ imageId, waves: [100], errorThreshold: 50 });
    const begun = await Promise.all(dids.slice(0, 30).map(async (did) => ({ did, update: await offered(did) })));
    const unitOfWork = replica.get(UserctxUnitOfWork);
    const sendReports = async () => {
      const sent = begun.map(({ did, update }) => report(did, update, 'FAILED'));
      await waitUntil('the reports are stored', async () => {
        const { items } = await rollouts.listDeployments({ rolloutId, state: 'FAILED' });
        return items.length === begun.length;
      });
      // The job does not wait for the lock.
      await rollouts.advance(Date.now());
      return sent;
    };
    const reports = await unitOfWork.run(async () => {
      const lock = 'SELECT FROM userctx.firmware_rollout WHERE rollout_id = $1 FOR UPDATE';
      await unitOfWork.executor.query(lock, [rolloutId]);
      return runWithTransaction(undefined, sendReports);
    });
    await Promise.all(reports);
    expect(await stateOf(rolloutId)).toEqual(['PAUSED', 1]);
  });

  test('an error of a watch that joined a finished rollout counts, and operators can pause a finished rollout', async () => {
    const model = uniqueModel();
    const rolloutId = await startRollout({ imageId: await createReadyImage(model), waves: [50, 100] });
    await rollouts.advance(Date.now());
    expect(await stateOf(rolloutId)).toEqual(['FINISHED', 2]);
    const [first = 0, second = 0] = await addWatches(model, 2);
    const update = await offered(first);
    await rollouts.change({ rolloutId, action: 'PAUSE' });
    expect((await check(second)).update).toBeNull();
    await rollouts.change({ rolloutId, action: 'RESUME' });
    await rollouts.advance(Date.now());
    await report(first, update, 'FAILED');
    expect(await stateOf(rolloutId)).toEqual(['PAUSED', 2]);
    expect((await check(second)).update).toBeNull();
  });

  test('a watch that will never end keeps its rollout running, and an error without a further report is noticed', async () => {
    const model = uniqueModel();
    const dids = await addWatches(model, 3);
    const rolloutId = await startRollout({ imageId: await createReadyImage(model), waves: [100], errorThreshold: 50 });
    const [first = 0, second = 0, lost = 0] = dids;
    await report(first, await offered(first), 'SUCCESS');
    for (const did of [second, lost]) await report(did, await offered(did), 'INSTALLING');
    await rollouts.advance(Date.now());
    expect(await stateOf(rolloutId)).toEqual(['RUNNING', 1]);
    await rollouts.advance(Date.now() + STALLED_AFTER_MS + 60_000);
    expect(await stateOf(rolloutId)).toEqual(['PAUSED', 1]);
  });

  test('the job evaluates an error in the last wave whose evaluation was lost', async () => {
    const model = uniqueModel();
    await addWatches(model, 3);
    const rolloutId = await startRollout({ imageId: await createReadyImage(model), waves: [100] });
    await environment.query(
      `UPDATE userctx.firmware_deployment SET state = 'FAILED', failures = 1, changed_at = $2
        WHERE did = (SELECT min(did) FROM userctx.firmware_deployment WHERE rollout_id = $1)`,
      [rolloutId, Date.now()],
    );
    await rollouts.advance(Date.now());
    expect(await stateOf(rolloutId)).toEqual(['PAUSED', 1]);
  });

  test('a stopped rollout is deleted after a year if its image was withdrawn, and otherwise still prevents its image', async () => {
    const later = Date.now() + 400 * 24 * 3_600_000;
    const model = uniqueModel();
    const [did = 0] = await addWatches(model, 1);
    const imageId = await createReadyImage(model);
    const rolloutId = await startRollout({ imageId, waves: [100] });
    await report(did, await offered(did), 'REJECTED');
    await rollouts.change({ rolloutId, action: 'STOP' });
    await rollouts.deleteOld(later);
    await startRollout({ imageId, waves: [100] });
    expect((await check(did)).update).toBeNull();
    await images.withdraw(imageId);
    await rollouts.deleteOld(Date.now());
    expect(await stateOf(rolloutId)).toEqual(['STOPPED', 1]);
    await rollouts.deleteOld(later);
    expect(await outcomeOf(() => rollouts.get(rolloutId))).toBe('ROLLOUT_NOT_FOUND');
  });
});

describe('updates of a watch', () => {
  test('an image that has failed twice on a watch is not offered to it again, and a repeated report counts once', async () => {
    const model = uniqueModel();
    const [did = 0, other = 0] = await addWatches(model, 2);
    const imageId = await createReadyImage(model);
    await startRollout({ imageId, waves: [100], errorThreshold: 100 });
    const first = await offered(did);
    await report(did, first, 'DOWNLOADING');
    await Promise.all([report(did, first, 'FAILED'), report(did, first, 'FAILED')]);
    await report(did, first, 'SUCCESS');
    const second = await offered(did);
    expect(second).toMatchObject({ deploymentId: first.deploymentId, attempt: 2 });
    await report(did, second, 'INSTALLING');
    await report(did, second, 'FAILED');
    expect((await check(did)).update).toBeNull();
    await startRollout({ imageId, waves: [100] });
    expect((await check(did)).update).toBeNull();
    expect(await offered(other)).toMatchObject({ attempt: 1 });
    for (const foreign of [first.deploymentId, randomUUID(), 'x'])
      expect(await outcomeOf(() => report(other, { deploymentId: foreign, attempt: 1 }, 'SUCCESS'))).toBe(
        'DEPLOYMENT_NOT_FOUND',
      );
  });

  test('a watch gets the newest image, and the version of the watch ends updates whose reports were lost', async () => {
    const model = uniqueModel();
    const [did = 0] = await addWatches(model, 1);
    const older = await startRollout({ imageId: await createReadyImage(model, '1.9.0'), waves: [100] });
    const update = await offered(did);
    expect(update.version).toBe('1.9.0');
    await report(did, update, 'DOWNLOADING');
    const newer = await startRollout({ imageId: await createReadyImage(model, '1.10.0'), waves: [100] });
    expect((await offered(did)).version).toBe('1.10.0');
    // The watch does not install the older image any more, so this is no failed attempt.
    await rollouts.advance(Date.now() + 2 * STALLED_AFTER_MS);
    expect((await rollouts.get(older)).progress).toMatchObject([{ failed: 0, inProgress: 0 }]);
    expect(await check(did, { firmwareVersion: '1.10.0' })).toMatchObject({ update: null });
    for (const rolloutId of [older, newer])
      expect((await rollouts.get(rolloutId)).progress).toMatchObject([{ watches: 1, succeeded: 1 }]);
  });

  test('a watch waits for its wave, and a watch that joins a group later gets the image of the group', async () => {
    const model = uniqueModel();
    const dids = await addWatches(model, 4);
    const [member = 0, late = 0, outsider = 0, joiner = 0] = dids;
    const { groupId } = await groups.create(uniqueModel());
    expect(await groups.addWatches({ groupId, dids: [member, 1] })).toEqual({ changed: 1 });
    const rolloutId = await startRollout({ imageId: await createReadyImage(model), groupId, waves: [100] });
    expect((await check(late)).update).toBeNull();
    await offered(member);
    expect(await groups.addWatches({ groupId, dids: [member, late] })).toEqual({ changed: 1 });
    const update = await offered(late);
    expect((await check(outsider)).update).toBeNull();
    expect(await groups.removeWatches({ groupId, dids: [late, outsider] })).toEqual({ changed: 1 });
    expect((await check(late)).update).toBeNull();
    expect(await outcomeOf(() => report(late, update, 'SUCCESS'))).toBe('DEPLOYMENT_NOT_FOUND');
    expect(await groups.listWatches({ groupId, limit: 1 })).toEqual({ items: [member], nextCursor: null });
    expect(await outcomeOf(() => groups.delete(groupId))).toBe('FIRMWARE_GROUP_IN_USE');
    await report(member, await offered(member), 'SUCCESS');
    await rollouts.advance(Date.now());
    expect(await stateOf(rolloutId)).toEqual(['FINISHED', 1]);
    await groups.addWatches({ groupId, dids: [outsider, joiner] });
    expect(await offered(outsider)).toMatchObject({ version: '2.0.0' });

    // A watch that is removed while it checks gets no update, which would otherwise keep the rollout running forever.
    const unitOfWork = replica.get(UserctxUnitOfWork);
    const joining = await unitOfWork.run(async () => {
      await groups.removeWatches({ groupId, dids: [joiner] });
      return runWithTransaction(undefined, async () => {
        const checking = check(joiner);
        await environment.waitForBlockedStatement();
        return { checking };
      });
    });
    expect((await joining.checking).update).toBeNull();
    const { items } = await rollouts.listDeployments({ rolloutId });
    expect(items.map(({ did }) => did)).not.toContain(joiner);

    const waved = uniqueModel();
    const [first = 0] = await addWatches(waved, 1);
    const second = await startRollout({ imageId: await createReadyImage(waved), waves: [1, 100] });
    await environment.query('UPDATE userctx.firmware_deployment SET wave = 2 WHERE rollout_id = $1', [second]);
    expect((await check(first)).retryAfter).toBeLessThan(5 * 3_600);
    await rollouts.advance(Date.now());
    expect(await stateOf(second)).toEqual(['RUNNING', 2]);
    await offered(first);
  });

  test('the family of a bound watch is notified once of an installation, also if the report of success was lost', async () => {
    const { watch, cid, familyId } = await createBoundFamily(environment, replica);
    const { did } = watch;
    const model = uniqueModel();
    await environment.query('UPDATE userctx.watch SET model = $2 WHERE did = $1', [did, model]);
    const installed = () => environment.events('userctx.firmware.installed', familyId);
    await startRollout({ imageId: await createReadyImage(model, '2.0.0'), waves: [100], minBattery: 0 });
    const first = await offered(did);
    await report(did, first, 'SUCCESS');
    await report(did, first, 'SUCCESS');
    await check(did, { firmwareVersion: '2.0.0' });
    const payload = { familyId, cid, did, time: expect.any(Number) };
    expect(await installed()).toEqual([{ ...payload, version: '2.0.0' }]);
    await startRollout({ imageId: await createReadyImage(model, '2.1.0'), waves: [100] });
    await report(did, (await check(did, { firmwareVersion: '2.0.0' })).update ?? first, 'INSTALLING');
    await check(did, { firmwareVersion: '2.1.0' });
    await check(did, { firmwareVersion: '2.1.0' });
    expect(await installed()).toEqual([
      { ...payload, version: '2.0.0' },
      { ...payload, version: '2.1.0' },
    ]);
    // A watch that already has the version has installed nothing.
    await startRollout({ imageId: await createReadyImage(model, '2.1.1'), waves: [100] });
    await check(did, { firmwareVersion: '2.1.1' });
    expect(await installed()).toHaveLength(2);
  });

  test('an update waits for battery, charger, the end of school time and the end of an SOS', async () => {
    const { owner, watch, cid } = await createBoundFamily(environment, replica);
    const { did } = watch;
    const model = uniqueModel();
    await environment.query('UPDATE userctx.watch SET model = $2 WHERE did = $1', [did, model]);
    const imageId = await createReadyImage(model);
    await startRollout({ imageId, waves: [100], minBattery: 50, requiresCharging: true });
    expect(await check(did, { battery: 49, charging: false })).toMatchObject({
      update: null,
      missingConditions: ['BATTERY', 'CHARGING'],
      retryAfter: expect.any(Number),
    });
    const isUpdated = async () => check(did, { battery: 50, charging: true });
    expect((await isUpdated()).update).not.toBeNull();
    const schoolTimes = replica.get(SchoolTimesService);
    await schoolTimes.create(owner, { did, start: '08:00', end: '12:00', weekdays: [1, 2, 3, 4, 5, 6, 7] });
    // 9 o'clock in Shanghai.
    jest.useFakeTimers({ doNotFake: ['setTimeout', 'setInterval', 'setImmediate', 'nextTick', 'queueMicrotask'] });
    try {
      jest.setSystemTime(new Date('2026-11-25T01:00:00Z'));
      const { missingConditions, retryAfter } = await isUpdated();
      expect(missingConditions).toEqual(['SCHOOL_TIME']);
      expect(retryAfter).toBeGreaterThanOrEqual(3 * 3_600);
      expect(retryAfter).toBeLessThan(4 * 3_600);
      jest.setSystemTime(new Date('2026-11-25T04:00:00Z'));
      expect((await isUpdated()).update).not.toBeNull();
    } finally {
      jest.useRealTimers();
    }
    const raised = await replica.get(SosService).raise(watch.principal, {});
    expect((await isUpdated()).missingConditions).toContain('SOS');
    await replica.get(SosService).resolve(owner, { cid, sosId: raised.sosId });
    expect((await isUpdated()).missingConditions).not.toContain('SOS');
  });
});
