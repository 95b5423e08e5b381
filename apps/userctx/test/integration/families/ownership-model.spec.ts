import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { OWNERSHIP_CLAIM_OBJECTION_PERIOD_MS } from '@family-watch/domain/families/contracts/family';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import { OwnershipService } from '../../../src/contexts/families/memberships/ownership.service.js';
import type { ApiClient } from '../../support/api-client.js';
import { outcome, rolesOf, createFamily } from '../../support/family-fixture.js';
import type { FamilyFixture } from '../../support/family-fixture.js';
import { FamilyTestEnvironment, PASSWORD } from '../../support/family-test-environment.js';

let environment: FamilyTestEnvironment;

beforeAll(async () => {
  environment = await FamilyTestEnvironment.open();
});
afterAll(() => environment.close());

const PERSON_COUNT = 4;
/** Relative frequency of each action: claims are the most frequent action, dissolutions are rare. */
const ACTION_WEIGHTS = {
  claim: 8,
  withdraw: 2,
  refuse: 1,
  waitAWeek: 2,
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
  action: keyof typeof ACTION_WEIGHTS;
  personIndex: number;
}

interface Claim {
  claimantIndex: number;
  state: string;
}

/** Model of a family: roles, owner and ownership claims. People are identified by their indexes. */
class Model {
  /** Role of each member, by the index of the person. */
  readonly roles = new Map<number, number>([[0, 1]]);
  readonly claims: Claim[] = [];
  ownerIndex = 0;
  isDissolved = false;

  run({ action, personIndex }: Step): string {
    return this[action](personIndex);
  }

  private claim(personIndex: number): string {
    if (this.roles.get(personIndex) !== 2) return this.rejectionFor(personIndex);
    if (this.openClaim) return 'CLAIM_STATE';
    if (this.claims.filter(({ claimantIndex }) => claimantIndex === personIndex).length >= 5) return 'LIMIT_REACHED';
    this.claims.push({ claimantIndex: personIndex, state: 'OPEN' });
    return 'ok';
  }

  private withdraw(personIndex: number): string {
    if (this.roles.get(personIndex) !== 2) return this.rejectionFor(personIndex);
    const claim = this.claims.at(-1);
    if (!claim) return 'CLAIM_NOT_FOUND';
    return claim.claimantIndex === personIndex ? this.end(claim, 'WITHDRAWN') : 'PERMISSION_MISSING';
  }

  private refuse(): string {
    if (this.isDissolved) return 'FAMILY_NOT_FOUND';
    const claim = this.claims.at(-1);
    return claim ? this.end(claim, 'REFUSED') : 'CLAIM_NOT_FOUND';
  }

  private waitAWeek(): string {
    const { openClaim } = this;
    if (openClaim) this.transferTo(openClaim.claimantIndex, 'GRANTED');
    return 'ok';
  }

  private transfer(personIndex: number): string {
    if (this.isDissolved) return 'FAMILY_NOT_FOUND';
    const role = this.roles.get(personIndex);
    if (role === undefined) return 'MEMBER_NOT_FOUND';
    if (role !== 2) return 'ROLE_CHANGE_FORBIDDEN';
    this.transferTo(personIndex, this.openClaim?.claimantIndex === personIndex ? 'GRANTED' : 'REFUSED');
    return 'ok';
  }

  private demote(personIndex: number): string {
    return this.changeRole(personIndex, 3);
  }

  private promote(personIndex: number): string {
    return this.changeRole(personIndex, 2);
  }

  private remove(personIndex: number): string {
    return this.changeRole(personIndex, undefined);
  }

  private leave(personIndex: number): string {
    if (this.roles.get(personIndex) === 1) return 'PERMISSION_MISSING';
    if (!this.roles.has(personIndex)) return 'FAMILY_NOT_FOUND';
    return this.changeRole(personIndex, undefined);
  }

  private join(personIndex: number): string {
    if (this.isDissolved) return 'FAMILY_NOT_FOUND';
    if (this.roles.has(personIndex)) return 'ALREADY_MEMBER';
    this.roles.set(personIndex, 2);
    return 'ok';
  }

  private dissolve(): string {
    if (this.isDissolved) return 'FAMILY_NOT_FOUND';
    if (this.openClaim) this.end(this.openClaim, 'WITHDRAWN');
    this.roles.clear();
    this.isDissolved = true;
    return 'ok';
  }

  private restore(personIndex: number): string {
    if (!this.isDissolved)
      return this.roles.get(personIndex) === 1 ? 'ok' : this.rejectionFor(personIndex, 'CHILD_NOT_FOUND');
    if (personIndex !== this.ownerIndex) return 'CHILD_NOT_FOUND';
    this.roles.set(personIndex, 1);
    this.isDissolved = false;
    return 'ok';
  }

  private get openClaim(): Claim | undefined {
    return this.claims.find(({ state }) => state === 'OPEN');
  }

  private rejectionFor(personIndex: number, notFoundReason = 'FAMILY_NOT_FOUND'): string {
    return this.roles.has(personIndex) ? 'PERMISSION_MISSING' : notFoundReason;
  }

  private end(claim: Claim, state: string): string {
    if (claim.state === 'OPEN') claim.state = state;
    return claim.state === state ? 'ok' : 'CLAIM_STATE';
  }

  private changeRole(personIndex: number, role: number | undefined): string {
    if (this.isDissolved) return 'FAMILY_NOT_FOUND';
    if (!this.roles.has(personIndex)) return 'MEMBER_NOT_FOUND';
    if (this.roles.get(personIndex) === 1) return 'ROLE_CHANGE_FORBIDDEN';
    if (role === undefined) this.roles.delete(personIndex);
    else this.roles.set(personIndex, role);
    if (role !== 2 && this.openClaim?.claimantIndex === personIndex) this.openClaim.state = 'WITHDRAWN';
    return 'ok';
  }

  private transferTo(personIndex: number, claimState: string): void {
    if (this.openClaim) this.openClaim.state = claimState;
    this.roles.set(this.ownerIndex, 2).set(personIndex, 1);
    this.ownerIndex = personIndex;
  }
}

/** Executes the actions of the model over HTTP. The current owner sends the actions that require the role of owner. */
class Scenario {
  private constructor(
    private readonly family: FamilyFixture,
    readonly people: readonly ApiClient[],
  ) {}

  static async create(): Promise<Scenario> {
    const family = await createFamily(environment);
    const others = await Promise.all(Array.from({ length: PERSON_COUNT - 1 }, () => environment.createPerson()));
    return new Scenario(family, [family.owner, ...others]);
  }

  async run({ action, personIndex }: Step, ownerIndex: number): Promise<string> {
    const { familyId, cid } = this.family;
    const [owner, person] = [this.person(ownerIndex), this.person(personIndex)];
    const stepUp = { password: PASSWORD };
    switch (action) {
      case 'claim':
        return outcome(await person.post('family/ownership-claim/create', { familyId }));
      case 'withdraw':
      case 'refuse':
        return outcome(
          await (action === 'refuse' ? owner : person).post(`family/ownership-claim/${action}`, {
            familyId,
            claimId: await this.lastClaimId(),
          }),
        );
      case 'waitAWeek':
        await environment.app
          .get(OwnershipService, { strict: false })
          .grantDueClaims(Date.now() + OWNERSHIP_CLAIM_OBJECTION_PERIOD_MS + 1);
        return 'ok';
      case 'transfer':
        return outcome(await owner.post('family/transfer', { familyId, userId: person.id, stepUp }));
      case 'demote':
      case 'promote': {
        const role = action === 'demote' ? 3 : 2;
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

  async expectMatches(model: Model): Promise<void> {
    const { familyId } = this.family;
    const expected = [...model.roles].map(([personIndex, role]) => [this.person(personIndex).id, role] as const);
    expect(await rolesOf(environment, familyId)).toEqual(Object.fromEntries(expected));
    const [family] = await environment.query('select owner_user_id as owner from userctx.family where family_id = $1', [
      familyId,
    ]);
    expect(family).toEqual({ owner: this.person(model.ownerIndex).id });
    const claims = await environment.query<{ state: string }>(
      'select state from userctx.ownership_claim where family_id = $1 order by created_at, claim_id',
      [familyId],
    );
    expect(claims.map(({ state }) => state)).toEqual(model.claims.map(({ state }) => state));
  }

  /** Checks that exactly one event was published for the start and one for the end of each claim. */
  async expectEvents(model: Model): Promise<void> {
    const events = await environment.events<{ state: string }>(this.family.familyId, 'userctx.ownership-claim.changed');
    const states = events.map(({ payload }) => payload.state);
    expect(states).toEqual(model.claims.flatMap(({ state }) => (state === 'OPEN' ? ['OPEN'] : ['OPEN', state])));
  }

  private async join(owner: ApiClient, guest: ApiClient): Promise<string> {
    const invited = await owner.post('family/invitation/create', { familyId: this.family.familyId, role: 2 });
    if (invited.status !== 200) return outcome(invited);
    return outcome(await guest.post('family/invitation/accept', { code: invited.body['code'] }));
  }

  private async lastClaimId(): Promise<string> {
    const [claim] = await environment.query<{ id: string }>(
      `select claim_id as id from userctx.ownership_claim where family_id = $1 order by created_at desc, claim_id desc
        limit 1`,
      [this.family.familyId],
    );
    return claim?.id ?? 'none';
  }

  private person(index: number): ApiClient {
    const person = this.people[index];
    if (!person) throw new Error('No person with this index');
    return person;
  }
}

test('after any sequence of actions, a family has exactly one owner and claims end as in the model', async () => {
  const action = fc.oneof(
    ...Object.entries(ACTION_WEIGHTS).map(([name, weight]) => ({
      arbitrary: fc.constant(name as Step['action']),
      weight,
    })),
  );
  const anyStep = fc.record({ action, personIndex: fc.nat({ max: PERSON_COUNT - 1 }) });
  const joinSteps = [1, 2, 3].map((personIndex): Step => ({ action: 'join', personIndex }));
  const sequences = fc.array(anyStep, { minLength: 10, maxLength: 30, size: 'max' });
  await fc.assert(
    fc.asyncProperty(sequences, async (steps) => {
      const model = new Model();
      const real = await Scenario.create();
      for (const step of [...joinSteps, ...steps]) {
        const { ownerIndex } = model;
        const expected = model.run(step);
        expect([step, await real.run(step, ownerIndex)]).toEqual([step, expected]);
        await real.expectMatches(model);
      }
      await real.expectEvents(model);
    }),
    { numRuns: propertyRuns(5) },
  );
});
