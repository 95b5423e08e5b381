import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { JOIN_REQUEST_TTL_MS } from '@family-watch/domain/families/contracts/family';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import { JoinRequestsService } from '../../../src/contexts/families/memberships/join-requests.service.js';
import type { ApiClient } from '../../support/api-client.js';
import { outcome, rolesOf, createFamily } from '../../support/family-fixture.js';
import type { FamilyFixture } from '../../support/family-fixture.js';
import { FamilyTestEnvironment } from '../../support/family-test-environment.js';

let environment: FamilyTestEnvironment;

beforeAll(async () => {
  environment = await FamilyTestEnvironment.open();
});
afterAll(() => environment.close());

const APPLICANT_COUNT = 2;
const ACTIONS = [
  'apply',
  'approve',
  'reject',
  'cancel',
  'expire',
  'leave',
  'joinWithNewInvitation',
  'joinWithOldInvitation',
  'applyWithNewInvitation',
  'applyWithOldInvitation',
  'apply',
  'reject',
  'approve',
] as const;

interface Step {
  action: (typeof ACTIONS)[number];
  personIndex: number;
}

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
  private isOldInvitationUsed = false;

  run({ action, personIndex }: Step): string {
    const applicant = this.applicants[personIndex];
    if (!applicant) throw new Error('No applicant with this index');
    return this[action](applicant);
  }

  private apply(applicant: Applicant): string {
    if (applicant.isMember) return 'ALREADY_MEMBER';
    return applicant.state === 'REJECTED' ? 'APPLICATION_REFUSED' : this.startRequest(applicant, false);
  }

  private applyWithNewInvitation(applicant: Applicant): string {
    return applicant.isMember ? 'ALREADY_MEMBER' : this.startRequest(applicant, false);
  }

  private applyWithOldInvitation(applicant: Applicant): string {
    if (this.isOldInvitationUsed) return 'CODE_INVALID';
    if (applicant.isMember) return 'ALREADY_MEMBER';
    return applicant.state === 'REJECTED' ? 'APPLICATION_REFUSED' : this.startRequest(applicant, true);
  }

  private approve(applicant: Applicant): string {
    if (applicant.state === undefined) return 'APPLICATION_NOT_FOUND';
    if (applicant.state !== 'PENDING') return 'APPLICATION_STATE';
    if (applicant.usesOldInvitation) this.isOldInvitationUsed = true;
    applicant.isMember = true;
    return this.end(applicant, 'APPROVED');
  }

  private reject(applicant: Applicant): string {
    return this.decide(applicant, 'REJECTED');
  }

  private cancel(applicant: Applicant): string {
    return this.decide(applicant, 'CANCELLED');
  }

  private expire(): string {
    for (const applicant of this.applicants) if (applicant.state === 'PENDING') this.end(applicant, 'EXPIRED');
    return 'ok';
  }

  private leave(applicant: Applicant): string {
    if (!applicant.isMember) return 'FAMILY_NOT_FOUND';
    applicant.isMember = false;
    return 'ok';
  }

  private joinWithNewInvitation(applicant: Applicant): string {
    if (applicant.isMember) return 'ALREADY_MEMBER';
    applicant.isMember = true;
    if (applicant.state === 'PENDING') this.end(applicant, 'APPROVED');
    else if (applicant.state !== undefined) applicant.state = 'APPROVED';
    return 'ok';
  }

  private joinWithOldInvitation(applicant: Applicant): string {
    if (this.isOldInvitationUsed) return 'INVITATION_INVALID';
    if (applicant.isMember) return 'ALREADY_MEMBER';
    if (applicant.state === 'REJECTED') return 'INVITATION_INVALID';
    this.isOldInvitationUsed = true;
    return this.joinWithNewInvitation(applicant);
  }

  private decide(applicant: Applicant, state: string): string {
    if (applicant.state === undefined) return 'APPLICATION_NOT_FOUND';
    if (applicant.state === 'PENDING') return this.end(applicant, state);
    return applicant.state === state ? 'ok' : 'APPLICATION_STATE';
  }

  private startRequest(applicant: Applicant, usesOldInvitation: boolean): string {
    if (applicant.state === 'PENDING') return 'ok';
    Object.assign(applicant, { state: 'PENDING', usesOldInvitation });
    applicant.publishedStates.push('PENDING');
    return 'ok';
  }

  private end(applicant: Applicant, state: string): string {
    applicant.state = state;
    applicant.publishedStates.push(state);
    return 'ok';
  }
}

/** Executes the steps of the model over HTTP. */
class Scenario {
  private constructor(
    private readonly family: FamilyFixture,
    private readonly oldCode: string,
    private readonly applicants: readonly ApiClient[],
  ) {}

  static async create(): Promise<Scenario> {
    const family = await createFamily(environment);
    const applicants = await Promise.all(Array.from({ length: APPLICANT_COUNT }, () => environment.createPerson('Bo')));
    return new Scenario(family, await createInvitation(family), applicants);
  }

  async run({ action, personIndex }: Step): Promise<string> {
    const person = this.person(personIndex);
    const { owner, familyId } = this.family;
    // An invitation created in the same millisecond as a rejection counts as older.
    await sleep(2);
    switch (action) {
      case 'apply':
        return this.applyWith(person, { familyCode: await this.watchCode() });
      case 'applyWithNewInvitation':
        return this.applyWith(person, { inviteCode: await createInvitation(this.family) });
      case 'applyWithOldInvitation':
        return this.applyWith(person, { inviteCode: this.oldCode });
      case 'joinWithNewInvitation':
        return outcome(await person.post('family/invitation/accept', { code: await createInvitation(this.family) }));
      case 'joinWithOldInvitation':
        return outcome(await person.post('family/invitation/accept', { code: this.oldCode }));
      case 'leave':
        return outcome(await person.post('family/leave', { familyId }));
      case 'expire':
        await environment.app.get(JoinRequestsService, { strict: false }).expireDue(Date.now() + JOIN_REQUEST_TTL_MS);
        return 'ok';
      default: {
        const reference = { familyId, applicationId: await this.findRequestId(person), role: 4 };
        const actor = action === 'cancel' ? person : owner;
        return outcome(await actor.post(`device/contacts/application/${action}`, reference));
      }
    }
  }

  async expectMatches(model: Model): Promise<void> {
    const roles = await rolesOf(environment, this.family.familyId);
    for (const [index, { state, isMember }] of model.applicants.entries()) {
      const person = this.person(index);
      expect([index, person.id in roles]).toEqual([index, isMember]);
      const { body } = await person.get('device/contacts/application/list');
      expect(body['items']).toEqual(state === undefined ? [] : [expect.objectContaining({ state })]);
    }
  }

  async expectEvents(model: Model): Promise<void> {
    const events = await environment.events<{ applicantUserId: string; state: string }>(
      this.family.familyId,
      'userctx.family-application.changed',
    );
    for (const [index, applicant] of model.applicants.entries()) {
      const ownEvents = events.filter(({ payload }) => payload.applicantUserId === this.person(index).id);
      expect(ownEvents.map(({ payload }) => payload.state)).toEqual(applicant.publishedStates);
    }
  }

  private async applyWith(person: ApiClient, code: object): Promise<string> {
    // The model does not cover the rate limit of attempts, so its counters are deleted.
    await environment.query('delete from userctx.attempt_counter');
    return outcome(await person.post('device/contacts/application/create', code));
  }

  private async watchCode(): Promise<string> {
    const { body } = await this.family.watch.post('/apis/v2/userctx/watch/family-code/create', {});
    return String(body['familyCode']);
  }

  private async findRequestId(person: ApiClient): Promise<string> {
    const { body } = await person.get('device/contacts/application/list');
    const [joinRequest] = body['items'] as { applicationId: string }[];
    return joinRequest?.applicationId ?? 'none';
  }

  private person(index: number): ApiClient {
    const person = this.applicants[index];
    if (!person) throw new Error('No applicant with this index');
    return person;
  }
}

async function createInvitation({ owner, familyId }: FamilyFixture): Promise<string> {
  const { body } = await owner.post('family/invitation/create', { familyId, role: 3 });
  return String(body['code']);
}

test('join requests behave as in the model for any sequence of actions', async () => {
  const anyStep = fc.record({ action: fc.constantFrom(...ACTIONS), personIndex: fc.nat({ max: APPLICANT_COUNT - 1 }) });
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { minLength: 4, maxLength: 18 }), async (steps) => {
      const model = new Model();
      const real = await Scenario.create();
      for (const step of steps) {
        const expected = model.run(step);
        expect([step, await real.run(step)]).toEqual([step, expected]);
        await real.expectMatches(model);
      }
      await real.expectEvents(model);
    }),
    { numRuns: propertyRuns(6) },
  );
});
