import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { JoinRequestState } from '@family-watch/domain/families/contracts/join-request';
import { FAMILY_ROLE } from '@family-watch/domain/families/contracts/family-role';
import type { OwnershipClaimState } from '@family-watch/domain/families/contracts/ownership-claim';
import { FENCE_EVENT_TYPE } from '@family-watch/domain/fences/contracts/fence';
import type { FenceEventType } from '@family-watch/domain/fences/contracts/fence';
import { CenterMessageService } from '../../../src/contexts/message-center/center-message.service.js';
import type { GatewayNode } from '../../support/gateway-node.js';
import { GatewayTestEnvironment, nextVersion, user } from '../../support/gateway-test-environment.js';
import { FamilyFixture } from '../../support/family-fixture.js';

const TIME = 1_790_000_000_000;

// A gateway of its own: a test empties the table of events that were handled.
let world: GatewayTestEnvironment;
let node: GatewayNode;
let inbox: CenterMessageService;
let home: FamilyFixture;

beforeAll(async () => {
  world = await GatewayTestEnvironment.start();
  node = await world.addNode();
  inbox = node.app.get(CenterMessageService, { strict: false });
});
afterAll(() => world.stop());
beforeEach(async () => {
  home = await FamilyFixture.in(world);
});

const newsOf = async ({ id }: { id: string }) => (await inbox.list(id, {})).items;
const typesOf = async (person: { id: string }) => (await newsOf(person)).map(({ type }) => type);

/** The guardian of the household with other rights, or another role. */
async function guardianBecomes(change: object): Promise<void> {
  const [owner, guardian] = home.family.members;
  if (!owner || !guardian) throw new Error('No members');
  await world.familyChanged(nextVersion(home.family, { members: [owner, { ...guardian, ...change }] }));
}

describe('a fence', () => {
  function triggered(type: FenceEventType, late = false, id: string = randomUUID()): Promise<void> {
    const { familyId } = home.family;
    const fact = { familyId, cid: home.cid, did: home.did, fenceId: 'f1', fenceEventId: 'e1' };
    const payload = { ...fact, type, time: TIME, late };
    return world.publish({ name: 'userctx.fence.triggered', key: familyId, payload }, id);
  }

  test.each(Object.values(FENCE_EVENT_TYPE))('%s is told as such, with what it takes to look it up', async (type) => {
    await triggered(type, type === 'LEFT');
    const params = { fenceId: 'f1', fenceEventId: 'e1', late: type === 'LEFT' };
    const told = { type: `FENCE_${type}`, category: 'FENCE', cid: home.cid, did: home.did, time: TIME, params };
    for (const person of [home.owner, home.guardian]) expect(await newsOf(person)).toMatchObject([told]);
  });

  test('a child that is not where it should be is a warning, one that comes and goes is none', async () => {
    for (const type of ['NOT_ARRIVED', 'LEFT_EARLY', 'ENTERED'] as const) await triggered(type);
    const severities = Object.fromEntries((await newsOf(home.owner)).map(({ type, severity }) => [type, severity]));
    expect(severities).toEqual({ FENCE_NOT_ARRIVED: 'WARNING', FENCE_LEFT_EARLY: 'WARNING', FENCE_ENTERED: 'INFO' });
  });

  test('the same event again tells nothing twice', async () => {
    const id = randomUUID();
    await triggered('ENTERED', false, id);
    await node.unitOfWork.executor.query('DELETE FROM gateway.inbox');
    await triggered('ENTERED', false, id);
    expect(await typesOf(home.owner)).toEqual(['FENCE_ENTERED']);
  });

  test.each([[['ALERTS']], [['LOCATION']], [['CHAT', 'CALL']]])(
    'nobody is told who has only %j',
    async (permissions) => {
      await guardianBecomes({ permissions });
      await triggered('ENTERED');
      expect(await typesOf(home.guardian)).toEqual([]);
      expect(await typesOf(home.owner)).toEqual(['FENCE_ENTERED']);
    },
  );

  test('whoever may not know the position any more has not been told of it either', async () => {
    await triggered('ENTERED');
    await guardianBecomes({ permissions: ['ALERTS'] });
    expect(await typesOf(home.guardian)).toEqual([]);
  });
});

test('a position that is shown to somebody outside, and no longer', async () => {
  const { familyId } = home.family;
  const share = { familyId, cid: home.cid, shareId: 's1', time: TIME };
  const by = `user:${home.guardian.id}` as const;
  const changed = (payload: typeof share & { active: boolean; by: typeof by | null }) =>
    world.publish({ name: 'userctx.location-share.changed', key: familyId, payload });
  await changed({ ...share, active: true, by });
  await changed({ ...share, active: false, by: null, time: TIME + 1 });
  for (const person of [home.owner, home.guardian]) {
    expect(await newsOf(person)).toMatchObject([
      { type: 'LOCATION_SHARE_ENDED', severity: 'INFO', params: { shareId: 's1', by: null } },
      { type: 'LOCATION_SHARED', severity: 'WARNING', params: { shareId: 's1', by } },
    ]);
  }
});

describe('an application to belong to the family', () => {
  const applicant = user();

  async function changed(state: JoinRequestState): Promise<void> {
    const { familyId } = home.family;
    const fact = { familyId, cid: home.cid, did: home.did, applicationId: 'a1', applicantUserId: applicant.id };
    const payload = { ...fact, state, time: TIME };
    await world.publish({ name: 'userctx.family-application.changed', key: familyId, payload });
  }

  test('goes to the owner alone', async () => {
    await changed('PENDING');
    const params = { applicationId: 'a1', applicantUserId: applicant.id };
    expect(await newsOf(home.owner)).toMatchObject([{ type: 'APPLICATION_MADE', cid: home.cid, params }]);
    expect(await newsOf(home.guardian)).toEqual([]);
    expect(await newsOf(applicant)).toEqual([]);
  });

  test('is answered to whoever made it, who learns nothing of the family', async () => {
    for (const state of ['APPROVED', 'REJECTED', 'EXPIRED'] as const) {
      await changed(state);
      const [answer] = await newsOf(applicant);
      expect(answer).toMatchObject({ type: 'APPLICATION_ANSWERED', params: { applicationId: 'a1', state } });
      expect(answer).toMatchObject({ familyId: null, cid: null, did: null });
      await inbox.delete(applicant.id, { messageIds: [answer?.messageId ?? ''] });
    }
    expect(await newsOf(home.owner)).toEqual([]);
  });

  test('that was taken back is news to nobody', async () => {
    await changed('CANCELLED');
    for (const person of [home.owner, home.guardian, applicant]) expect(await newsOf(person)).toEqual([]);
  });

  test('to a family that is no more asks nobody', async () => {
    await world.familyChanged(nextVersion(home.family, { dissolved: true }));
    await changed('PENDING');
    expect(await newsOf(home.owner)).toEqual([]);
  });
});

describe('who owns the family', () => {
  function claim(state: OwnershipClaimState, time = TIME): Promise<void> {
    const { familyId } = home.family;
    const fact = { familyId, claimId: 'c1', claimantUserId: home.guardian.id, deadline: TIME + 7, time };
    const by = state === 'GRANTED' ? null : (`user:${home.owner.id}` as const);
    return world.publish({ name: 'userctx.ownership-claim.changed', key: familyId, payload: { ...fact, state, by } });
  }

  test('a claim and its end reach the owner and every guardian', async () => {
    await claim('OPEN');
    await claim('REFUSED', TIME + 1);
    for (const person of [home.owner, home.guardian]) {
      expect(await newsOf(person)).toMatchObject([
        { type: 'OWNERSHIP_CLAIM_ENDED', severity: 'WARNING', params: { claimId: 'c1', state: 'REFUSED' } },
        { type: 'OWNERSHIP_CLAIMED', severity: 'WARNING', params: { claimId: 'c1', deadline: TIME + 7 } },
      ]);
    }
  });

  test('so does another owner; a caregiver has no part in it', async () => {
    await guardianBecomes({ role: FAMILY_ROLE.CAREGIVER });
    await claim('OPEN');
    const { familyId } = home.family;
    const payload = { familyId, fromUserId: home.owner.id, toUserId: home.guardian.id, time: TIME + 1 };
    await world.publish({ name: 'userctx.family.transferred', key: familyId, payload });
    expect(await typesOf(home.owner)).toEqual(['OWNER_CHANGED', 'OWNERSHIP_CLAIMED']);
    expect(await typesOf(home.guardian)).toEqual([]);
  });
});

test('the end of the family reaches all who belonged to it, though nobody does any more', async () => {
  const { familyId } = home.family;
  await world.familyChanged(nextVersion(home.family, { dissolved: true }));
  const memberUserIds = [home.owner.id, home.guardian.id];
  const payload = { familyId, by: `user:${home.owner.id}`, memberUserIds, time: TIME } as const;
  await world.publish({ name: 'userctx.family.dissolved', key: familyId, payload });
  for (const person of [home.owner, home.guardian]) {
    expect(await newsOf(person)).toMatchObject([{ type: 'FAMILY_DISSOLVED', familyId: null, params: { familyId } }]);
    expect((await inbox.list(person.id, {})).unread).toBe(1);
  }
});
