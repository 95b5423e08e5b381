import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { TestClient } from '@family-watch/testing/clients/test-client';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { FamilyFixture, waitForConversation } from '../support/family-fixture.js';
import { expectOk, type HttpClient } from '../support/http-client.js';
import type { Parent } from '../support/parent.js';
import { waitForOutcome, outcomeOf, CommunicationScenario, findTestZones } from '../support/communication-scenario.js';
import { TestService } from '../support/test-service.js';
import { WATCH_PATH } from '../support/watch.js';
import { describeOneDeployment } from '../support/deployments.js';

const MESSAGE_PATH = '/apis/v2/message/';

describeOneDeployment('A13, A16 enforcement of child rules', 'distributed', (deployment) => {
  let service: TestService;
  let fixture: FamilyFixture;
  let scenario: CommunicationScenario;
  let owner: Parent;
  let guardian: Parent;
  /** Direct conversations of the watch with the owner and with the guardian. */
  let ownerConversation: string;
  let guardianConversation: string;
  let group: string;

  beforeAll(async () => {
    service = await TestService.shared(deployment);
  });
  afterAll(() => service.stop());
  beforeEach(async () => {
    fixture = await FamilyFixture.create(service);
    scenario = new CommunicationScenario(fixture);
    ({ owner, guardian } = fixture);
    ownerConversation = await waitForConversation(fixture.watch, 'DIRECT', owner);
    guardianConversation = await waitForConversation(fixture.watch, 'DIRECT', guardian);
    group = await waitForConversation(owner, 'FAMILY');
  });
  afterEach(() => fixture.disconnectAll());

  /** Waits until a text has the outcome on each gateway. */
  const waitForText = (expected: string, by: HttpClient, conversationId: string): Promise<void> =>
    waitForOutcome(service, 'text', expected, (url) => scenario.sendText(by.at(url), conversationId));

  /** Waits until chat and calls between watch and guardian have the outcome: the gateway receives rules by event. */
  const waitForGuardianOutcome = async (expected: string): Promise<void> => {
    const { watch, cid } = fixture;
    await waitForText(expected, guardian, guardianConversation);
    expect(await scenario.sendText(watch, guardianConversation)).toBe(expected);
    expect(await scenario.call(guardian, { cid })).toBe(expected);
    expect(await scenario.call(watch, { userId: guardian.userId })).toBe(expected);
  };

  /** Sends a text of the owner and waits until it arrives, after all messages that were accepted before. */
  const deliverFromOwner = async (wrist: TestClient): Promise<void> => {
    const arrived = () => wrist.messagesOfKind('ChatTextMessage').filter(({ from }) => from.id === owner.userId).length;
    const before = arrived();
    expect(await scenario.sendText(owner, ownerConversation)).toBe('ok');
    await wrist.waitFor(() => arrived() > before, 'the text of the owner');
  };

  describe('school time', () => {
    beforeEach(() => scenario.changeContact(guardian, { schoolAllowed: false }));

    test('rejects chat and calls in both directions except with allowed contacts, until it is paused for the day', async () => {
      const { watch, cid } = fixture;
      await waitForGuardianOutcome('ok');
      await scenario.createAllDaySchoolTime();
      await waitForGuardianOutcome('SCHOOL_TIME');
      expect(await scenario.sendText(owner, ownerConversation)).toBe('ok');
      expect(await scenario.sendText(watch, ownerConversation)).toBe('ok');
      expect(await scenario.call(owner, { cid })).toBe('ok');
      expect(await scenario.call(watch, { userId: owner.userId })).toBe('ok');
      await scenario.pauseToday();
      await waitForGuardianOutcome('ok');
      await scenario.pauseToday(false);
      await waitForGuardianOutcome('SCHOOL_TIME');
      await scenario.changeContact(guardian, { schoolAllowed: true });
      await waitForGuardianOutcome('ok');
    });

    test('rejects messages by REST and by socket with the end of the school time in the error, and delivers none', async () => {
      const { watch } = fixture;
      const [phone, wrist] = [await guardian.connect(), await watch.connect()];
      await scenario.createAllDaySchoolTime();
      await waitForText('SCHOOL_TIME', guardian, guardianConversation);
      await deliverFromOwner(wrist);
      const receivedBefore = wrist.messagesOfKind('ChatTextMessage').length;
      const message = { clientMsgId: randomUUID(), conversationId: guardianConversation, text: 'Secret' };
      const answers = [
        await phone.send('ChatTextMessage', message),
        (await guardian.post(`${MESSAGE_PATH}send`, { ...message, kind: 'ChatTextMessage' })).body,
        (await guardian.post(`${MESSAGE_PATH}video-call/create`, { to: { cid: fixture.cid } })).body,
      ];
      for (const answer of answers) {
        expect(answer).toMatchObject({ code: 403_008, reason: 'SCHOOL_TIME', details: [{ rule: 'until' }] });
        // The message of the rule `until` is the end of the school time, Unix milliseconds.
        const { details } = answer as unknown as { details: [{ message: string }] };
        const wait = Number(details[0].message) - Date.now();
        expect(wait).toBeGreaterThan(0);
        expect(wait).toBeLessThanOrEqual(12 * 3_600_000);
      }
      expect(answers[0]).toMatchObject({ ok: false, retryAfter: expect.any(Number) });
      await deliverFromOwner(wrist);
      expect(wrist.messagesOfKind('ChatTextMessage')).toHaveLength(receivedBefore + 1);
      expect(wrist.messagesOfKind('VideoCallInNoticeMessage')).toEqual([]);
    });

    test('delivers group messages of members to the watch and rejects group messages of the watch', async () => {
      const { watch } = fixture;
      const wrist = await watch.connect();
      await scenario.createAllDaySchoolTime();
      await waitForText('SCHOOL_TIME', watch, group);
      const receivedBefore = wrist.messagesOfKind('ChatTextMessage').length;
      expect(await scenario.sendText(guardian, group)).toBe('ok');
      await wrist.waitFor(
        () => wrist.messagesOfKind('ChatTextMessage').length > receivedBefore,
        'the message of the guardian',
      );
    });

    test('ends no ringing call, accepts a resent message again, and does not apply during an SOS', async () => {
      const { watch, cid } = fixture;
      const clientMsgId = randomUUID();
      expect(await scenario.sendText(guardian, guardianConversation, clientMsgId)).toBe('ok');
      const ringing = await expectOk(
        guardian.post<{ callId: string }>(`${MESSAGE_PATH}video-call/create`, { to: { cid } }),
      );
      await scenario.createAllDaySchoolTime();
      await waitForText('SCHOOL_TIME', guardian, guardianConversation);
      const { callId } = ringing;
      expect(outcomeOf(await watch.post(`${MESSAGE_PATH}video-call/accept`, { callId }))).toBe('ok');
      expect(outcomeOf(await watch.post(`${MESSAGE_PATH}video-call/hangup`, { callId }))).toBe('ok');
      expect(await scenario.sendText(guardian, guardianConversation, clientMsgId)).toBe('ok');
      // During an SOS school time blocks no contact.
      const { sosId } = await expectOk(watch.post<{ sosId: string }>(`${WATCH_PATH}sos/raise`, {}));
      await waitForGuardianOutcome('ok');
      await expectOk(owner.post('sos/resolve', { cid, sosId }));
      await waitForGuardianOutcome('SCHOOL_TIME');
    });

    test('applies in the time zone of the child; changes reach the watch and are enforced in two seconds', async () => {
      const { noonZone, otherZone } = findTestZones();
      const { watch } = fixture;
      await scenario.setTimeZone(noonZone);
      const school = { did: watch.did, start: '10:00', end: '14:00', weekdays: [1, 2, 3, 4, 5, 6, 7] };
      await expectOk(owner.post('device/school-disable/create', school));
      await waitForGuardianOutcome('SCHOOL_TIME');
      const wrist = await watch.connect();
      const noticeCount = () => wrist.messagesOfKind('DeviceSettingsChangeNoticeMessage').length;
      const before = noticeCount();
      await scenario.setTimeZone(otherZone);
      await waitForGuardianOutcome('ok');
      await wrist.waitFor(() => noticeCount() > before, 'the notice of the new time zone');
      const pulled = await expectOk(watch.get(`${WATCH_PATH}settings/get`, { resources: 'DEVICE' }));
      expect(pulled).toMatchObject({ timeZone: otherZone, DEVICE: { state: 'PENDING' } });
    });

    test('is enforced when it changes while messages are sent', async () => {
      const { watch } = fixture;
      const phone = await guardian.connect();
      const wrist = await watch.connect();
      await scenario.createAllDaySchoolTime();
      let isSending = true;
      const answers: unknown[] = [];
      const sending = (async () => {
        while (isSending) {
          const message = { clientMsgId: randomUUID(), conversationId: guardianConversation, text: 'x' };
          answers.push(await phone.send('ChatTextMessage', message));
          await sleep(5);
        }
      })();
      for (const paused of [true, false, true, false]) {
        await scenario.pauseToday(paused);
        await sleep(150);
      }
      // Each gateway decides about texts by its cached rules, which after this change contain the last school time.
      await scenario.changeContact(owner, { canChat: false });
      await waitForText('CONTACT_NOT_ALLOWED', owner, ownerConversation);
      // The answer that is pending may be older.
      const countBefore = answers.length + 1;
      await waitUntil('answers after the change', () => answers.length > countBefore + 5);
      isSending = false;
      await sending;
      expect(answers.slice(countBefore).length).toBeGreaterThan(0);
      for (const answer of answers.slice(countBefore))
        expect(answer).toMatchObject({ ok: false, reason: 'SCHOOL_TIME' });
      // Exactly the acknowledged messages are delivered.
      const acceptedCount = answers.filter((answer) => (answer as { ok: boolean }).ok).length;
      const received = () => wrist.messagesOfKind('ChatTextMessage').filter(({ from }) => from.id === guardian.userId);
      await wrist.waitFor(() => received().length >= acceptedCount, 'the accepted messages');
      expect(received()).toHaveLength(acceptedCount);
    });
  });

  test('a contact and a watch without permission can neither call nor chat, and a ringing call ends', async () => {
    const { watch, cid } = fixture;
    const wrist = await watch.connect();
    const { callId } = await expectOk(
      guardian.post<{ callId: string }>(`${MESSAGE_PATH}video-call/create`, { to: { cid } }),
    );
    await scenario.changeContact(guardian, { canVideo: false });
    await waitUntil('the end of the call', async () => {
      const accepted = outcomeOf(await watch.post(`${MESSAGE_PATH}video-call/accept`, { callId }));
      return accepted === 'CALL_STATE';
    });
    await waitForOutcome(service, 'call', 'CONTACT_NOT_ALLOWED', (url) => scenario.call(guardian.at(url), { cid }));
    expect(await scenario.call(watch, { userId: guardian.userId })).toBe('CONTACT_NOT_ALLOWED');
    expect(await scenario.sendText(guardian, guardianConversation)).toBe('ok');
    await scenario.changeContact(guardian, { canChat: false });
    await waitForText('CONTACT_NOT_ALLOWED', watch, guardianConversation);
    await deliverFromOwner(wrist);
    const receivedBefore = wrist.messagesOfKind('ChatTextMessage').length;
    expect(await scenario.sendText(guardian, guardianConversation)).toBe('CONTACT_NOT_ALLOWED');
    await deliverFromOwner(wrist);
    expect(wrist.messagesOfKind('ChatTextMessage')).toHaveLength(receivedBefore + 1);
    await scenario.changeContact(guardian, { canChat: true, canVideo: true });
    await waitForGuardianOutcome('ok');
  });

  test('friends cannot exchange messages during the school time of either child', async () => {
    const leo = new CommunicationScenario(await FamilyFixture.create(service));
    await fixture.befriend(leo.fixture);
    const both = await waitForConversation(fixture.watch, 'FRIENDS');
    expect(await scenario.sendText(fixture.watch, both)).toBe('ok');
    await leo.createAllDaySchoolTime();
    await waitForText('SCHOOL_TIME', fixture.watch, both);
    expect(await leo.sendText(leo.fixture.watch, both)).toBe('SCHOOL_TIME');
    await leo.pauseToday();
    await waitForText('ok', fixture.watch, both);
    await scenario.createAllDaySchoolTime();
    await waitForText('SCHOOL_TIME', leo.fixture.watch, both);
    leo.fixture.disconnectAll();
  });
});
