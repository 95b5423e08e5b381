import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import type { MemberSnapshot } from '@family-watch/domain/families/contracts/membership';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { ChildRulesLookupService } from '../../../src/projections/child-rules-lookup.service.js';
import { ChildRulesProjectionRepository } from '../../../src/projections/child-rules-projection.repository.js';
import { CallDevice } from '../../support/call-parties.js';
import { ALL_DAY, contactRule, publishRules, createRules } from '../../support/child-rules.js';
import { conversationsOf } from '../../support/conversations.js';
import type { GatewayNode } from '../../support/gateway-node.js';
import { user } from '../../support/gateway-test-environment.js';
import { type FamilyFixture, waitForKind } from '../../support/family-fixture.js';
import { callerOf, connect, createFamily } from '../../support/clients.js';
import { environment, node, otherNode, query, serviceOf, startGateway } from '../../support/suite-gateway.js';

/** Time within which a restriction must take effect on every node, milliseconds. */
const REFRESH_LIMIT_MS = 2_000;

startGateway();

let fixture: FamilyFixture;
beforeEach(async () => {
  fixture = await createFamily();
});

async function sendChat(
  onNode: GatewayNode,
  by: Principal,
  conversationId: string,
  clientMsgId: string = randomUUID(),
): Promise<string> {
  const message = { kind: 'ChatTextMessage', clientMsgId, conversationId, text: 'Hi' };
  const { status, body } = await callerOf(by, onNode).post('send', message);
  return status === 200 ? 'ok' : String(body.reason);
}

async function startCall(onNode: GatewayNode, by: Principal, to: object): Promise<string> {
  const caller = new CallDevice(by, onNode);
  const { status, callId, reason } = await caller.call(to);
  if (status === 200) await caller.hangUp(callId);
  return status === 200 ? 'ok' : String(reason);
}

const cachedVersionAt = async (onNode: GatewayNode): Promise<number | undefined> => {
  const rules = await serviceOf(ChildRulesLookupService, onNode).findByChildren(new Set([fixture.cid]));
  return rules.get(fixture.cid)?.version;
};

const findStoredRules = async (): Promise<{ version: number }[]> =>
  query('SELECT version FROM gateway.child_rules WHERE cid = $1', [fixture.cid]);

describe('child rules projection', () => {
  test('keeps the newest version on every node, for any order and repetition of events', async () => {
    expect([await cachedVersionAt(node), await cachedVersionAt(otherNode)]).toEqual([undefined, undefined]);
    for (const version of [2, 1, 4, 4, 3]) await publishRules(createRules(fixture, version));
    expect([await cachedVersionAt(node), await cachedVersionAt(otherNode), await findStoredRules()]).toEqual([
      4,
      4,
      [{ version: 4 }],
    ]);
    const id = randomUUID();
    await publishRules(createRules(fixture, 5), id);
    await publishRules(createRules(fixture, 5), id);
    expect([await cachedVersionAt(node), await cachedVersionAt(otherNode)]).toEqual([5, 5]);
  });

  test('is cached until the rules change', async () => {
    await publishRules(createRules(fixture, 1));
    expect(await cachedVersionAt(node)).toBe(1);
    await query('DELETE FROM gateway.child_rules WHERE cid = $1', [fixture.cid]);
    expect(await cachedVersionAt(node)).toBe(1);
    await publishRules(createRules(fixture, 2));
    expect(await cachedVersionAt(node)).toBe(2);
  });

  test('is deleted when the child is erased', async () => {
    await publishRules(createRules(fixture, 1));
    expect(await cachedVersionAt(otherNode)).toBe(1);
    await fixture.publish('userctx.child.erased', {});
    expect([await findStoredRules(), await cachedVersionAt(node), await cachedVersionAt(otherNode)]).toEqual([
      [],
      undefined,
      undefined,
    ]);
  });

  test('is read again after the refresh job has detected a change whose pub/sub message was lost', async () => {
    await publishRules(createRules(fixture, 1));
    expect(await cachedVersionAt(otherNode)).toBe(1);
    // The periodic job of the other node detects nothing until the test has read the cache.
    const changes = serviceOf(ChildRulesProjectionRepository, otherNode);
    const findChanges = jest
      .spyOn(changes, 'findChangedWithin')
      .mockRejectedValue(new Error('The test has not read yet'));
    /** Stores rules like a node whose pub/sub messages are lost. */
    const storeSilently = (version: number) =>
      query(
        `UPDATE gateway.child_rules SET version = $3, rules = $2::json,
           changed_at = (extract(epoch FROM clock_timestamp()) * 1000)::bigint
         WHERE cid = $1`,
        [fixture.cid, JSON.stringify(createRules(fixture, version)), version],
      );
    await storeSilently(2);
    expect(await cachedVersionAt(otherNode)).toBe(1);
    findChanges.mockRestore();
    await serviceOf(ChildRulesLookupService, otherNode).refreshCache();
    expect(await cachedVersionAt(otherNode)).toBe(2);
    // The refresh job also runs periodically without being called.
    await storeSilently(3);
    await waitUntil('the refresh job', async () => (await cachedVersionAt(otherNode)) === 3, REFRESH_LIMIT_MS);
  });
});

describe('communication checks', () => {
  test('apply only the family permissions while the child has no rules', async () => {
    const { direct } = await conversationsOf(fixture);
    expect(await sendChat(node, fixture.guardian, direct(fixture.guardian))).toBe('ok');
    expect(await startCall(node, fixture.guardian, { cid: fixture.cid })).toBe('ok');
  });

  test('reject chats and calls with a member who is not a contact, and store and deliver nothing', async () => {
    const { direct } = await conversationsOf(fixture);
    await publishRules(createRules(fixture, 1, { contacts: [contactRule(fixture.owner.id)] }));
    const watchClient = await connect(fixture.watchPrincipal);
    for (const onNode of [node, otherNode]) {
      expect(await sendChat(onNode, fixture.guardian, direct(fixture.guardian))).toBe('CONTACT_NOT_ALLOWED');
      expect(await sendChat(onNode, fixture.watchPrincipal, direct(fixture.guardian))).toBe('CONTACT_NOT_ALLOWED');
      expect(await startCall(onNode, fixture.guardian, { cid: fixture.cid })).toBe('CONTACT_NOT_ALLOWED');
      expect(await startCall(onNode, fixture.watchPrincipal, { userId: fixture.guardian.id })).toBe(
        'CONTACT_NOT_ALLOWED',
      );
    }
    expect(await sendChat(node, fixture.owner, direct(fixture.owner))).toBe('ok');
    await waitForKind(watchClient, 'ChatTextMessage');
    expect(watchClient.messagesOfKind('ChatTextMessage')).toHaveLength(1);
    expect(watchClient.messagesOfKind('VideoCallInNoticeMessage')).toEqual([]);
    const calls = await query('SELECT FROM gateway.video_call WHERE cid = $1', [fixture.cid]);
    expect(calls).toEqual([]);
  });

  test('do not apply rules to a member who joined after the rules were created', async () => {
    await publishRules(createRules(fixture, 1, { schoolTimes: ALL_DAY }));
    const newMember = user();
    const [owner, guardian] = fixture.family.members as [MemberSnapshot, MemberSnapshot];
    await fixture.change({ members: [owner, guardian, { ...guardian, userId: newMember.id }] });
    const { direct } = await conversationsOf(fixture);
    expect(await sendChat(node, newMember, direct(newMember))).toBe('ok');
    expect(await startCall(node, newMember, { cid: fixture.cid })).toBe('ok');
    // The rules still apply to the members that they contain as contacts.
    expect(await sendChat(node, fixture.guardian, direct(fixture.guardian))).toBe('SCHOOL_TIME');
    await publishRules({
      ...createRules(fixture, 2, { schoolTimes: ALL_DAY }),
      contacts: [owner, guardian].map(({ userId }) => contactRule(userId)),
    });
    expect(await sendChat(node, newMember, direct(newMember))).toBe('CONTACT_NOT_ALLOWED');
    expect(await startCall(node, newMember, { cid: fixture.cid })).toBe('CONTACT_NOT_ALLOWED');
  });

  test('apply school time from its start to its end by the clock, without an event', async () => {
    const { direct } = await conversationsOf(fixture);
    const now = new Date(environment.clock.now());
    const at = (minutes: number) => new Date(now.getTime() + minutes * 60_000).toISOString().slice(11, 16);
    const school = { start: at(60), end: at(120), weekdays: [1, 2, 3, 4, 5, 6, 7], holidays: [], extraDates: [] };
    await publishRules(createRules(fixture, 1, { schoolTimes: [school] }));
    const sendAsGuardian = () => sendChat(otherNode, fixture.guardian, direct(fixture.guardian));
    expect(await sendAsGuardian()).toBe('ok');
    environment.clock.forward(60 * 60_000);
    expect(await sendAsGuardian()).toBe('SCHOOL_TIME');
    expect(await startCall(node, fixture.watchPrincipal, { userId: fixture.guardian.id })).toBe('SCHOOL_TIME');
    environment.clock.forward(60 * 60_000);
    expect(await sendAsGuardian()).toBe('ok');
  });

  test('return the original response to a repeated message that newer rules would reject, on any node', async () => {
    const { direct } = await conversationsOf(fixture);
    const clientMsgId = randomUUID();
    expect(await sendChat(node, fixture.guardian, direct(fixture.guardian), clientMsgId)).toBe('ok');
    await publishRules(createRules(fixture, 1, { schoolTimes: ALL_DAY }));
    expect(await sendChat(otherNode, fixture.guardian, direct(fixture.guardian))).toBe('SCHOOL_TIME');
    expect(await sendChat(otherNode, fixture.guardian, direct(fixture.guardian), clientMsgId)).toBe('ok');
    const phone = await connect(fixture.guardian, otherNode);
    const repeated = { clientMsgId, conversationId: direct(fixture.guardian), text: 'Hi' };
    expect(await phone.send('ChatTextMessage', repeated)).toMatchObject({ ok: true, conversationSeq: 1 });
  });

  test('reject only the disallowed messages of a concurrent batch', async () => {
    const { direct, group } = await conversationsOf(fixture);
    await publishRules(createRules(fixture, 1, { contacts: [contactRule(fixture.owner.id)] }));
    const watchClient = await connect(fixture.watchPrincipal);
    const outcomes = await Promise.all(
      Array.from({ length: 12 }, (_, at) => {
        if (at % 3 === 0) return sendChat(node, fixture.guardian, direct(fixture.guardian));
        return at % 3 === 1
          ? sendChat(node, fixture.owner, direct(fixture.owner))
          : sendChat(node, fixture.guardian, group);
      }),
    );
    expect(outcomes.filter((outcome) => outcome === 'ok')).toHaveLength(8);
    expect(outcomes.filter((outcome) => outcome === 'CONTACT_NOT_ALLOWED')).toHaveLength(4);
    await waitForKind(watchClient, 'ChatTextMessage', 8);
    expect(watchClient.problems).toEqual([]);
  });

  test('end or reject a call that starts concurrently with a change of the rules that disallows the call', async () => {
    for (let round = 1; round <= 10; round += 1) {
      const otherFixture = await createFamily();
      await publishRules(createRules(otherFixture, 1));
      const disallowing = createRules(otherFixture, 2, {
        contacts: [contactRule(otherFixture.owner.id), contactRule(otherFixture.guardian.id, { canVideo: false })],
      });
      const caller = new CallDevice(otherFixture.guardian, round % 2 === 0 ? node : otherNode);
      await Promise.all([caller.call({ cid: otherFixture.cid }), publishRules(disallowing)]);
      const live = await query('SELECT state FROM gateway.video_call WHERE cid = $1 AND due_at IS NOT NULL', [
        otherFixture.cid,
      ]);
      expect(live).toEqual([]);
    }
  });
});
