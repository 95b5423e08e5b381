import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { JOIN_REQUEST_TTL_MS } from '@family-watch/domain/families/contracts/join-request';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import { JoinRequestExpiryJob } from '../../../src/contexts/memberships/join-requests/join-request-expiry.job.js';
import { outcome, rolesOf, createFamily } from '../../support/family-fixture.js';
import type { FamilyFixture } from '../../support/family-fixture.js';
import { FamilyTestEnvironment } from '../../support/family-test-environment.js';
import type { Person } from '../../support/person.js';

let world: FamilyTestEnvironment;

beforeAll(async () => {
  world = await FamilyTestEnvironment.open();
});
afterAll(() => world.close());

const APPLICANTS = 2;
const STEPS = [
  'apply',
  'approve',
  'reject',
  'cancel',
  'expire',
  'leave',
  'join',
  'joinByOld',
  'applyInvited',
  'applyByOld',
  'apply',
  'reject',
  'approve',
] as const;

interface Step {
  what: (typeof STEPS)[number];
  who: number;
}

interface Applicant {
  state: string | undefined;
  /** By the invitation of the beginning. */
  byOld: boolean;
  member: boolean;
  /** Of what was told: each application that began, and how it ended. */
  told: string[];
}

/** One old invitation, of before anybody was rejected; every other code is fresh. */
class Model {
  readonly applicants: Applicant[] = Array.from({ length: APPLICANTS }, () => ({
    state: undefined,
    byOld: false,
    member: false,
    told: [],
  }));
  private oldIsUsed = false;

  take({ what, who }: Step): string {
    const applicant = this.applicants[who];
    if (!applicant) throw new Error('Nobody');
    return this[what](applicant);
  }

  private apply(one: Applicant): string {
    if (one.member) return 'ALREADY_MEMBER';
    return one.state === 'REJECTED' ? 'APPLICATION_REFUSED' : this.begin(one, false);
  }

  private applyInvited(one: Applicant): string {
    return one.member ? 'ALREADY_MEMBER' : this.begin(one, false);
  }

  private applyByOld(one: Applicant): string {
    if (this.oldIsUsed) return 'CODE_INVALID';
    if (one.member) return 'ALREADY_MEMBER';
    return one.state === 'REJECTED' ? 'APPLICATION_REFUSED' : this.begin(one, true);
  }

  private approve(one: Applicant): string {
    if (one.state === undefined) return 'APPLICATION_NOT_FOUND';
    if (one.state !== 'PENDING') return 'APPLICATION_STATE';
    if (one.byOld) this.oldIsUsed = true;
    one.member = true;
    return this.end(one, 'APPROVED');
  }

  private reject(one: Applicant): string {
    return this.answer(one, 'REJECTED');
  }

  private cancel(one: Applicant): string {
    return this.answer(one, 'CANCELLED');
  }

  private expire(): string {
    for (const one of this.applicants) if (one.state === 'PENDING') this.end(one, 'EXPIRED');
    return 'ok';
  }

  private leave(one: Applicant): string {
    if (!one.member) return 'FAMILY_NOT_FOUND';
    one.member = false;
    return 'ok';
  }

  private join(one: Applicant): string {
    if (one.member) return 'ALREADY_MEMBER';
    one.member = true;
    if (one.state === 'PENDING') this.end(one, 'APPROVED');
    else if (one.state !== undefined) one.state = 'APPROVED';
    return 'ok';
  }

  private joinByOld(one: Applicant): string {
    if (this.oldIsUsed) return 'INVITATION_INVALID';
    if (one.member) return 'ALREADY_MEMBER';
    if (one.state === 'REJECTED') return 'INVITATION_INVALID';
    this.oldIsUsed = true;
    return this.join(one);
  }

  private answer(one: Applicant, state: string): string {
    if (one.state === undefined) return 'APPLICATION_NOT_FOUND';
    if (one.state === 'PENDING') return this.end(one, state);
    return one.state === state ? 'ok' : 'APPLICATION_STATE';
  }

  private begin(one: Applicant, byOld: boolean): string {
    if (one.state === 'PENDING') return 'ok';
    Object.assign(one, { state: 'PENDING', byOld });
    one.told.push('PENDING');
    return 'ok';
  }

  private end(one: Applicant, state: string): string {
    one.state = state;
    one.told.push(state);
    return 'ok';
  }
}

class Walk {
  private constructor(
    private readonly home: FamilyFixture,
    private readonly oldCode: string,
    private readonly applicants: readonly Person[],
  ) {}

  static async begin(): Promise<Walk> {
    const home = await createFamily(world);
    const applicants = await Promise.all(Array.from({ length: APPLICANTS }, () => world.person('Bo')));
    return new Walk(home, await inviteTo(home), applicants);
  }

  async take({ what, who }: Step): Promise<string> {
    const person = this.person(who);
    const { owner, familyId } = this.home;
    // An invitation of the same millisecond as a rejection counts as older.
    await sleep(2);
    switch (what) {
      case 'apply':
        return this.applyWith(person, { familyCode: await this.watchCode() });
      case 'applyInvited':
        return this.applyWith(person, { inviteCode: await inviteTo(this.home) });
      case 'applyByOld':
        return this.applyWith(person, { inviteCode: this.oldCode });
      case 'join':
        return outcome(await person.post('family/invitation/accept', { code: await inviteTo(this.home) }));
      case 'joinByOld':
        return outcome(await person.post('family/invitation/accept', { code: this.oldCode }));
      case 'leave':
        return outcome(await person.post('family/leave', { familyId }));
      case 'expire':
        await world.app.get(JoinRequestExpiryJob, { strict: false }).run(Date.now() + JOIN_REQUEST_TTL_MS);
        return 'ok';
      default: {
        const reference = { familyId, applicationId: await this.idOf(person), role: 4 };
        const by = what === 'cancel' ? person : owner;
        return outcome(await by.post(`device/contacts/application/${what}`, reference));
      }
    }
  }

  async expectLike(model: Model): Promise<void> {
    const roles = await rolesOf(world, this.home.familyId);
    for (const [index, { state, member }] of model.applicants.entries()) {
      const person = this.person(index);
      expect([index, person.id in roles]).toEqual([index, member]);
      const { body } = await person.get('device/contacts/application/list');
      expect(body['items']).toEqual(state === undefined ? [] : [expect.objectContaining({ state })]);
    }
  }

  async expectTold(model: Model): Promise<void> {
    const told = await world.events<{ applicantUserId: string; state: string }>(
      this.home.familyId,
      'userctx.family-application.changed',
    );
    for (const [index, applicant] of model.applicants.entries()) {
      const about = told.filter(({ payload }) => payload.applicantUserId === this.person(index).id);
      expect(about.map(({ payload }) => payload.state)).toEqual(applicant.told);
    }
  }

  private async applyWith(person: Person, code: object): Promise<string> {
    // Tries are counted; the model is about the rest.
    await world.query('delete from userctx.attempt_counter');
    return outcome(await person.post('device/contacts/application/create', code));
  }

  private async watchCode(): Promise<string> {
    const { body } = await this.home.watch.post('/apis/v2/userctx/watch/family-code/create', {});
    return String(body['familyCode']);
  }

  private async idOf(person: Person): Promise<string> {
    const { body } = await person.get('device/contacts/application/list');
    const [application] = body['items'] as { applicationId: string }[];
    return application?.applicationId ?? 'none';
  }

  private person(index: number): Person {
    const person = this.applicants[index];
    if (!person) throw new Error('Nobody');
    return person;
  }
}

async function inviteTo({ owner, familyId }: FamilyFixture): Promise<string> {
  const { body } = await owner.post('family/invitation/create', { familyId, role: 3 });
  return String(body['code']);
}

test('applications do what the model says, step by step', async () => {
  const step = fc.record({ what: fc.constantFrom(...STEPS), who: fc.nat({ max: APPLICANTS - 1 }) });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 18 }), async (steps) => {
      const model = new Model();
      const real = await Walk.begin();
      for (const each of steps) {
        const expected = model.take(each);
        expect([each, await real.take(each)]).toEqual([each, expected]);
        await real.expectLike(model);
      }
      await real.expectTold(model);
    }),
    { numRuns: propertyRuns(6) },
  );
});
