import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import fc from 'fast-check';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import { ConsentsService } from '../../../src/contexts/consents/consents.service.js';
import { createBoundFamily } from '../../support/bound-family-fixture.js';
import { WatchesTestEnvironment } from '../../support/watches-test-environment.js';

let world: WatchesTestEnvironment;
let replica: INestApplicationContext;
let consents: ConsentsService;

beforeAll(async () => {
  world = await WatchesTestEnvironment.open();
  // The suite empties the outbox.
  replica = await world.replica({}, { relay: true });
  consents = replica.get(ConsentsService);
});
afterAll(() => world.close());

const say = (person: Principal, granted: boolean) => consents.update(person, { purpose: 'POSITIONING', granted });
const told = (person: Principal) => world.events('userctx.consent.changed', `user:${person.id}`);

/** What was said, kept apart from the tables. */
class Model {
  readonly history: boolean[] = [];

  get granted(): boolean {
    return this.history.at(-1) ?? false;
  }

  say(granted: boolean): void {
    if (granted !== this.granted) this.history.push(granted);
  }
}

it('does what the model says, whoever says what in which order, for people and their children’s watches', async () => {
  const homes = [await createBoundFamily(world, replica), await createBoundFamily(world, replica)];
  const step = fc.record({ who: fc.nat(1), granted: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      await world.query('delete from userctx.consent');
      await world.query('delete from userctx.outbox');
      const models = homes.map(() => new Model());
      for (const { who, granted } of steps) {
        models[who]!.say(granted);
        expect(await say(homes[who]!.owner, granted)).toMatchObject({ granted, version: models[who]!.history.length });
        for (const [index, { owner, watch }] of homes.entries()) {
          for (const caller of [owner, watch.principal]) {
            expect(await consents.isGranted(caller, 'POSITIONING')).toBe(models[index]!.granted);
          }
        }
      }
      for (const [index, { owner }] of homes.entries()) {
        const { history } = models[index]!;
        const { items } = await consents.get(owner);
        const [{ history: kept }] = items as [(typeof items)[0]];
        expect(kept.map(({ granted }) => granted)).toEqual(history.toReversed());
        expect(kept.map(({ version }) => version)).toEqual(history.map((_, at) => history.length - at));
        expect((await told(owner)).map(({ granted, version }) => ({ granted, version }))).toEqual(
          history.map((granted, at) => ({ granted, version: at + 1 })),
        );
      }
    }),
    { numRuns: propertyRuns(6) },
  );
});

it('is changed by one of many who say the same at once', async () => {
  const { owner } = await createBoundFamily(world, replica);
  const answers = await Promise.all(Array.from({ length: 10 }, () => say(owner, true)));
  expect(answers.map(({ version }) => version)).toEqual(Array(10).fill(1));
  expect(await told(owner)).toHaveLength(1);
});

it('keeps its order when opposites are said at once', async () => {
  const { owner } = await createBoundFamily(world, replica);
  await Promise.all(Array.from({ length: 20 }, (_, index) => say(owner, index % 2 === 0)));
  const events = await told(owner);
  expect(events.map(({ version }) => version)).toEqual(events.map((_, index) => index + 1));
  expect(events.map(({ granted }) => granted)).toEqual(events.map((_, index) => index % 2 === 0));
  const [consent] = (await consents.get(owner)).items;
  expect(consent?.version).toBe(events.length);
});

it('governs a watch for as long as it acts as a child of the family', async () => {
  const { owner, watch } = await createBoundFamily(world, replica);
  await say(owner, true);
  expect(await consents.isGranted(watch.principal, 'POSITIONING')).toBe(true);
  await world.query('update userctx.family_child set did = null where did = $1', [watch.did]);
  await expect(consents.isGranted(watch.principal, 'POSITIONING')).rejects.toMatchObject({ reason: 'WATCH_UNBOUND' });
});
