import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ChildRulesRefreshJob } from '../../../src/contexts/child-rules/child-rules-refresh.job.js';
import { ChildRulesLookupService } from '../../../src/contexts/child-rules/child-rules-lookup.service.js';
import { CallDevice } from '../../support/call-parties.js';
import { ALL_DAY, contactRule, rulesChanged, rulesOf } from '../../support/child-rules.js';
import { conversationsOf } from '../../support/conversations.js';
import type { GatewayNode } from '../../support/gateway-node.js';
import { GatewayTestEnvironment, nextVersion, user } from '../../support/gateway-test-environment.js';
import { FamilyFixture } from '../../support/family-fixture.js';
import { RestCaller } from '../../support/rest.js';

let world: GatewayTestEnvironment;
/** Two processes on one database. */
let node: GatewayNode;
let otherNode: GatewayNode;
let home: FamilyFixture;

beforeAll(async () => {
  world = await GatewayTestEnvironment.start();
  node = await world.addNode();
  otherNode = await world.addNode();
});
beforeEach(async () => {
  home = await FamilyFixture.in(world);
});
afterAll(() => world.stop());

async function say(
  where: GatewayNode,
  by: Principal,
  conversationId: string,
  clientMsgId: string = randomUUID(),
): Promise<string> {
  const said = { kind: 'ChatTextMessage', clientMsgId, conversationId, text: 'Hi' };
  const { status, body } = await new RestCaller(world, where, by).post('send', said);
  return status === 200 ? 'ok' : String(body.reason);
}

async function call(where: GatewayNode, by: Principal, to: object): Promise<string> {
  const caller = new CallDevice(world, where, by);
  const { status, callId, reason } = await caller.call(to);
  if (status === 200) await caller.hangUp(callId);
  return status === 200 ? 'ok' : String(reason);
}

const versionAt = async (where: GatewayNode): Promise<number | undefined> => {
  const known = await where.app.get(ChildRulesLookupService, { strict: false }).findByChildren(new Set([home.cid]));
  return known.get(home.cid)?.version;
};

const stored = async (): Promise<{ version: number }[]> =>
  node.unitOfWork.executor.query('SELECT version FROM gateway.child_rules WHERE cid = $1', [home.cid]);

describe('the projection of a child’s rules', () => {
  test('keeps the newest, in whichever order and however often they come, on every node', async () => {
    expect([await versionAt(node), await versionAt(otherNode)]).toEqual([undefined, undefined]);
    for (const version of [2, 1, 4, 4, 3]) await rulesChanged(world, rulesOf(home, version));
    expect([await versionAt(node), await versionAt(otherNode), await stored()]).toEqual([4, 4, [{ version: 4 }]]);
    const id = randomUUID();
    await rulesChanged(world, rulesOf(home, 5), id);
    await rulesChanged(world, rulesOf(home, 5), id);
    expect([await versionAt(node), await versionAt(otherNode)]).toEqual([5, 5]);
  });

  test('is read once, and not again before it has changed', async () => {
    await rulesChanged(world, rulesOf(home, 1));
    expect(await versionAt(node)).toBe(1);
    await node.unitOfWork.executor.query('DELETE FROM gateway.child_rules WHERE cid = $1', [home.cid]);
    expect(await versionAt(node)).toBe(1);
    await rulesChanged(world, rulesOf(home, 2));
    expect(await versionAt(node)).toBe(2);
  });

  test('keeps nothing of an erased child', async () => {
    await rulesChanged(world, rulesOf(home, 1));
    expect(await versionAt(otherNode)).toBe(1);
    const { familyId } = home.family;
    await world.publish({ name: 'userctx.child.erased', key: familyId, payload: { familyId, cid: home.cid } });
    expect([await stored(), await versionAt(node), await versionAt(otherNode)]).toEqual([[], undefined, undefined]);
  });

  test('is found again by the sweep where signals are lost', async () => {
    await rulesChanged(world, rulesOf(home, 1));
    expect(await versionAt(otherNode)).toBe(1);
    // As another node would that cannot reach this one.
    await node.unitOfWork.executor.query(
      `UPDATE gateway.child_rules SET version = 2, rules = $2::json,
         changed_at = (extract(epoch FROM clock_timestamp()) * 1000)::bigint
       WHERE cid = $1`,
      [home.cid, JSON.stringify(rulesOf(home, 2))],
    );
    expect(await versionAt(otherNode)).toBe(1);
    await otherNode.app.get(ChildRulesRefreshJob, { strict: false }).run();
    expect(await versionAt(otherNode)).toBe(2);
    // And by itself, in time.
    await node.unitOfWork.executor.query(
      `UPDATE gateway.child_rules SET version = 3, rules = $2::json,
         changed_at = (extract(epoch FROM clock_timestamp()) * 1000)::bigint
       WHERE cid = $1`,
      [home.cid, JSON.stringify(rulesOf(home, 3))],
    );
    await sleep(2_000);
    expect(await versionAt(otherNode)).toBe(3);
  });
});

describe('who reaches whom', () => {
  test('without rules the permissions in the family alone count', async () => {
    const { direct } = await conversationsOf(node, home);
    expect(await say(node, home.guardian, direct(home.guardian))).toBe('ok');
    expect(await call(node, home.guardian, { cid: home.cid })).toBe('ok');
  });

  test('who is not among the contacts reaches nothing and is reached by nobody; nothing is stored or told', async () => {
    const { direct } = await conversationsOf(node, home);
    await rulesChanged(world, rulesOf(home, 1, { contacts: [contactRule(home.owner.id)] }));
    const wearer = await world.connect(node, home.wearer);
    for (const where of [node, otherNode]) {
      expect(await say(where, home.guardian, direct(home.guardian))).toBe('CONTACT_NOT_ALLOWED');
      expect(await say(where, home.wearer, direct(home.guardian))).toBe('CONTACT_NOT_ALLOWED');
      expect(await call(where, home.guardian, { cid: home.cid })).toBe('CONTACT_NOT_ALLOWED');
      expect(await call(where, home.wearer, { userId: home.guardian.id })).toBe('CONTACT_NOT_ALLOWED');
    }
    expect(await say(node, home.owner, direct(home.owner))).toBe('ok');
    await wearer.waitFor(() => wearer.ofKind('ChatTextMessage').length > 0, 'the owner');
    expect(wearer.ofKind('ChatTextMessage')).toHaveLength(1);
    expect(wearer.ofKind('VideoCallInNoticeMessage')).toEqual([]);
    const calls = await node.unitOfWork.executor.query('SELECT FROM gateway.video_call WHERE cid = $1', [home.cid]);
    expect(calls).toEqual([]);
  });

  test('rules that are older than a membership say nothing of it', async () => {
    await rulesChanged(world, rulesOf(home, 1, { schoolTimes: ALL_DAY }));
    const late = user();
    const member = { ...home.family.members[1], userId: late.id } as (typeof home.family.members)[number];
    const family = nextVersion(home.family, { members: [...home.family.members, member] });
    await world.familyChanged(family);
    const { direct } = await conversationsOf(node, home);
    expect(await say(node, late, direct(late))).toBe('ok');
    expect(await call(node, late, { cid: home.cid })).toBe('ok');
    // Of those whom they name they say what they said before.
    expect(await say(node, home.guardian, direct(home.guardian))).toBe('SCHOOL_TIME');
    const rules = rulesOf(home, 2, { schoolTimes: ALL_DAY });
    await rulesChanged(world, { ...rules, familyVersion: family.version });
    expect(await say(node, late, direct(late))).toBe('CONTACT_NOT_ALLOWED');
    expect(await call(node, late, { cid: home.cid })).toBe('CONTACT_NOT_ALLOWED');
  });

  test('the clock decides: school time begins and ends without a word', async () => {
    const { direct } = await conversationsOf(node, home);
    const now = new Date(world.clock.now());
    const at = (minutes: number) => new Date(now.getTime() + minutes * 60_000).toISOString().slice(11, 16);
    const school = { start: at(60), end: at(120), weekdays: [1, 2, 3, 4, 5, 6, 7], holidays: [], extraDates: [] };
    await rulesChanged(world, rulesOf(home, 1, { schoolTimes: [school] }));
    const guardian = () => say(otherNode, home.guardian, direct(home.guardian));
    expect(await guardian()).toBe('ok');
    world.clock.forward(60 * 60_000);
    expect(await guardian()).toBe('SCHOOL_TIME');
    expect(await call(node, home.wearer, { userId: home.guardian.id })).toBe('SCHOOL_TIME');
    world.clock.forward(60 * 60_000);
    expect(await guardian()).toBe('ok');
  });

  test('what was taken before a rule forbade it is answered as it was then, by a node that has not heard of it', async () => {
    const { direct } = await conversationsOf(node, home);
    const taken = randomUUID();
    expect(await say(node, home.guardian, direct(home.guardian), taken)).toBe('ok');
    await rulesChanged(world, rulesOf(home, 1, { schoolTimes: ALL_DAY }));
    expect(await say(otherNode, home.guardian, direct(home.guardian))).toBe('SCHOOL_TIME');
    expect(await say(otherNode, home.guardian, direct(home.guardian), taken)).toBe('ok');
    const phone = await world.connect(otherNode, home.guardian);
    const again = { clientMsgId: taken, conversationId: direct(home.guardian), text: 'Hi' };
    expect(await phone.send('ChatTextMessage', again)).toMatchObject({ ok: true, conversationSeq: 1 });
  });

  test('one of many who speak at once is refused, and the others are heard', async () => {
    const { direct, group } = await conversationsOf(node, home);
    await rulesChanged(world, rulesOf(home, 1, { contacts: [contactRule(home.owner.id)] }));
    const wearer = await world.connect(node, home.wearer);
    const outcomes = await Promise.all(
      Array.from({ length: 12 }, (_, at) => {
        if (at % 3 === 0) return say(node, home.guardian, direct(home.guardian));
        return at % 3 === 1 ? say(node, home.owner, direct(home.owner)) : say(node, home.guardian, group);
      }),
    );
    expect(outcomes.filter((outcome) => outcome === 'ok')).toHaveLength(8);
    expect(outcomes.filter((outcome) => outcome === 'CONTACT_NOT_ALLOWED')).toHaveLength(4);
    await wearer.waitFor(() => wearer.ofKind('ChatTextMessage').length >= 8, 'the others');
    expect(wearer.problems).toEqual([]);
  });

  test('a call is ended by whoever forbids it, however the two cross', async () => {
    for (let round = 1; round <= 10; round += 1) {
      const other = await FamilyFixture.in(world);
      await rulesChanged(world, rulesOf(other, 1));
      const forbidden = rulesOf(other, 2, {
        contacts: [contactRule(other.owner.id), contactRule(other.guardian.id, { canVideo: false })],
      });
      const caller = new CallDevice(world, round % 2 === 0 ? node : otherNode, other.guardian);
      await Promise.all([caller.call({ cid: other.cid }), rulesChanged(world, forbidden)]);
      const live = await node.unitOfWork.executor.query(
        'SELECT state FROM gateway.video_call WHERE cid = $1 AND due_at IS NOT NULL',
        [other.cid],
      );
      expect(live).toEqual([]);
    }
  });
});
