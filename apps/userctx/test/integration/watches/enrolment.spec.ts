import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import { enrolmentSigningPayload, manufacturerSigningPayload } from '@family-watch/domain/watches/contracts/watch';
import { TokenVerifier } from '@family-watch/platform/auth/token-verifier';
import { KeyRingService } from '../../../src/accounts/keys/key-ring.service.js';
import { parsePublicKey } from '../../../src/watches/identity/ed25519.js';
import {
  WatchIdentityService,
  randomDid,
  UNBOUND_WATCH_RETENTION_MS,
} from '../../../src/watches/identity/watch-identity.service.js';
import { NONCE_TTL_MS } from '../../../src/watches/identity/watch-nonces.js';
import { WatchRepository } from '../../../src/watches/watch.repository.js';
import { createImei, changeOneCharacter, TestWatch } from '../../support/test-watch.js';
import { WatchesTestEnvironment } from '../../support/watches-test-environment.js';

/** Production permits SMS to a file only with an explicit setting. */
const PRODUCTION = { NODE_ENV: 'production', SMS_FILE_IN_PRODUCTION: 'yes' } as const;

let environment: WatchesTestEnvironment;
let replica: INestApplicationContext;
let enrolment: WatchIdentityService;

beforeAll(async () => {
  environment = await WatchesTestEnvironment.open();
  replica = await environment.replica();
  enrolment = replica.get(WatchIdentityService);
});

afterEach(() => {
  jest.restoreAllMocks();
});

afterAll(() => environment.close());

function advanceClock(milliseconds: number): void {
  const now = Date.now();
  jest.spyOn(Date, 'now').mockImplementation(() => now + milliseconds);
}

function errorWith(reason: string) {
  return expect.objectContaining({ reason });
}

describe('A8 enrolment', () => {
  test('returns the same device id (did) for the same key and another one for another key', async () => {
    const watch = await TestWatch.createEnrolled(replica);
    expect(await enrolment.enrol(watch.enrolment(replica))).toBe(watch.did);
    const other = await TestWatch.createEnrolled(replica, watch.imei);
    expect(other.did).not.toBe(watch.did);
  });

  test('returns one device id (did) for concurrent enrolments of the same key', async () => {
    const watch = new TestWatch();
    const requests = Array.from({ length: 8 }, () => watch.enrolment(replica));
    const dids = await Promise.all(requests.map((request) => enrolment.enrol(request)));
    expect(new Set(dids).size).toBe(1);
  });

  test('rejects a repeated enrolment request, even a concurrent one', async () => {
    const request = new TestWatch().enrolment(replica);
    const results = await Promise.allSettled([enrolment.enrol(request), enrolment.enrol(request)]);
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    await expect(enrolment.enrol({ ...request, model: 'other' })).rejects.toEqual(errorWith('PROOF_INVALID'));
    const [{ model } = { model: '' }] = await environment.query<{ model: string }>(
      'SELECT model FROM userctx.watch WHERE imei = $1',
      [request.imei],
    );
    expect(model).toBe('W7');
  });

  test('rejects an expired nonce', async () => {
    const request = new TestWatch().enrolment(replica);
    advanceClock(NONCE_TTL_MS);
    await expect(enrolment.enrol(request)).rejects.toEqual(errorWith('PROOF_INVALID'));
  });

  test('rejects a proof with another key, IMEI, nonce or audience', async () => {
    const [watch, stranger] = [new TestWatch(), new TestWatch()];
    const valid = watch.enrolment(replica);
    const payloadForOtherAudience = enrolmentSigningPayload(
      { audience: 'https://elsewhere.example', nonce: valid.nonce },
      watch.imei,
    );
    const forgeries = [
      { ...valid, proof: stranger.enrolment(replica).proof },
      { ...valid, publicKey: stranger.publicKey },
      { ...valid, imei: createImei() },
      { ...valid, nonce: stranger.enrolment(replica).nonce },
      { ...valid, nonce: changeOneCharacter(valid.nonce) },
      { ...valid, proof: changeOneCharacter(valid.proof) },
      { ...valid, proof: watch.sign(payloadForOtherAudience) },
      { ...valid, nonce: enrolment.challengeToken(1).nonce },
    ];
    for (const forgery of forgeries) {
      await expect(enrolment.enrol(forgery)).rejects.toEqual(errorWith('PROOF_INVALID'));
    }
    await expect(enrolment.enrol(valid)).resolves.toBeGreaterThan(0);
  });

  test('rejects weak public keys', () => {
    const weakKey = Buffer.alloc(32).toString('base64url');
    expect(() => enrolment.challengeEnrolment(weakKey)).toThrow(errorWith('VALIDATION_FAILED'));
  });

  test('challenges with PUBLIC_URL as the audience, or `family-watch` if PUBLIC_URL is not set', async () => {
    const replicaWithUrl = await environment.replica({ PUBLIC_URL: 'https://watch.example.org' });
    const { publicKey } = new TestWatch();
    expect(replicaWithUrl.get(WatchIdentityService).challengeEnrolment(publicKey).audience).toBe(
      'https://watch.example.org',
    );
    expect(enrolment.challengeEnrolment(publicKey).audience).toBe('family-watch');
  });
});

describe('the enrolment list', () => {
  test('accepts watches with a manufacturer signature and rejects all others with the same error', async () => {
    const strict = await environment.replica(PRODUCTION);
    const [listed, unlisted, maker] = [new TestWatch(), new TestWatch(), new TestWatch()];
    const makerKey = parsePublicKey(maker.publicKey) ?? Buffer.alloc(0);
    await strict.get(WatchRepository).upsertListEntries([{ imei: listed.imei, makerKey, listedAt: Date.now() }]);
    const service = strict.get(WatchIdentityService);
    const makerSignature = maker.sign(manufacturerSigningPayload(listed.imei, listed.publicKey));
    const withSignature = () => ({ ...listed.enrolment(strict), makerSignature });
    const thief = new TestWatch(listed.imei);
    const attempts = [
      unlisted.enrolment(strict),
      { ...unlisted.enrolment(strict), makerSignature },
      listed.enrolment(strict),
      {
        ...listed.enrolment(strict),
        makerSignature: listed.sign(manufacturerSigningPayload(listed.imei, listed.publicKey)),
      },
      { ...thief.enrolment(strict), makerSignature },
    ];
    for (const attempt of attempts) {
      await expect(service.enrol(attempt)).rejects.toEqual(errorWith('ENROLMENT_NOT_LISTED'));
    }
    await expect(service.enrol(withSignature())).resolves.toBeGreaterThan(0);
  });

  test('can be disabled in production (WATCH_ENROLMENT=open) and enabled elsewhere (WATCH_ENROLMENT=list)', async () => {
    const open = await environment.replica({ ...PRODUCTION, WATCH_ENROLMENT: 'open' });
    await expect(TestWatch.createEnrolled(open)).resolves.toBeDefined();
    const list = await environment.replica({ WATCH_ENROLMENT: 'list' });
    await expect(TestWatch.createEnrolled(list)).rejects.toEqual(errorWith('ENROLMENT_NOT_LISTED'));
  });
});

describe('watch tokens', () => {
  test('contain the device id (did) of the watch and expire after ten minutes', async () => {
    const watch = await TestWatch.createEnrolled(replica);
    const { accessToken, tokenType, expiresIn } = await watch.token(replica);
    expect({ tokenType, expiresIn }).toEqual({ tokenType: 'Bearer', expiresIn: 600 });
    const { principal } = await new TokenVerifier(replica.get(KeyRingService).keySource).verify(accessToken);
    expect(principal).toMatchObject({ type: 'watch', id: String(watch.did) });
  });

  test('are issued once per signature', async () => {
    const watch = await TestWatch.createEnrolled(replica);
    const request = watch.tokenRequest(replica);
    const results = await Promise.allSettled(Array.from({ length: 6 }, () => enrolment.createToken(request)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await expect(enrolment.createToken(request)).rejects.toEqual(errorWith('SIGNATURE_INVALID'));
  });

  test('are limited per watch, and requests with a wrong signature do not use up the limit', async () => {
    const limited = await environment.replica({ RATE_LIMIT_SIGN_IN: 2 });
    const watch = await TestWatch.createEnrolled(limited);
    const other = await TestWatch.createEnrolled(limited);
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const forged = limited.get(WatchIdentityService).createToken(other.tokenRequest(limited, watch.did));
      await expect(forged).rejects.toEqual(errorWith('SIGNATURE_INVALID'));
    }
    for (let signIn = 0; signIn < 2; signIn += 1) await watch.token(limited);
    await expect(watch.token(limited)).rejects.toMatchObject({ details: [{ rule: 'requests.sign-in' }] });
    await other.token(limited);
  });

  test("are not issued for a signature by another watch's key or with an expired or foreign nonce", async () => {
    const [watch, other] = [await TestWatch.createEnrolled(replica), await TestWatch.createEnrolled(replica)];
    const valid = watch.tokenRequest(replica);
    const attempts = [
      other.tokenRequest(replica, watch.did),
      { ...valid, nonce: other.tokenRequest(replica).nonce },
      { ...valid, signature: changeOneCharacter(valid.signature) },
    ];
    for (const attempt of attempts)
      await expect(enrolment.createToken(attempt)).rejects.toEqual(errorWith('SIGNATURE_INVALID'));
    advanceClock(NONCE_TTL_MS);
    await expect(enrolment.createToken(valid)).rejects.toEqual(errorWith('SIGNATURE_INVALID'));
  });

  test('are not issued for an unknown device id (did), with the same error as for a wrong key', async () => {
    const watch = await TestWatch.createEnrolled(replica);
    const unknownDid = randomDid();
    expect(Object.keys(enrolment.challengeToken(unknownDid))).toEqual(Object.keys(enrolment.challengeToken(watch.did)));
    expect(enrolment.challengeToken(unknownDid).nonce).toHaveLength(enrolment.challengeToken(watch.did).nonce.length);
    const wrongKeyError = await enrolment
      .createToken(new TestWatch().tokenRequest(replica, watch.did))
      .catch((error: unknown) => error);
    const unknownDidError = await enrolment
      .createToken(new TestWatch().tokenRequest(replica, unknownDid))
      .catch((error: unknown) => error);
    expect(unknownDidError).toEqual(wrongKeyError);
    expect(unknownDidError).toEqual(errorWith('SIGNATURE_INVALID'));
  });

  test('are revoked and no longer issued after the key of the watch is revoked', async () => {
    const watch = await TestWatch.createEnrolled(replica);
    await replica.get(WatchIdentityService).revokeKey(watch.did, 'operator:1');
    await expect(watch.token(replica)).rejects.toEqual(errorWith('SIGNATURE_INVALID'));
    await expect(enrolment.enrol(watch.enrolment(replica))).rejects.toEqual(errorWith('PROOF_INVALID'));
    await expect(watch.bindCode(replica)).rejects.toEqual(errorWith('WATCH_NOT_FOUND'));
    expect(environment.publisher.published.map(({ scope }) => scope)).toContainEqual({
      principal: `watch:${watch.did}`,
    });
    await expect(replica.get(WatchIdentityService).revokeKey(watch.did, 'operator:1')).rejects.toEqual(
      errorWith('WATCH_NOT_FOUND'),
    );
  });

  test('are revoked with the key even if they are issued some seconds after the revocation', async () => {
    const watch = await TestWatch.createEnrolled(replica);
    await replica.get(WatchIdentityService).revokeKey(watch.did, 'operator:1');
    const principal = `watch:${watch.did}`;
    const revocation = environment.publisher.published.find(
      ({ scope }) => 'principal' in scope && scope.principal === principal,
    );
    // The revocation applies to tokens issued before its `time`, which is in the future.
    expect(revocation?.time).toBeGreaterThan(Date.now() + 30_000);
  });
});

describe('device ids (dids)', () => {
  test('are positive safe integers in random order (10,000 samples)', () => {
    const dids = Array.from({ length: 10_000 }, randomDid);
    expect(new Set(dids).size).toBe(dids.length);
    expect(dids.every((did) => Number.isSafeInteger(did) && did > 0)).toBe(true);
    const ascendingCount = dids.slice(1).filter((did, index) => did > (dids[index] ?? 0)).length;
    // About half of the random ids are greater than the previous id; 250 is at least five standard deviations.
    expect(Math.abs(ascendingCount - 5_000)).toBeLessThan(250);
    const upperHalfCount = dids.filter((did) => did > Number.MAX_SAFE_INTEGER / 2).length;
    expect(Math.abs(upperHalfCount - 5_000)).toBeLessThan(250);
    const gaps = dids.toSorted((a, b) => a - b).map((did, index, sorted) => did - (sorted[index - 1] ?? 0));
    expect(new Set(gaps).size).toBeGreaterThan(9_990);
  });
});

describe('unbound watches', () => {
  test('are deleted after a day without contact, unless their key is revoked', async () => {
    const [inactive, revoked] = [await TestWatch.createEnrolled(replica), await TestWatch.createEnrolled(replica)];
    await replica.get(WatchIdentityService).revokeKey(revoked.did, 'operator:1');
    await enrolment.deleteExpired(Date.now());
    await expect(inactive.token(replica)).resolves.toBeDefined();
    expect(await enrolment.deleteExpired(Date.now() + UNBOUND_WATCH_RETENTION_MS + 1_000)).toBeGreaterThan(0);
    await expect(inactive.token(replica)).rejects.toEqual(errorWith('SIGNATURE_INVALID'));
    await expect(enrolment.enrol(revoked.enrolment(replica))).rejects.toEqual(errorWith('PROOF_INVALID'));
    const deletedDid = inactive.did;
    expect(await enrolment.enrol(inactive.enrolment(replica))).not.toBe(deletedDid);
  });
});
