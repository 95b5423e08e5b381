import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ConsentsService } from '../../../src/accounts/consents/consents.service.js';
import { createBoundFamily } from '../../support/bound-family-fixture.js';
import { WatchesTestEnvironment } from '../../support/watches-test-environment.js';

let environment: WatchesTestEnvironment;
let replica: INestApplicationContext;
let consents: ConsentsService;

beforeAll(async () => {
  environment = await WatchesTestEnvironment.open();
  replica = await environment.replica();
  consents = replica.get(ConsentsService);
});
afterAll(() => environment.close());

const setConsent = (person: Principal, granted: boolean) =>
  consents.update(person, { purpose: 'POSITIONING', granted });
const historyOf = async (person: Principal) => (await consents.get(person)).items[0]!.history.toReversed();

test('each change of a consent is a version of its own, which applies to the person and the watches of their children', async () => {
  const [family, other] = [
    await createBoundFamily(environment, replica),
    await createBoundFamily(environment, replica),
  ];
  const callers = [family.owner, family.watch.principal, other.owner, other.watch.principal];
  const granted = () => Promise.all(callers.map((caller) => consents.isGranted(caller, 'POSITIONING')));
  expect(await setConsent(family.owner, false)).toMatchObject({ version: 0 });
  for (const [value, version] of [
    [true, 1],
    [true, 1],
    [false, 2],
    [true, 3],
  ] as const) {
    expect(await setConsent(family.owner, value)).toMatchObject({ version });
    expect(await granted()).toEqual([value, value, false, false]);
  }
  expect((await historyOf(family.owner)).map(({ version, granted: value }) => [version, value])).toEqual([
    [1, true],
    [2, false],
    [3, true],
  ]);
});

test('concurrent requests that set a consent to the same value create one version', async () => {
  const { owner } = await createBoundFamily(environment, replica);
  const responses = await Promise.all(Array.from({ length: 10 }, () => setConsent(owner, true)));
  expect(responses.map(({ version }) => version)).toEqual(Array(10).fill(1));
  expect(await historyOf(owner)).toHaveLength(1);
});

test('concurrent requests that set a consent to opposite values create consecutive versions', async () => {
  const { owner } = await createBoundFamily(environment, replica);
  await Promise.all(Array.from({ length: 20 }, (_, index) => setConsent(owner, index % 2 === 0)));
  const changes = await historyOf(owner);
  expect(changes.map(({ version }) => version)).toEqual(changes.map((_, index) => index + 1));
  expect(changes.map(({ granted }) => granted)).toEqual(changes.map((_, index) => index % 2 === 0));
  const [consent] = (await consents.get(owner)).items;
  expect(consent?.version).toBe(changes.length);
});

test('the owner’s consent applies to a watch while it is bound to a child of the family', async () => {
  const { owner, watch } = await createBoundFamily(environment, replica);
  await setConsent(owner, true);
  expect(await consents.isGranted(watch.principal, 'POSITIONING')).toBe(true);
  await environment.query('UPDATE userctx.family_child SET did = NULL WHERE did = $1', [watch.did]);
  await expect(consents.isGranted(watch.principal, 'POSITIONING')).rejects.toMatchObject({ reason: 'WATCH_UNBOUND' });
});

test('a consent to earlier texts does not apply until the person consents to the current texts', async () => {
  const { owner, watch } = await createBoundFamily(environment, replica);
  await setConsent(owner, true);
  await environment.query('UPDATE userctx.consent SET text_version = 0 WHERE user_id = $1', [owner.id]);
  for (const caller of [owner, watch.principal]) expect(await consents.isGranted(caller, 'POSITIONING')).toBe(false);
  expect((await consents.get(owner)).items[0]).toMatchObject({ granted: false, version: 1, text: { version: 1 } });
  expect(await setConsent(owner, true)).toMatchObject({ granted: true, version: 2 });
  for (const caller of [owner, watch.principal]) expect(await consents.isGranted(caller, 'POSITIONING')).toBe(true);
});
