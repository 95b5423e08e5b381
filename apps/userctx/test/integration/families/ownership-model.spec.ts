import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { OWNERSHIP_CLAIM_OBJECTION_PERIOD_MS } from '@family-watch/domain/families/contracts/ownership-claim';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import { ClaimGrantJob } from '../../../src/contexts/memberships/ownership/claim-grant.job.js';
import { outcome, rolesOf, createFamily } from '../../support/family-fixture.js';
import type { FamilyFixture } from '../../support/family-fixture.js';
import { FamilyTestEnvironment, PASSWORD } from '../../support/family-test-environment.js';
import type { Person } from '../../support/person.js';

let world: FamilyTestEnvironment;

beforeAll(async () => {
  world = await FamilyTestEnvironment.open();
});
afterAll(() => world.close());

const PEOPLE = 4;
/** How often each is taken: mostly what a claim can meet while it is open, seldom the end of everything. */
const STEPS = {
  claim: 8,
  withdraw: 2,
  refuse: 1,
  week: 2,
  transfer: 4,
  demote: 3,
  promote: 3,
  remove: 2,
  leave: 2,
  join: 4,
  dissolve: 1,
  restore: 4,
};

interface Step {
  what: keyof typeof STEPS;
  who: number;
}

interface Claim {
  by: number;
  state: string;
}

/** A family as the pages of the design tell it: who is in it as what, and who claims it. */
class Model {
  readonly roles = new Map<number, number>([[0, 1]]);
  readonly claims: Claim[] = [];
  owner = 0;
  dissolved = false;

  take({ what, who }: Step): string {
    return this[what](who);
  }

  private claim(who: number): string {
    if (this.roles.get(who) !== 2) return this.refusal(who);
    if (this.open) return 'CLAIM_STATE';
    if (this.claims.filter(({ by }) => by === who).length >= 5) return 'LIMIT_REACHED';
    this.claims.push({ by: who, state: 'OPEN' });
    return 'ok';
  }

  private withdraw(who: number): string {
    if (this.roles.get(who) !== 2) return this.refusal(who);
    const claim = this.claims.at(-1);
    if (!claim) return 'CLAIM_NOT_FOUND';
    return claim.by === who ? this.end(claim, 'WITHDRAWN') : 'PERMISSION_MISSING';
  }

  private refuse(): string {
    if (this.dissolved) return 'FAMILY_NOT_FOUND';
    const claim = this.claims.at(-1);
    return claim ? this.end(claim, 'REFUSED') : 'CLAIM_NOT_FOUND';
  }

  private week(): string {
    const { open } = this;
    if (open) this.handTo(open.by, 'GRANTED');
    return 'ok';
  }

  private transfer(who: number): string {
    if (this.dissolved) return 'FAMILY_NOT_FOUND';
    const role = this.roles.get(who);
    if (role === undefined) return 'MEMBER_NOT_FOUND';
    if (role !== 2) return 'ROLE_CHANGE_FORBIDDEN';
    this.handTo(who, this.open?.by === who ? 'GRANTED' : 'REFUSED');
    return 'ok';
  }

  private demote(who: number): string {
    return this.change(who, 3);
  }

  private promote(who: number): string {
    return this.change(who, 2);
  }

  private remove(who: number): string {
    return this.change(who, undefined);
  }

  private leave(who: number): string {
    if (this.roles.get(who) === 1) return 'PERMISSION_MISSING';
    if (!this.roles.has(who)) return 'FAMILY_NOT_FOUND';
    return this.change(who, undefined);
  }

  private join(who: number): string {
    if (this.dissolved) return 'FAMILY_NOT_FOUND';
    if (this.roles.has(who)) return 'ALREADY_MEMBER';
    this.roles.set(who, 2);
    return 'ok';
  }

  private dissolve(): string {
    if (this.dissolved) return 'FAMILY_NOT_FOUND';
    if (this.open) this.end(this.open, 'WITHDRAWN');
    this.roles.clear();
    this.dissolved = true;
    return 'ok';
  }

  private restore(who: number): string {
    if (!this.dissolved) return this.roles.get(who) === 1 ? 'ok' : this.refusal(who, 'CHILD_NOT_FOUND');
    if (who !== this.owner) return 'CHILD_NOT_FOUND';
    this.roles.set(who, 1);
    this.dissolved = false;
    return 'ok';
  }

  private get open(): Claim | undefined {
    return this.claims.find(({ state }) => state === 'OPEN');
  }

  private refusal(who: number, unknown = 'FAMILY_NOT_FOUND'): string {
    return this.roles.has(who) ? 'PERMISSION_MISSING' : unknown;
  }

  private end(claim: Claim, state: string): string {
    if (claim.state === 'OPEN') claim.state = state;
    return claim.state === state ? 'ok' : 'CLAIM_STATE';
  }

  private change(who: number, role: number | undefined): string {
    if (this.dissolved) return 'FAMILY_NOT_FOUND';
    if (!this.roles.has(who)) return 'MEMBER_NOT_FOUND';
    if (this.roles.get(who) === 1) return 'ROLE_CHANGE_FORBIDDEN';
    if (role === undefined) this.roles.delete(who);
    else this.roles.set(who, role);
    if (role !== 2 && this.open?.by === who) this.open.state = 'WITHDRAWN';
    return 'ok';
  }

  private handTo(who: number, claimBecomes: string): void {
    if (this.open) this.open.state = claimBecomes;
    this.roles.set(this.owner, 2).set(who, 1);
    this.owner = who;
  }
}

/** The same over HTTP, by whoever owns the family at the time. */
class Walk {
  private constructor(
    private readonly home: FamilyFixture,
    readonly people: readonly Person[],
  ) {}

  static async begin(): Promise<Walk> {
    const home = await createFamily(world);
    const others = await Promise.all(Array.from({ length: PEOPLE - 1 }, () => world.person()));
    return new Walk(home, [home.owner, ...others]);
  }

  async take({ what, who }: Step, ownerIndex: number): Promise<string> {
    const { familyId, cid } = this.home;
    const [owner, person] = [this.person(ownerIndex), this.person(who)];
    const stepUp = { password: PASSWORD };
    switch (what) {
      case 'claim':
        return outcome(await person.post('family/ownership-claim/create', { familyId }));
      case 'withdraw':
      case 'refuse':
        return outcome(
          await (what === 'refuse' ? owner : person).post(`family/ownership-claim/${what}`, {
            familyId,
            claimId: await this.lastClaim(),
          }),
        );
      case 'week':
        await world.app.get(ClaimGrantJob, { strict: false }).run(Date.now() + OWNERSHIP_CLAIM_OBJECTION_PERIOD_MS + 1);
        return 'ok';
      case 'transfer':
        return outcome(await owner.post('family/transfer', { familyId, userId: person.id, stepUp }));
      case 'demote':
      case 'promote': {
        const role = what === 'demote' ? 3 : 2;
        return outcome(await owner.post('family/member/update', { familyId, userId: person.id, role }));
      }
      case 'remove':
        return outcome(await owner.post('family/member/remove', { familyId, userId: person.id }));
      case 'leave':
        return outcome(await person.post('family/leave', { familyId }));
      case 'join':
        return this.join(owner, person);
      case 'dissolve':
        return outcome(await owner.post('family/dissolve', { familyId, stepUp }));
      case 'restore':
        return outcome(await person.post('child/restore', { cid }));
    }
  }

  async expectLike(model: Model): Promise<void> {
    const { familyId } = this.home;
    const expected = [...model.roles].map(([who, role]) => [this.person(who).id, role] as const);
    expect(await rolesOf(world, familyId)).toEqual(Object.fromEntries(expected));
    const [family] = await world.query('select owner_user_id as owner from userctx.family where family_id = $1', [
      familyId,
    ]);
    expect(family).toEqual({ owner: this.person(model.owner).id });
    const claims = await world.query<{ state: string }>(
      'select state from userctx.ownership_claim where family_id = $1 order by created_at, claim_id',
      [familyId],
    );
    expect(claims.map(({ state }) => state)).toEqual(model.claims.map(({ state }) => state));
  }

  /** Everybody who was told anything can put it together: each claim began once and ended once, if it did. */
  async expectTold(model: Model): Promise<void> {
    const told = await world.events<{ state: string }>(this.home.familyId, 'userctx.ownership-claim.changed');
    const states = told.map(({ payload }) => payload.state);
    expect(states).toEqual(model.claims.flatMap(({ state }) => (state === 'OPEN' ? ['OPEN'] : ['OPEN', state])));
  }

  private async join(owner: Person, guest: Person): Promise<string> {
    const invited = await owner.post('family/invitation/create', { familyId: this.home.familyId, role: 2 });
    if (invited.status !== 200) return outcome(invited);
    return outcome(await guest.post('family/invitation/accept', { code: invited.body['code'] }));
  }

  private async lastClaim(): Promise<string> {
    const [claim] = await world.query<{ id: string }>(
      `select claim_id as id from userctx.ownership_claim where family_id = $1 order by created_at desc, claim_id desc
        limit 1`,
      [this.home.familyId],
    );
    return claim?.id ?? 'none';
  }

  private person(index: number): Person {
    const person = this.people[index];
    if (!person) throw new Error('Nobody');
    return person;
  }
}

test('a family has exactly one owner after any walk, and claims end as the design says', async () => {
  const what = fc.oneof(
    ...Object.entries(STEPS).map(([name, weight]) => ({ arbitrary: fc.constant(name as Step['what']), weight })),
  );
  const step = fc.record({ what, who: fc.nat({ max: PEOPLE - 1 }) });
  const guardians = [1, 2, 3].map((who): Step => ({ what: 'join', who }));
  const walk = fc.array(step, { minLength: 10, maxLength: 30, size: 'max' });
  await fc.assert(
    fc.asyncProperty(walk, async (steps) => {
      const model = new Model();
      const real = await Walk.begin();
      for (const each of [...guardians, ...steps]) {
        const { owner } = model;
        const expected = model.take(each);
        expect([each, await real.take(each, owner)]).toEqual([each, expected]);
        await real.expectLike(model);
      }
      await real.expectTold(model);
    }),
    { numRuns: propertyRuns(5) },
  );
});
