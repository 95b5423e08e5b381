import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import fc from 'fast-check';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { MAX_LOCATION_SHARES_PER_CHILD } from '@family-watch/domain/locations/contracts/location';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import { ChildDeletionService } from '../../../src/families/children/child-deletion.service.js';
import { FamilyRosterService } from '../../../src/families/family-roster.service.js';
import { FamilySnapshotsService } from '../../../src/families/family-snapshots.service.js';
import { LocationSharesService } from '../../../src/locations/location-shares.service.js';
import { UserctxUnitOfWork } from '../../../src/infrastructure/userctx-infrastructure.js';
import { outcomeOf, createBoundFamily, type BoundFamilyFixture } from '../../support/bound-family-fixture.js';
import { sequencesOf, type Step } from '../../support/model-steps.js';
import { WatchesTestEnvironment } from '../../support/watches-test-environment.js';
import { SharesModel, type Actor, type GuardianState } from './shares-model.js';

let environment: WatchesTestEnvironment;
let replica: INestApplicationContext;
let shares: LocationSharesService;
let guardian: Principal;
let caregiver: Principal;
let stranger: Principal;

beforeAll(async () => {
  environment = await WatchesTestEnvironment.open();
  // The outbox relay is disabled: events reach handlers only when a step of the model delivers them.
  replica = await environment.replica({}, { isRelayDisabled: true });
  shares = replica.get(LocationSharesService);
  [guardian, caregiver, stranger] = [
    await environment.createPerson(replica),
    await environment.createPerson(replica),
    await environment.createPerson(replica),
  ];
});
afterEach(() => {
  jest.restoreAllMocks();
});
afterAll(() => environment.close());

/** A family in the service under test, the location shares of its child, and a controllable clock. */
class Real {
  readonly createdShares: { shareId: string; token: string }[] = [];

  private constructor(
    readonly family: BoundFamilyFixture,
    public now: number,
  ) {}

  static async create(): Promise<Real> {
    jest.restoreAllMocks();
    const family = await createBoundFamily(environment, replica);
    const real = new Real(family, Date.now() + 1_000);
    jest.spyOn(Date, 'now').mockImplementation(() => real.now);
    await real.join(guardian, 2);
    await real.join(caregiver, 3);
    return real;
  }

  principal(actor: Actor): Principal {
    return { owner: this.family.owner, guardian, caregiver, stranger }[actor];
  }

  /** Changes the family and publishes its next snapshot in one transaction, as the requests of the owner do. */
  async change(work: (roster: FamilyRosterService, familyId: string) => Promise<void>): Promise<void> {
    const { familyId } = this.family;
    await replica.get(UserctxUnitOfWork).run(async () => {
      await replica.get(FamilyRosterService).lock(familyId);
      await work(replica.get(FamilyRosterService), familyId);
      await replica.get(FamilySnapshotsService).publish(familyId);
    });
  }

  async join(person: Principal, role: 2 | 3): Promise<void> {
    await environment.addMember(replica, this.family.familyId, { role, permissions: ['LOCATION'] }, person);
    await this.change(() => Promise.resolve());
  }

  /** Returns the published values of `active` per location share, oldest first. */
  async publishedStates(): Promise<boolean[][]> {
    const events = await environment.events('userctx.location-share.changed', this.family.familyId);
    return this.createdShares.map(({ shareId }) =>
      events.filter((one) => one.shareId === shareId).map(({ active }) => active),
    );
  }
}

async function checkAgainstModel(model: SharesModel, real: Real): Promise<void> {
  for (const [index, { token }] of real.createdShares.entries()) {
    const outcome = await outcomeOf(() => shares.resolve(token));
    expect([index, outcome]).toEqual([index, model.isValid(index, real.now) ? 'ok' : 'LINK_NOT_FOUND']);
  }
  expect(await real.publishedStates()).toEqual(model.shares.map(({ isEnded }) => (isEnded ? [true, false] : [true])));
}

type ShareStep = Step<SharesModel, Real>;

const createShare = (by: Actor, expiresIn: number): ShareStep => ({
  name: `${by} creates a share for ${expiresIn} s`,
  run: async (model, real) => {
    const outcome = await outcomeOf(async () => {
      real.createdShares.push(await shares.create(real.principal(by), { cid: real.family.cid, expiresIn }));
    });
    expect(outcome).toBe(model.create(by, real.now, expiresIn));
  },
});

const deleteShare = (by: Actor, index: number): ShareStep => ({
  name: `${by} ends share ${index}`,
  run: async (model, real) => {
    const shareId = real.createdShares[index]?.shareId ?? crypto.randomUUID();
    const outcome = await outcomeOf(() => shares.delete(real.principal(by), shareId));
    expect(outcome).toBe(model.delete(by, index, real.now));
  },
});

const listShares = (by: Actor): ShareStep => ({
  name: `${by} lists shares`,
  run: async (model, real) => {
    let listedIds: string[] = [];
    const outcome = await outcomeOf(async () => {
      listedIds = (await shares.list(real.principal(by), real.family.cid)).items.map(({ shareId }) => shareId);
    });
    expect(outcome).toBe(model.list(by));
    const expected =
      outcome === 'ok' ? model.activeIndexes(real.now).map((index) => real.createdShares[index]?.shareId) : [];
    expect(listedIds.toSorted()).toEqual(expected.toSorted());
  },
});

const changeGuardian = (next: GuardianState): ShareStep => ({
  name: `the guardian becomes ${next}`,
  canRun: (model) => model.guardian !== next,
  run: async (model, real) => {
    if (next === 'removed') await real.change((roster, familyId) => roster.removeMember(familyId, guardian.id));
    else {
      if (model.guardian === 'removed') await real.join(guardian, 2);
      // A caregiver may see the child's location, but not share it.
      const role = next === 'allowed' ? 2 : 3;
      await real.change((roster, familyId) => roster.updateMember(familyId, guardian.id, { role }));
    }
    model.guardian = next;
  },
});

const OTHER_STEPS: ShareStep[] = [
  {
    name: 'delete or restore the child',
    run: async (model, { family: { owner, cid } }) => {
      await replica.get(ChildDeletionService)[model.isChildPresent ? 'delete' : 'restore'](owner, cid);
      model.isChildPresent = !model.isChildPresent;
    },
  },
  {
    name: 'deliver the family change',
    run: async (model, real) => {
      const [payload] = (await environment.events('userctx.family.changed', real.family.familyId)).slice(-1);
      if (!payload) throw new Error('No family change was published');
      const event = { name: 'userctx.family.changed', payload } as const;
      await environment.deliver(replica, 'userctx.locations.end-unauthorized-shares', event);
      model.applyFamilyChange();
    },
  },
  {
    name: 'run the expiry job twice concurrently',
    run: async (model, real) => {
      await Promise.all([shares.endExpired(Date.now()), shares.endExpired(Date.now())]);
      model.expire(real.now);
    },
  },
];

const wait = (seconds: number): ShareStep => ({
  name: `wait ${seconds} s`,
  run: async (_, real) => void (real.now += seconds * 1_000),
});

const actors = fc.constantFrom<Actor>('owner', 'guardian', 'caregiver', 'stranger');

test('a location share is valid until it is ended, it expires or its creator loses the permission', async () => {
  const steps = [
    fc.tuple(actors, fc.constantFrom(60, 90, 600)).map((parameters) => createShare(...parameters)),
    fc.constantFrom<Actor>('owner', 'guardian').map((by) => createShare(by, 600)),
    fc.tuple(actors, fc.nat({ max: 5 })).map((parameters) => deleteShare(...parameters)),
    actors.map(listShares),
    fc.constantFrom<GuardianState>('allowed', 'caregiver', 'removed').map(changeGuardian),
    ...OTHER_STEPS.map((step) => fc.constant(step)),
    fc.constantFrom(1, 60, 90).map(wait),
  ];
  await fc.assert(
    fc.asyncProperty(sequencesOf(steps, 30, checkAgainstModel), async (sequence) => {
      const real = await Real.create();
      await fc.asyncModelRun(() => ({ model: new SharesModel(MAX_LOCATION_SHARES_PER_CHILD), real }), sequence);
    }),
    { numRuns: propertyRuns(5) },
  );
});

test('a child has at most ten location shares, even when they are created concurrently', async () => {
  const { family } = await Real.create();
  const create = () => outcomeOf(() => shares.create(family.owner, { cid: family.cid }));
  const outcomes = await Promise.all(Array.from({ length: MAX_LOCATION_SHARES_PER_CHILD + 3 }, create));
  expect(outcomes.filter((outcome) => outcome === 'ok')).toHaveLength(MAX_LOCATION_SHARES_PER_CHILD);
  expect(outcomes.filter((outcome) => outcome === 'LIMIT_REACHED')).toHaveLength(3);
});

test('the token of a location share is stored neither with the share nor in events', async () => {
  const { family } = await Real.create();
  const { token } = await shares.create(family.owner, { cid: family.cid });
  const rows = await environment.query('SELECT to_jsonb(SHARE)::text AS row FROM userctx.location_share SHARE');
  const events = await environment.query('SELECT payload::text AS payload FROM userctx.outbox');
  expect(rows.length).toBeGreaterThan(0);
  expect(JSON.stringify([rows, events])).not.toContain(token);
});
