import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { DOWNLOAD_VARIANT } from '@family-watch/domain/family-cloud/contracts/content';
import { Environment } from '@family-watch/platform/config/environment';
import { UrlSigningKeyRepository } from '../../src/sharing/signed-urls/url-signing-key.repository.js';
import { UrlSigningKeysService } from '../../src/sharing/signed-urls/url-signing-keys.service.js';
import { SignedUrlService } from '../../src/sharing/signed-urls/signed-url.service.js';
import { RenditionService } from '../../src/renditions/rendition.service.js';
import { CloudServer } from '../support/cloud-server.js';
import { createUser } from '../support/family.js';

const MINUTE_MS = 60_000;

/** Creates the signing and verifying services of one replica, with their own key cache. */
async function createReplica(server: CloudServer, SECRET_KEY?: string) {
  const environment = Object.assign(new Environment(), { SECRET_KEY });
  const keys = new UrlSigningKeysService(new UrlSigningKeyRepository(server.unitOfWork), environment);
  await keys.onModuleInit();
  const renditions = server.get(RenditionService);
  const createUrls = () => new SignedUrlService(keys, environment, renditions);
  const recipient = { cloudID: randomUUID(), caller: createUser(), origin: '' };
  const sign = () => createUrls().createUrl(recipient, randomUUID(), DOWNLOAD_VARIANT.ORIGINAL).split('/').at(-1)!;
  return { keys, sign, verify: (token: string) => createUrls().verify(token) };
}

describe('URL signing keys', () => {
  let server: CloudServer;
  let now: number;

  beforeAll(async () => {
    server = await CloudServer.start();
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    await server.query('DELETE FROM mcdisk.link_key');
    now = Date.now();
    jest.spyOn(Date, 'now').mockImplementation(() => now);
  });
  afterEach(() => void jest.restoreAllMocks());

  const keyIds = async () => {
    const rows = await server.query<{ id: number }>('SELECT key_id AS id FROM mcdisk.link_key ORDER BY key_id');
    return rows.map(({ id }) => id);
  };

  test('replicas that start concurrently create one key and accept each other’s URLs', async () => {
    const replicas = await Promise.all(Array.from({ length: 5 }, () => createReplica(server)));
    expect(await keyIds()).toEqual([1]);
    for (const { verify } of replicas) expect(await verify(replicas[0]!.sign())).toBeDefined();
  });

  test('keys rotate with an overlap, so that every URL is valid for its whole lifetime', async () => {
    const [one, other] = [await createReplica(server), await createReplica(server)];
    const start = now;
    const signed: { token: string; signedAt: number }[] = [];
    const usedKeys = new Set<number>();
    for (; now < start + 5 * 60 * MINUTE_MS; now += 3 * MINUTE_MS) {
      signed.push({ token: one.sign(), signedAt: now }, { token: other.sign(), signedAt: now });
      usedKeys.add(one.keys.current.keyId);
      await one.keys.rotate();
      await other.keys.rotate();
      for (const { token, signedAt } of signed.slice(-8)) {
        const isValid = signedAt + 5 * MINUTE_MS > now;
        for (const { verify } of [one, other]) expect((await verify(token)) !== undefined).toBe(isValid);
      }
      expect((await keyIds()).length).toBeLessThanOrEqual(3);
    }
    expect(usedKeys.size).toBeGreaterThanOrEqual(4);
  });

  test('a replica loads the key of another replica on demand, without a query per guessed key id', async () => {
    const late = await createReplica(server);
    now += 70 * MINUTE_MS;
    const early = await createReplica(server);
    await early.keys.rotate();
    now += 6 * MINUTE_MS;
    const token = early.sign();
    expect(early.keys.current.keyId).toBe(2);
    expect(await late.verify(token)).toBeDefined();
    const query = jest.spyOn(server.unitOfWork.executor, 'query');
    for (let guess = 0; guess < 100; guess += 1) await late.keys.find(1_000 + guess);
    expect(query.mock.calls.length).toBeLessThanOrEqual(1);
  });

  test('a URL that is signed without SECRET_KEY is rejected when SECRET_KEY is set', async () => {
    const withSecret = await createReplica(server, 'a secret of at least 32 characters!!');
    const withoutSecret = await createReplica(server);
    expect(await withSecret.verify(withSecret.sign())).toBeDefined();
    expect(await withSecret.verify(withoutSecret.sign())).toBeUndefined();
  });
});
