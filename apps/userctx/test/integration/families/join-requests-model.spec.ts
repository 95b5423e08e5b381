import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { JOIN_REQUEST_TTL_MS } from '@family-watch/domain/families/contracts/family';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import { JoinRequestsService } from '../../../src/families/memberships/join-requests.service.js';
import type { ApiClient, HttpResponse } from '../../support/api-client.js';
import { outcome, rolesOf, createFamily, type FamilyFixture } from '../../support/family-fixture.js';
import { FamilyTestEnvironment } from '../../support/family-test-environment.js';

let environment: FamilyTestEnvironment;

beforeAll(async () => {
  environment = await FamilyTestEnvironment.open();
});
afterAll(() => environment.close());

const APPLICANT_COUNT = 2;

interface Applicant {
  /** State of the latest join request; `undefined` before the first join request. */
  state: string | undefined;
  /** Whether the current join request uses the invitation that was created before any rejection. */
  usesOldInvitation: boolean;
  isMember: boolean;
  /** Expected published states: the initial state of each join request, and its final state. */
  publishedStates: string[];
}

/** Model of the join requests to a family. One invitation is older than any rejection; each other code is new. */
class Model {
  readonly applicants: Applicant[] = Array.from({ length: APPLICANT_COUNT }, () => ({
    state: undefined,
    usesOldInvitation: false,
    isMember: false,
    publishedStates: [],
  }));
  isOldInvitationUsed = false;

  decide(applicant: Applicant, state: string): string {
    if (applicant.state === undefined) return 'APPLICATION_NOT_FOUND';
    if (applicant.state === 'PENDING') return this.end(applicant, state);
    return applicant.state === state ? 'ok' : 'APPLICATION_STATE';
  }

  startRequest(applicant: Applicant, usesOldInvitation = false): string {
    if (applicant.state === 'PENDING') return 'ok';
    Object.assign(applicant, { state: 'PENDING', usesOldInvitation });
    applicant.publishedStates.push('PENDING');
    return 'ok';
  }

  end(applicant: Applicant, state: string): string {
    applicant.state = state;
    applicant.publishedStates.push(state);
    return 'ok';
  }

  join(applicant: Applicant): string {
    if (applicant.isMember) return 'ALREADY_MEMBER';
    applicant.isMember = true;
    if (applicant.state === 'PENDING') this.end(applicant, 'APPROVED');
    else if (applicant.state !== undefined) applicant.state = 'APPROVED';
    return 'ok';
  }
}

/** The family in the service under test, its invitation from before any rejection, and the acting applicant. */
interface Real {
  family: FamilyFixture;
  oldCode: string;
  person: ApiClient;
}

interface Action {
  /** Applies the action to the model and returns the expected outcome. */
  expect: (model: Model, applicant: Applicant) => string;
  send: (real: Real) => Promise<HttpResponse>;
}

async function createInvitation({ owner, familyId }: FamilyFixture): Promise<string> {
  const { body } = await owner.post('family/invitation/create', { familyId, role: 3 });
  return String(body['code']);
}

async function applyWith(person: ApiClient, code: object): Promise<HttpResponse> {
  // The model does not cover the rate limit of attempts, so its counters are deleted.
  await environment.query('DELETE FROM userctx.attempt_counter');
  return person.post('device/contacts/application/create', code);
}

async function answer(action: 'approve' | 'reject' | 'cancel', { family, person }: Real): Promise<HttpResponse> {
  const { body } = await person.get('device/contacts/application/list');
  const applicationId = (body['items'] as { applicationId: string }[])[0]?.applicationId ?? 'none';
  const request = { familyId: family.familyId, applicationId, role: 4 };
  return (action === 'cancel' ? person : family.owner).post(`device/contacts/application/${action}`, request);
}

const ACTIONS: Record<string, Action> = {
  apply: {
    expect: (model, applicant) => {
      if (applicant.isMember) return 'ALREADY_MEMBER';
      return applicant.state === 'REJECTED' ? 'APPLICATION_REFUSED' : model.startRequest(applicant);
    },
    send: async ({ family, person }) => applyWith(person, await createFamilyCode(family)),
  },
  applyWithNewInvitation: {
    expect: (model, applicant) => (applicant.isMember ? 'ALREADY_MEMBER' : model.startRequest(applicant)),
    send: async ({ family, person }) => applyWith(person, { inviteCode: await createInvitation(family) }),
  },
  applyWithOldInvitation: {
    expect: (model, applicant) => {
      if (model.isOldInvitationUsed) return 'CODE_INVALID';
      if (applicant.isMember) return 'ALREADY_MEMBER';
      return applicant.state === 'REJECTED' ? 'APPLICATION_REFUSED' : model.startRequest(applicant, true);
    },
    send: ({ person, oldCode }) => applyWith(person, { inviteCode: oldCode }),
  },
  approve: {
    expect: (model, applicant) => {
      if (applicant.state === undefined) return 'APPLICATION_NOT_FOUND';
      if (applicant.state !== 'PENDING') return 'APPLICATION_STATE';
      if (applicant.usesOldInvitation) model.isOldInvitationUsed = true;
      applicant.isMember = true;
      return model.end(applicant, 'APPROVED');
    },
    send: (real) => answer('approve', real),
  },
  reject: { expect: (model, one) => model.decide(one, 'REJECTED'), send: (real) => answer('reject', real) },
  cancel: { expect: (model, one) => model.decide(one, 'CANCELLED'), send: (real) => answer('cancel', real) },
  expire: {
    expect: (model) => {
      for (const applicant of model.applicants) if (applicant.state === 'PENDING') model.end(applicant, 'EXPIRED');
      return 'ok';
    },
    send: async () => {
      await environment.app.get(JoinRequestsService, { strict: false }).expireDue(Date.now() + JOIN_REQUEST_TTL_MS);
      return { status: 200, body: {} };
    },
  },
  leave: {
    expect: (_, applicant) => {
      if (!applicant.isMember) return 'FAMILY_NOT_FOUND';
      applicant.isMember = false;
      return 'ok';
    },
    send: ({ family: { familyId }, person }) => person.post('family/leave', { familyId }),
  },
  joinWithNewInvitation: {
    expect: (model, applicant) => model.join(applicant),
    send: async ({ family, person }) =>
      person.post('family/invitation/accept', { code: await createInvitation(family) }),
  },
  joinWithOldInvitation: {
    expect: (model, applicant) => {
      if (model.isOldInvitationUsed) return 'INVITATION_INVALID';
      if (applicant.isMember) return 'ALREADY_MEMBER';
      if (applicant.state === 'REJECTED') return 'INVITATION_INVALID';
      model.isOldInvitationUsed = true;
      return model.join(applicant);
    },
    send: ({ person, oldCode }) => person.post('family/invitation/accept', { code: oldCode }),
  },
};

async function createFamilyCode({ watch }: FamilyFixture): Promise<object> {
  const { body } = await watch.post('/apis/v2/userctx/watch/family-code/create', {});
  return { familyCode: body['familyCode'] };
}

test('join requests behave as in the model for any sequence of actions', async () => {
  const name = fc.constantFrom(...Object.keys(ACTIONS), 'apply', 'reject', 'approve');
  const anyStep = fc.tuple(name, fc.nat({ max: APPLICANT_COUNT - 1 }));
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { minLength: 4, maxLength: 18 }), async (steps) => {
      const model = new Model();
      const family = await createFamily(environment);
      const people = await Promise.all(model.applicants.map(() => environment.createPerson('Bo')));
      const oldCode = await createInvitation(family);
      for (const [action, index] of steps) {
        const expected = ACTIONS[action]!.expect(model, model.applicants[index]!);
        // An invitation created in the same millisecond as a rejection counts as older.
        await sleep(2);
        const response = await ACTIONS[action]!.send({ family, oldCode, person: people[index]! });
        expect([action, index, outcome(response)]).toEqual([action, index, expected]);
        const roles = await rolesOf(environment, family.familyId);
        for (const [number, { state, isMember }] of model.applicants.entries()) {
          expect([number, people[number]!.id in roles]).toEqual([number, isMember]);
          const { body } = await people[number]!.get('device/contacts/application/list');
          expect(body['items']).toEqual(state === undefined ? [] : [expect.objectContaining({ state })]);
        }
      }
      const events = await environment.events<{ applicantUserId: string; state: string }>(
        family.familyId,
        'userctx.family-application.changed',
      );
      for (const [number, { publishedStates }] of model.applicants.entries()) {
        const ownEvents = events.filter(({ payload }) => payload.applicantUserId === people[number]!.id);
        expect(ownEvents.map(({ payload }) => payload.state)).toEqual(publishedStates);
      }
    }),
    { numRuns: propertyRuns(6) },
  );
});
