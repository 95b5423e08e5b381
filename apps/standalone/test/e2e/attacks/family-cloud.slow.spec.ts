import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { describeOneDeployment } from '../../support/deployments.js';
import { FamilyFixture, REVOCATION_LIMIT_MS } from '../../support/family-fixture.js';
import { CLOUD_PATH, expectOk, HttpClient } from '../../support/http-client.js';
import { TestService } from '../../support/test-service.js';

const BLOB_PATH = '/app-api/mcdisk/blob/';
const MAX_LINK_SECONDS = 300;

describeOneDeployment('files of another family', 'distributed', (deployment) => {
  let service: TestService;
  let own: FamilyFixture;
  let foreign: FamilyFixture;

  beforeAll(async () => {
    service = await TestService.shared(deployment);
    [own, foreign] = await Promise.all([FamilyFixture.create(service), FamilyFixture.create(service)]);
  });
  afterAll(async () => {
    for (const family of [own, foreign]) family.disconnectAll();
    await service.stop();
  });

  test('A23 foreign ids in a deletion of many files fail exactly like ids that do not exist', async () => {
    const [mine, theirs] = [await own.storeFile(), await foreign.storeFile()];
    const remove = (contentIDList: string[], cloudID = own.familyId) =>
      own.owner.post(`${CLOUD_PATH}deleteContents`, { cloudID, contentIDList });
    const unknown = randomUUID();
    const [ofForeign, ofUnknown] = [await remove([theirs]), await remove([unknown])];
    expect(ofForeign.text.replace(theirs, '…')).toBe(ofUnknown.text.replace(unknown, '…'));
    expect((await remove([theirs, mine, unknown])).body).toMatchObject({
      data: { deleteContIDList: [mine], failureContIDList: [theirs, unknown] },
    });
    // The cloud of another family is as unknown as one that does not exist.
    const [inForeignCloud, inUnknownCloud] = [
      await remove([theirs], foreign.familyId),
      await remove([theirs], unknown),
    ];
    expect([inForeignCloud.status, inForeignCloud.text]).toEqual([404, inUnknownCloud.text]);
    expect((await new HttpClient(service.url).send('GET', await foreign.linkTo(theirs))).status).toBe(200);
  });

  test('A22 a link to a file is valid for at most five minutes and cannot be changed or guessed', async () => {
    const link = await own.linkTo(await own.storeFile('photo.jpg', Buffer.from('only for the family')));
    const client = new HttpClient(service.url);
    const opened = await client.send('GET', link);
    expect([opened.status, opened.text]).toEqual([200, 'only for the family']);
    const maxAge = /max-age=(\d+)/.exec(opened.headers.get('cache-control') ?? '')?.[1];
    expect(Number(maxAge ?? 0)).toBeLessThanOrEqual(MAX_LINK_SECONDS);
    const token = link.slice(link.lastIndexOf('/') + 1);
    const changed = `${token.slice(0, 10)}${token[10] === 'A' ? 'B' : 'A'}${token.slice(11)}`;
    const guesses = [
      changed,
      token.slice(0, -1),
      randomBytes(96).toString('base64url').slice(0, token.length),
      'A'.repeat(token.length),
      encodeURIComponent(`../${token}`),
      '..%2f..%2f..%2fetc%2fpasswd',
      '%2e%2e%2f%2e%2e%2fsecret-key',
      `${token}%00.jpg`,
      '..%5c..%5csecret-key',
    ];
    for (const guess of guesses) {
      const answer = await client.send('GET', `${BLOB_PATH}${guess}`);
      // The edge rejects some malformed paths itself.
      expect([guess, [400, 404].includes(answer.status)]).toEqual([guess, true]);
    }
  });

  test('A22 a member who was removed cannot open the links that the member requested before', async () => {
    const family = await FamilyFixture.create(service);
    const link = await family.linkTo(await family.storeFile(), family.guardian);
    const open = async () => (await new HttpClient(service.url).send('GET', link)).status;
    expect(await open()).toBe(200);
    const { familyId, guardian } = family;
    await expectOk(family.owner.post('family/member/remove', { familyId, userId: guardian.userId }));
    await waitUntil('the end of access', async () => (await open()) === 404, REVOCATION_LIMIT_MS);
    family.disconnectAll();
  });
});
