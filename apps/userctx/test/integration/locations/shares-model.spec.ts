import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import fc from 'fast-check';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { MAX_LOCATION_SHARES_PER_CHILD } from '@family-watch/domain/locations/contracts/location';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import { ChildDeletionService } from '../../../src/contexts/children/child-deletion.service.js';
import { FamilyRosterService } from '../../../src/contexts/families/family-roster.service.js';
import { FamilySnapshotsService } from '../../../src/contexts/families/family-snapshots.service.js';
import { LocationSharesService } from '../../../src/contexts/locations/location-shares.service.js';
import { UserctxUnitOfWork } from '../../../src/infrastructure/userctx-infrastructure.js';
import { outcomeOf, createBoundFamily } from '../../support/bound-family-fixture.js';
import type { BoundFamilyFixture } from '../../support/bound-family-fixture.js';
import { WatchesTestEnvironment } from '../../support/watches-test-environment.js';
import { SharesModel } from './shares-model.js';
import type { Actor, GuardianState } from './shares-model.js';

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
    const { identity } = await replica.get(FamilyRosterService).getProfile(person.id);
    const grant = { role, permissions: ['LOCATION' as const], childPermissions: {} };
    await this.change((roster, familyId) => roster.addMember(familyId, person.id, grant, identity));
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

abstract class Step implements fc.AsyncCommand<SharesModel, Real> {
  check(_: Readonly<SharesModel>): boolean {
    return true;
  }

  async run(model: SharesModel, real: Real): Promise<void> {
    await this.execute(model, real);
    await checkAgainstModel(model, real);
  }

  protected abstract execute(model: SharesModel, real: Real): Promise<void>;
}

class CreateShare extends Step {
  constructor(
    private readonly by: Actor,
    private readonly expiresIn: number,
  ) {
    super();
  }

  protected override async execute(model: SharesModel, real: Real): Promise<void> {
    const outcome = await outcomeOf(async () => {
      const request = { cid: real.family.cid, expiresIn: this.expiresIn };
      real.createdShares.push(await shares.create(real.principal(this.by), request));
    });
    expect(outcome).toBe(model.create(this.by, real.now, this.expiresIn));
  }

  override toString = () => `${this.by} creates a share for ${this.expiresIn} s`;
}

class DeleteShare extends Step {
  constructor(
    private readonly by: Actor,
    private readonly index: number,
  ) {
    super();
  }

  protected override async execute(model: SharesModel, real: Real): Promise<void> {
    const shareId = real.createdShares[this.index]?.shareId ?? crypto.randomUUID();
    const outcome = await outcomeOf(() => shares.delete(real.principal(this.by), shareId));
    expect(outcome).toBe(model.delete(this.by, this.index, real.now));
  }

  override toString = () => `${this.by} ends share ${this.index}`;
}

class ListShares extends Step {
  constructor(private readonly by: Actor) {
    super();
  }

  protected override async execute(model: SharesModel, real: Real): Promise<void> {
    let listedIds: string[] = [];
    const outcome = await outcomeOf(async () => {
      listedIds = (await shares.list(real.principal(this.by), real.family.cid)).items.map(({ shareId }) => shareId);
    });
    expect(outcome).toBe(model.list(this.by));
    const expected =
      outcome === 'ok' ? model.activeIndexes(real.now).map((index) => real.createdShares[index]?.shareId) : [];
    expect(listedIds.toSorted()).toEqual(expected.toSorted());
  }

  override toString = () => `${this.by} lists shares`;
}

class ChangeGuardian extends Step {
  constructor(private readonly next: GuardianState) {
    super();
  }

  override check(model: Readonly<SharesModel>): boolean {
    return model.guardian !== this.next;
  }

  protected override async execute(model: SharesModel, real: Real): Promise<void> {
    if (this.next === 'removed') await real.change((roster, familyId) => roster.removeMember(familyId, guardian.id));
    else {
      if (model.guardian === 'removed') await real.join(guardian, 2);
      // A caregiver may see the child's location, but not share it.
      const role = this.next === 'allowed' ? 2 : 3;
      await real.change((roster, familyId) => roster.updateMember(familyId, guardian.id, { role }));
    }
    model.guardian = this.next;
  }

  override toString = () => `the guardian becomes ${this.next}`;
}

class DeleteOrRestoreChild extends Step {
  protected override async execute(model: SharesModel, real: Real): Promise<void> {
    const { owner, cid } = real.family;
    await replica.get(ChildDeletionService)[model.isChildPresent ? 'delete' : 'restore'](owner, cid);
    model.isChildPresent = !model.isChildPresent;
  }

  override toString = () => 'delete or restore the child';
}

class DeliverFamilyChange extends Step {
  protected override async execute(model: SharesModel, real: Real): Promise<void> {
    const [payload] = (await environment.events('userctx.family.changed', real.family.familyId)).slice(-1);
    if (!payload) throw new Error('No family change was published');
    const event = { name: 'userctx.family.changed', payload } as const;
    await environment.deliver(replica, 'userctx.locations.end-unfounded-shares', event);
    model.applyFamilyChange();
  }

  override toString = () => 'deliver the family change';
}

class Wait extends Step {
  constructor(private readonly seconds: number) {
    super();
  }

  protected override execute(_: SharesModel, real: Real): Promise<void> {
    real.now += this.seconds * 1_000;
    return Promise.resolve();
  }

  override toString = () => `wait ${this.seconds} s`;
}

class RunExpiryJob extends Step {
  protected override async execute(model: SharesModel, real: Real): Promise<void> {
    await Promise.all([
      replica.get(LocationSharesService).endExpired(Date.now()),
      replica.get(LocationSharesService).endExpired(Date.now()),
    ]);
    model.expire(real.now);
  }

  override toString = () => 'run the expiry job twice concurrently';
}

const actors = fc.constantFrom<Actor>('owner', 'guardian', 'caregiver', 'stranger');

test('a location share is valid until it is ended, it expires or its creator loses the permission', async () => {
  const steps = fc.commands(
    [
      fc.tuple(actors, fc.constantFrom(60, 90, 600)).map((parameters) => new CreateShare(...parameters)),
      fc
        .tuple(fc.constantFrom<Actor>('owner', 'guardian'), fc.constant(600))
        .map((parameters) => new CreateShare(...parameters)),
      fc.tuple(actors, fc.nat({ max: 5 })).map((parameters) => new DeleteShare(...parameters)),
      actors.map((by) => new ListShares(by)),
      fc.constantFrom<GuardianState>('allowed', 'caregiver', 'removed').map((next) => new ChangeGuardian(next)),
      fc.constant(new DeleteOrRestoreChild()),
      fc.constant(new DeliverFamilyChange()),
      fc.constantFrom(1, 60, 90).map((seconds) => new Wait(seconds)),
      fc.constant(new RunExpiryJob()),
    ],
    { maxCommands: 30, size: 'max' },
  );
  await fc.assert(
    fc.asyncProperty(steps, async (commands) => {
      const real = await Real.create();
      await fc.asyncModelRun(() => ({ model: new SharesModel(MAX_LOCATION_SHARES_PER_CHILD), real }), commands);
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
  const rows = await environment.query('select to_jsonb(share)::text as row from userctx.location_share share');
  const events = await environment.query('select payload::text as payload from userctx.outbox');
  expect(rows.length).toBeGreaterThan(0);
  expect(JSON.stringify([rows, events])).not.toContain(token);
});
