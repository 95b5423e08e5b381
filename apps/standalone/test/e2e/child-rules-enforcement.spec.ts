import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { waitFor, waitUntil } from '@family-watch/testing/waiting/wait-for';
import { FamilyFixture } from '../support/family-fixture.js';
import { expectOk } from '../support/http-client.js';
import type { Parent } from '../support/parent.js';
import { waitForOutcome, outcomeOf, CommunicationScenario, zonesOfNow } from '../support/communication-scenario.js';
import { TestService } from '../support/test-service.js';
import { WATCH_SIDE } from '../support/watch.js';
import { describeBothDeployments } from '../support/deployments.js';

const MESSAGE = '/apis/v2/message/';

describeBothDeployments('enforcement of child rules', (way) => {
  let service: TestService;
  let home: FamilyFixture;
  let reach: CommunicationScenario;
  let owner: Parent;
  let guardian: Parent;
  /** Direct conversations of the watch with the owner and with the guardian. */
  let withOwner: string;
  let withGuardian: string;
  let group: string;

  beforeAll(async () => {
    service = await TestService.shared(way);
  });
  afterAll(() => service.stop());
  beforeEach(async () => {
    home = await FamilyFixture.create(service);
    reach = new CommunicationScenario(home);
    ({ owner, guardian } = home);
    withOwner = await reach.conversation(owner, 'DIRECT', owner);
    withGuardian = await reach.conversation(guardian, 'DIRECT', guardian);
    group = await reach.conversation(owner, 'FAMILY');
  });
  afterEach(() => home.hangUp());

  /** The gateway receives the rules by event, so this waits for the expected outcome. */
  const reachesGuardian = async (expected: string): Promise<void> => {
    const { watch, cid } = home;
    await waitForOutcome('chat of the guardian', expected, () => reach.sendText(guardian, withGuardian));
    expect(await reach.sendText(watch, withGuardian)).toBe(expected);
    expect(await reach.call(guardian, { cid })).toBe(expected);
    expect(await reach.call(watch, { userId: guardian.userId })).toBe(expected);
  };

  describe('school time', () => {
    beforeEach(() => reach.changeContact(guardian, { schoolAllowed: false }));

    test('rejects chat and calls in both directions except with allowed contacts, until it is paused for the day', async () => {
      const { watch, cid } = home;
      await reachesGuardian('ok');
      await reach.schoolAllDay();
      await reachesGuardian('SCHOOL_TIME');
      expect(await reach.sendText(owner, withOwner)).toBe('ok');
      expect(await reach.sendText(watch, withOwner)).toBe('ok');
      expect(await reach.call(owner, { cid })).toBe('ok');
      expect(await reach.call(watch, { userId: owner.userId })).toBe('ok');
      await reach.pauseToday();
      await reachesGuardian('ok');
      await reach.pauseToday(false);
      await reachesGuardian('SCHOOL_TIME');
      await reach.changeContact(guardian, { schoolAllowed: true });
      await reachesGuardian('ok');
    });

    test('allows a contact named in its ranges, within the other permissions of the contact', async () => {
      await reach.schoolAllDay();
      await reachesGuardian('SCHOOL_TIME');
      await reach.allowInSchool(guardian);
      await reachesGuardian('ok');
      await reach.changeContact(guardian, { canChat: false });
      await waitForOutcome('chat', 'CONTACT_NOT_ALLOWED', () => reach.sendText(guardian, withGuardian));
    });

    test('returns its end in the error, by REST and by socket, and rejected messages reach nobody', async () => {
      const { watch } = home;
      const [phone, wrist] = [await guardian.connect(), await watch.connect()];
      await reach.schoolAllDay();
      await waitForOutcome('chat', 'SCHOOL_TIME', () => reach.sendText(guardian, withGuardian));
      await sleep(300);
      const heard = wrist.ofKind('ChatTextMessage').length;
      const said = { clientMsgId: randomUUID(), conversationId: withGuardian, text: 'Secret' };
      const answers = [
        await phone.send('ChatTextMessage', said),
        (await guardian.post(`${MESSAGE}send`, { ...said, kind: 'ChatTextMessage' })).body,
        (await guardian.post(`${MESSAGE}video-call/create`, { to: { cid: home.cid } })).body,
      ];
      for (const answer of answers) {
        expect(answer).toMatchObject({ code: 403_008, reason: 'SCHOOL_TIME', details: [{ rule: 'until' }] });
        const { details } = answer as unknown as { details: [{ message: string }] };
        const wait = Number(details[0].message) - Date.now();
        expect(wait).toBeGreaterThan(0);
        expect(wait).toBeLessThanOrEqual(12 * 3_600_000);
      }
      expect(answers[0]).toMatchObject({ ok: false, retryAfter: expect.any(Number) });
      // The owner's message is delivered, and so all messages before it have been processed.
      expect(await reach.sendText(owner, withOwner)).toBe('ok');
      await wrist.waitFor(() => wrist.ofKind('ChatTextMessage').length > heard, 'the owner');
      expect(wrist.ofKind('ChatTextMessage')).toHaveLength(heard + 1);
      expect(wrist.ofKind('VideoCallInNoticeMessage')).toEqual([]);
    });

    test('stores messages of members to the family group for the watch, which cannot send', async () => {
      const { watch } = home;
      const wrist = await watch.connect();
      await reach.schoolAllDay();
      await waitForOutcome('the watch to the group', 'SCHOOL_TIME', () => reach.sendText(watch, group));
      const heard = wrist.ofKind('ChatTextMessage').length;
      expect(await reach.sendText(guardian, group)).toBe('ok');
      await wrist.waitFor(() => wrist.ofKind('ChatTextMessage').length > heard, 'the message of the guardian');
    });

    test('does not end a ringing call, repeats the response to an accepted message, and does not apply to an SOS', async () => {
      const { watch, cid } = home;
      const clientMsgId = randomUUID();
      expect(await reach.sendText(guardian, withGuardian, clientMsgId)).toBe('ok');
      const ringing = await expectOk(guardian.post<{ callId: string }>(`${MESSAGE}video-call/create`, { to: { cid } }));
      await reach.schoolAllDay();
      await waitForOutcome('chat', 'SCHOOL_TIME', () => reach.sendText(guardian, withGuardian));
      const { callId } = ringing;
      expect(outcomeOf(await watch.post(`${MESSAGE}video-call/accept`, { callId }))).toBe('ok');
      expect(outcomeOf(await watch.post(`${MESSAGE}video-call/hangup`, { callId }))).toBe('ok');
      expect(await reach.sendText(guardian, withGuardian, clientMsgId)).toBe('ok');
      // During an SOS school time blocks no contact.
      const { sosId } = await expectOk(watch.post<{ sosId: string }>(`${WATCH_SIDE}sos/raise`, {}));
      await reachesGuardian('ok');
      await expectOk(owner.post('sos/resolve', { cid, sosId }));
      await reachesGuardian('SCHOOL_TIME');
    });

    test('applies in the time zone of the child; a change is sent to the watch and enforced within two seconds', async () => {
      const { atNoon, elsewhere } = zonesOfNow();
      const { watch } = home;
      await reach.moveTo(atNoon);
      const school = { did: watch.did, start: '10:00', end: '14:00', weekdays: [1, 2, 3, 4, 5, 6, 7] };
      await expectOk(owner.post('device/school-disable/create', school));
      await reachesGuardian('SCHOOL_TIME');
      const wrist = await watch.connect();
      const told = () => wrist.ofKind('DeviceSettingsChangeNoticeMessage').length;
      const before = told();
      await reach.moveTo(elsewhere);
      await reachesGuardian('ok');
      await wrist.waitFor(() => told() > before, 'the notice of the new time zone');
      const pulled = await expectOk(watch.get(`${WATCH_SIDE}settings/get`, { resources: 'DEVICE' }));
      expect(pulled).toMatchObject({ timeZone: elsewhere, DEVICE: { state: 'PENDING' } });
    });

    test('is enforced after concurrent changes and messages', async () => {
      const { watch } = home;
      const phone = await guardian.connect();
      const wrist = await watch.connect();
      await reach.schoolAllDay();
      let talking = true;
      const answers: unknown[] = [];
      const talk = (async () => {
        while (talking) {
          const said = { clientMsgId: randomUUID(), conversationId: withGuardian, text: 'x' };
          answers.push(await phone.send('ChatTextMessage', said));
          await sleep(5);
        }
      })();
      for (const paused of [true, false, true, false]) {
        await reach.pauseToday(paused);
        await sleep(150);
      }
      await sleep(2_000);
      const settled = answers.length;
      await sleep(200);
      talking = false;
      await talk;
      expect(answers.slice(settled).length).toBeGreaterThan(0);
      for (const answer of answers.slice(settled)) expect(answer).toMatchObject({ ok: false, reason: 'SCHOOL_TIME' });
      // Exactly the acknowledged messages are delivered.
      const taken = answers.filter((answer) => (answer as { ok: boolean }).ok).length;
      await wrist.waitFor(() => wrist.ofKind('ChatTextMessage').length >= taken, 'what was taken');
      expect(wrist.ofKind('ChatTextMessage')).toHaveLength(taken);
    });
  });

  test('A16: rejects what a contact is not allowed to do in both directions, without a push, and ends a running call', async () => {
    const { watch, cid } = home;
    const wrist = await watch.connect();
    const { callId } = await expectOk(
      guardian.post<{ callId: string }>(`${MESSAGE}video-call/create`, { to: { cid } }),
    );
    await reach.changeContact(guardian, { canVideo: false });
    await waitUntil('the end of the call', async () => {
      const accepted = outcomeOf(await watch.post(`${MESSAGE}video-call/accept`, { callId }));
      return accepted === 'CALL_STATE';
    });
    expect(await reach.call(guardian, { cid })).toBe('CONTACT_NOT_ALLOWED');
    expect(await reach.call(watch, { userId: guardian.userId })).toBe('CONTACT_NOT_ALLOWED');
    expect(await reach.sendText(guardian, withGuardian)).toBe('ok');
    await reach.changeContact(guardian, { canChat: false });
    await waitForOutcome('chat', 'CONTACT_NOT_ALLOWED', () => reach.sendText(watch, withGuardian));
    const heard = wrist.ofKind('ChatTextMessage').length;
    expect(await reach.sendText(guardian, withGuardian)).toBe('CONTACT_NOT_ALLOWED');
    expect(await reach.sendText(owner, withOwner)).toBe('ok');
    await wrist.waitFor(() => wrist.ofKind('ChatTextMessage').length > heard, 'the owner');
    expect(wrist.ofKind('ChatTextMessage')).toHaveLength(heard + 1);
    await reach.changeContact(guardian, { canChat: true, canVideo: true });
    await reachesGuardian('ok');
  });

  test('friends cannot exchange messages during the school time of either child', async () => {
    const leo = new CommunicationScenario(await FamilyFixture.create(service));
    const { friendCode } = await expectOk(
      leo.home.watch.post<{ friendCode: string }>(`${WATCH_SIDE}friend-code/create`, {}),
    );
    const { applicationId } = await expectOk(
      owner.post<{ applicationId: string }>('device/friends/apply', { did: home.watch.did, friendCode }),
    );
    await expectOk(leo.home.owner.post('device/friends/confirm', { did: leo.home.watch.did, applicationId }));
    const both = await waitFor(() => reach.conversation(home.watch, 'FRIENDS'));
    expect(await reach.sendText(home.watch, both)).toBe('ok');
    await leo.schoolAllDay();
    await waitForOutcome('to the friend', 'SCHOOL_TIME', () => reach.sendText(home.watch, both));
    expect(await leo.sendText(leo.home.watch, both)).toBe('SCHOOL_TIME');
    await leo.pauseToday();
    await waitForOutcome('to the friend', 'ok', () => reach.sendText(home.watch, both));
    await reach.schoolAllDay();
    await waitForOutcome('from the friend', 'SCHOOL_TIME', () => leo.sendText(leo.home.watch, both));
    leo.home.hangUp();
  });

  test('a new member can send messages immediately', async () => {
    for (let round = 0; round < 3; round += 1) {
      const other = await FamilyFixture.create(service);
      const theirs = new CommunicationScenario(other);
      const direct = await theirs.conversation(other.guardian, 'DIRECT', other.guardian);
      expect(await theirs.sendText(other.guardian, direct)).toBe('ok');
    }
  });
});
