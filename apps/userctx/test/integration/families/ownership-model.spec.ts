import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { OWNERSHIP_CLAIM_OBJECTION_PERIOD_MS } from '@family-watch/domain/families/contracts/family';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import { OwnershipService } from '../../../src/families/memberships/ownership.service.js';
import type { ApiClient, HttpResponse } from '../../support/api-client.js';
import { outcome, rolesOf, createFamily, type FamilyFixture } from '../../support/family-fixture.js';
import { FamilyTestEnvironment, PASSWORD } from '../../support/family-test-environment.js';

let environment: FamilyTestEnvironment;

beforeAll(async () => {
  environment = await FamilyTestEnvironment.open();
});
afterAll(() => environment.close());

const PERSON_COUNT = 4;

interface Claim {
  claimant: number;
  state: string;
}

/** Model of a family: roles, owner and ownership claims. People are identified by their indexes. */
class Model {
  /** Role of each member, by the index of the person. */
  readonly roles = new Map<number, number>([[0, 1]]);
  readonly claims: Claim[] = [];
  owner = 0;
  isDissolved = false;

  get openClaim(): Claim | undefined {
    return this.claims.find(({ state }) => state === 'OPEN');
  }

  rejectionFor(person: number, notFoundReason = 'FAMILY_NOT_FOUND'): string {
    return this.roles.has(person) ? 'PERMISSION_MISSING' : notFoundReason;
  }

  end(claim: Claim, state: string): string {
    if (claim.state === 'OPEN') claim.state = state;
    return claim.state === state ? 'ok' : 'CLAIM_STATE';
  }

  changeRole(person: number, role: number | undefined): string {
    if (this.isDissolved) return 'FAMILY_NOT_FOUND';
    if (!this.roles.has(person)) return 'MEMBER_NOT_FOUND';
    if (this.roles.get(person) === 1) return 'ROLE_CHANGE_FORBIDDEN';
    if (role === undefined) this.roles.delete(person);
    else this.roles.set(person, role);
    if (role !== 2 && this.openClaim?.claimant === person) this.openClaim.state = 'WITHDRAWN';
    return 'ok';
  }

  transferTo(person: number, claimState: string): string {
    if (this.openClaim) this.openClaim.state = claimState;
    this.roles.set(this.owner, 2).set(person, 1);
    this.owner = person;
    return 'ok';
  }
}

/** The family in the service under test. Actions that require the role of owner are sent by the current owner. */
interface Real {
  family: FamilyFixture;
  familyId: string;
  owner: ApiClient;
  person: ApiClient;
}

interface Action {
  /** Relative frequency: claims are the most frequent action, dissolutions are rare. */
  weight: number;
  /** Applies the action to the model and returns the expected outcome. */
  expect: (model: Model, person: number) => string;
  send: (real: Real) => Promise<HttpResponse>;
}

const stepUp = { password: PASSWORD };
const setRole = (role: number | undefined, weight: number): Action => ({
  weight,
  expect: (model, person) => model.changeRole(person, role),
  send: ({ owner, familyId, person: { id: userId } }) =>
    role === undefined
      ? owner.post('family/member/remove', { familyId, userId })
      : owner.post('family/member/update', { familyId, userId, role }),
});

const ACTIONS: Record<string, Action> = {
  claim: {
    weight: 8,
    expect: (model, person) => {
      if (model.roles.get(person) !== 2) return model.rejectionFor(person);
      if (model.openClaim) return 'CLAIM_STATE';
      if (model.claims.filter(({ claimant }) => claimant === person).length >= 5) return 'LIMIT_REACHED';
      model.claims.push({ claimant: person, state: 'OPEN' });
      return 'ok';
    },
    send: ({ person, familyId }) => person.post('family/ownership-claim/create', { familyId }),
  },
  withdraw: {
    weight: 2,
    expect: (model, person) => {
      if (model.roles.get(person) !== 2) return model.rejectionFor(person);
      const claim = model.claims.at(-1);
      if (!claim) return 'CLAIM_NOT_FOUND';
      return claim.claimant === person ? model.end(claim, 'WITHDRAWN') : 'PERMISSION_MISSING';
    },
    send: async ({ person, familyId }) =>
      person.post('family/ownership-claim/withdraw', { familyId, claimId: await lastClaimId(familyId) }),
  },
  refuse: {
    weight: 1,
    expect: (model) => {
      if (model.isDissolved) return 'FAMILY_NOT_FOUND';
      const claim = model.claims.at(-1);
      return claim ? model.end(claim, 'REFUSED') : 'CLAIM_NOT_FOUND';
    },
    send: async ({ owner, familyId }) =>
      owner.post('family/ownership-claim/refuse', { familyId, claimId: await lastClaimId(familyId) }),
  },
  waitAWeek: {
    weight: 2,
    expect: (model) => (model.openClaim ? model.transferTo(model.openClaim.claimant, 'GRANTED') : 'ok'),
    send: async () => {
      const service = environment.app.get(OwnershipService, { strict: false });
      await service.grantDueClaims(Date.now() + OWNERSHIP_CLAIM_OBJECTION_PERIOD_MS + 1);
      return { status: 200, body: {} };
    },
  },
  transfer: {
    weight: 4,
    expect: (model, person) => {
      if (model.isDissolved) return 'FAMILY_NOT_FOUND';
      const role = model.roles.get(person);
      if (role !== 2) return role === undefined ? 'MEMBER_NOT_FOUND' : 'ROLE_CHANGE_FORBIDDEN';
      return model.transferTo(person, model.openClaim?.claimant === person ? 'GRANTED' : 'REFUSED');
    },
    send: ({ owner, familyId, person }) => owner.post('family/transfer', { familyId, userId: person.id, stepUp }),
  },
  demote: setRole(3, 3),
  promote: setRole(2, 3),
  remove: setRole(undefined, 2),
  leave: {
    weight: 2,
    expect: (model, person) => {
      const role = model.roles.get(person);
      if (role === undefined || role === 1) return model.rejectionFor(person);
      return model.changeRole(person, undefined);
    },
    send: ({ person, familyId }) => person.post('family/leave', { familyId }),
  },
  join: {
    weight: 4,
    expect: (model, person) => {
      if (model.isDissolved) return 'FAMILY_NOT_FOUND';
      if (model.roles.has(person)) return 'ALREADY_MEMBER';
      model.roles.set(person, 2);
      return 'ok';
    },
    send: async ({ owner, person, familyId }) => {
      const invited = await owner.post('family/invitation/create', { familyId, role: 2 });
      if (invited.status !== 200) return invited;
      return person.post('family/invitation/accept', { code: invited.body['code'] });
    },
  },
  dissolve: {
    weight: 1,
    expect: (model) => {
      if (model.isDissolved) return 'FAMILY_NOT_FOUND';
      if (model.openClaim) model.end(model.openClaim, 'WITHDRAWN');
      model.roles.clear();
      model.isDissolved = true;
      return 'ok';
    },
    send: ({ owner, familyId }) => owner.post('family/dissolve', { familyId, stepUp }),
  },
  restore: {
    weight: 4,
    expect: (model, person) => {
      if (!model.isDissolved)
        return model.roles.get(person) === 1 ? 'ok' : model.rejectionFor(person, 'CHILD_NOT_FOUND');
      if (person !== model.owner) return 'CHILD_NOT_FOUND';
      model.roles.set(person, 1);
      model.isDissolved = false;
      return 'ok';
    },
    send: ({ person, family: { cid } }) => person.post('child/restore', { cid }),
  },
};

const findClaims = (familyId: string) =>
  environment.query<{ id: string; state: string }>(
    'SELECT claim_id AS id, state FROM userctx.ownership_claim WHERE family_id = $1 ORDER BY created_at, claim_id',
    [familyId],
  );
const lastClaimId = async (familyId: string) => (await findClaims(familyId)).at(-1)?.id ?? 'none';

test('after any sequence of actions, a family has exactly one owner and claims end as in the model', async () => {
  const name = fc.oneof(
    ...Object.entries(ACTIONS).map(([action, { weight }]) => ({ arbitrary: fc.constant(action), weight })),
  );
  const anyStep = fc.tuple(name, fc.nat({ max: PERSON_COUNT - 1 }));
  const joinSteps = [1, 2, 3].map((person) => ['join', person] as const);
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { minLength: 10, maxLength: 30, size: 'max' }), async (steps) => {
      const model = new Model();
      const family = await createFamily(environment);
      const { familyId } = family;
      const others = await Promise.all(Array.from({ length: PERSON_COUNT - 1 }, () => environment.createPerson()));
      const people = [family.owner, ...others];
      const idOf = (index: number) => people[index]!.id;
      for (const [action, index] of [...joinSteps, ...steps]) {
        const [owner, person] = [people[model.owner]!, people[index]!];
        const expected = ACTIONS[action]!.expect(model, index);
        const response = await ACTIONS[action]!.send({ family, familyId, owner, person });
        expect([action, index, outcome(response)]).toEqual([action, index, expected]);
        const roles = [...model.roles].map(([member, role]) => [idOf(member), role] as const);
        expect(await rolesOf(environment, familyId)).toEqual(Object.fromEntries(roles));
        const findOwner = 'SELECT owner_user_id AS id FROM userctx.family WHERE family_id = $1';
        expect(await environment.query(findOwner, [familyId])).toEqual([{ id: idOf(model.owner) }]);
        expect((await findClaims(familyId)).map(({ state }) => state)).toEqual(model.claims.map(({ state }) => state));
      }
      // Exactly one event was published for the start and one for the end of each claim.
      const events = await environment.events<{ state: string }>(familyId, 'userctx.ownership-claim.changed');
      expect(events.map(({ payload }) => payload.state)).toEqual(
        model.claims.flatMap(({ state }) => (state === 'OPEN' ? ['OPEN'] : ['OPEN', state])),
      );
    }),
    { numRuns: propertyRuns(5) },
  );
});
