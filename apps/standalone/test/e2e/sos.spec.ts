import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SosDto } from '@family-watch/domain/sos/dto/sos.dto';
import type { TestClient } from '@family-watch/testing/clients/test-client';
import { waitUntil, waitUntilFound } from '@family-watch/testing/waiting/wait-for';
import { FamilyFixture } from '../support/family-fixture.js';
import { expectOk } from '../support/http-client.js';
import { TestService } from '../support/test-service.js';
import { WATCH_PATH } from '../support/watch.js';

const [STEP_SECONDS, REPEAT_SECONDS] = [1, 3];
const CENTER_NOTICE = 'MessageCenterChangeNoticeMessage';
/** Phone number of a contact without an account. */
const CONTACT_PHONE = '13700000001';

describe('SOS', () => {
  let service: TestService;
  let fixture: FamilyFixture;
  let cid: string;
  let omaRef: string;
  let alertsBefore: number;

  beforeAll(async () => {
    const pace = { SOS_STEP_SECONDS: STEP_SECONDS, SOS_REPEAT_SECONDS: REPEAT_SECONDS };
    service = await TestService.start('standalone', pace);
  });
  afterAll(() => service.stop());
  beforeEach(async () => {
    fixture = await FamilyFixture.create(service);
    cid = fixture.cid;
    const contact = { deviceId: fixture.watch.did, name: 'Oma', phoneNumber: CONTACT_PHONE, areaCode: '+86' };
    omaRef = (await expectOk(fixture.owner.post<{ refId: string }>('device/contacts/create', contact))).refId;
    alertsBefore = service.sms.alertsTo(CONTACT_PHONE).length;
  });
  afterEach(() => fixture.disconnectAll());

  const countNewAlerts = () => service.sms.alertsTo(CONTACT_PHONE).length - alertsBefore;
  const raise = (time = Date.now()) =>
    expectOk(fixture.watch.post<{ sosId: string; state: string }>(`${WATCH_PATH}sos/raise`, { time }));
  const findNewestSos = async () => {
    const { items } = await expectOk(fixture.guardian.get<{ items: SosDto[] }>('sos/list', { cid }));
    const [newest] = items;
    if (!newest) throw new Error('No SOS was raised');
    return newest;
  };
  const updateSos = (what: 'ack' | 'resolve', sosId: string) =>
    expectOk(fixture.guardian.post<SosDto>(`sos/${what}`, { cid, sosId }));
  const urgent = (socket: TestClient) =>
    socket
      .messagesOfKind(CENTER_NOTICE)
      .filter(({ payload }) => (payload as { severity: string }).severity === 'URGENT');
  const waitForNextSteps = () => sleep((STEP_SECONDS + REPEAT_SECONDS) * 1_000 + 2_000);

  test('escalates from contact to contact, then to all contacts, until a person acknowledges it', async () => {
    const [owner, guardian] = [await fixture.owner.connect(), await fixture.guardian.connect()];
    const time = Date.now();
    const { sosId } = await raise(time);
    await guardian.waitFor(() => urgent(guardian).length > 0, 'the alert');
    // Acknowledging the delivery of the message does not acknowledge the SOS.
    await guardian.send('AckMessage', { seq: urgent(guardian).at(-1)?.seq });
    await waitUntil('the SMS to the last contact', () => countNewAlerts() > 0);
    const sos = await waitUntilFound('the second notification of all contacts', async () => {
      const seen = await findNewestSos();
      return seen.steps.some(({ channel, refId }) => channel === 'SMS' && refId === null) ? seen : undefined;
    });
    const [ownerId, guardianId] = [fixture.owner.userId, fixture.guardian.userId];
    expect(sos.steps.map(({ step, channel, userId, refId }) => [step, channel, userId ?? refId])).toEqual([
      [0, 'APP', null],
      [1, 'APP', ownerId],
      [1, 'SMS', ownerId],
      [2, 'APP', guardianId],
      [2, 'SMS', guardianId],
      [3, 'SMS', omaRef],
      [4, 'APP', null],
      [4, 'SMS', null],
    ]);
    const gaps = sos.steps.map(({ at }, index) => at - (sos.steps[index - 1]?.at ?? at));
    for (const [index, gap] of gaps.entries()) {
      const isNewStep = sos.steps[index]?.step !== sos.steps[index - 1]?.step && index > 0;
      expect(gap).toBeGreaterThanOrEqual(isNewStep ? STEP_SECONDS * 1_000 : 0);
    }
    const seen = await updateSos('ack', sosId);
    expect(seen).toMatchObject({ state: 'ACKNOWLEDGED', acknowledgedBy: `user:${guardianId}`, nextStepAt: null });
    await sleep(1_500);
    const phones = [fixture.owner.phoneNumber, fixture.guardian.phoneNumber, CONTACT_PHONE];
    const before = service.sms.alertsTo(...phones);
    expect(before.slice(alertsBefore).map(({ category, time: of }) => [category, of])).toContainEqual(['SOS', time]);
    // The text of the SMS contains no name, location or id.
    for (const sms of before) {
      expect(Object.keys(sms).toSorted()).toEqual(['areaCode', 'category', 'phoneNumber', 'scene', 'time']);
    }
    await waitForNextSteps();
    expect(service.sms.alertsTo(...phones)).toEqual(before);
    expect((await findNewestSos()).steps).toEqual(seen.steps);
    // Each member receives an alert when the SOS is raised, at the member's own step, and at the step for all contacts.
    expect([urgent(owner).length, urgent(guardian).length]).toEqual([3, 3]);
  });

  test.each([-1, 1.5, '1', null, 9e15])('is raised although the watch sends the invalid time %p', async (time) => {
    const { sosId } = await expectOk(fixture.watch.post<{ sosId: string }>(`${WATCH_PATH}sos/raise`, { time }));
    expect((await findNewestSos()).sosId).toBe(sosId);
    await updateSos('resolve', sosId);
  });

  test('sends no SMS when it is resolved before the first escalation step', async () => {
    const { sosId } = await raise();
    await updateSos('resolve', sosId);
    await waitForNextSteps();
    expect(await findNewestSos()).toMatchObject({ state: 'RESOLVED', steps: [{ step: 0 }], nextStepAt: null });
    expect(service.sms.alertsTo(fixture.owner.phoneNumber, fixture.guardian.phoneNumber)).toEqual([]);
    expect(countNewAlerts()).toBe(0);
  });

  test('skips former members and deleted contacts, and includes new contacts', async () => {
    await raise();
    await expectOk(
      fixture.owner.post('family/member/remove', { familyId: fixture.familyId, userId: fixture.guardian.userId }),
    );
    await expectOk(fixture.owner.post('device/contacts/delete', { deviceId: fixture.watch.did, refId: omaRef }));
    const opa = { deviceId: fixture.watch.did, name: 'Opa', phoneNumber: '13700000002', areaCode: '+86' };
    await expectOk(fixture.owner.post('device/contacts/create', opa));
    await waitUntil('the SMS to the new contact', () => service.sms.alertsTo(opa.phoneNumber).length > 0);
    expect(service.sms.alertsTo(fixture.guardian.phoneNumber)).toEqual([]);
    expect(countNewAlerts()).toBe(0);
    const { items } = await expectOk(fixture.owner.get<{ items: SosDto[] }>('sos/list', { cid }));
    await expectOk(fixture.owner.post('sos/resolve', { cid, sosId: items[0]?.sosId }));
  });

  test('enables live tracking, and returns the state of the SOS when the watch repeats its request', async () => {
    const socket = await fixture.watch.connect();
    const time = Date.now();
    const { sosId } = await raise(time);
    const mode = async () =>
      (await expectOk(fixture.owner.get<{ locationMode: string }>('device/settings/get', { did: fixture.watch.did })))
        .locationMode;
    expect(await mode()).toBe('FOLLOW');
    const settingsNotices = () => socket.messagesOfKind('DeviceSettingsChangeNoticeMessage').length;
    await socket.waitFor(() => settingsNotices() > 0, 'the notice');
    await updateSos('ack', sosId);
    expect(await raise(time)).toEqual({ sosId, state: 'ACKNOWLEDGED' });
    const countBefore = settingsNotices();
    await updateSos('resolve', sosId);
    await socket.waitFor(() => settingsNotices() > countBefore, 'the notice of its end');
    expect(await mode()).not.toBe('FOLLOW');
    expect(await raise(time)).toEqual({ sosId, state: 'RESOLVED' });
  });

  test('alerts the apps again when the watch raises the SOS again after an acknowledgement', async () => {
    const socket = await fixture.owner.connect();
    const { sosId } = await raise();
    await updateSos('ack', sosId);
    await sleep(STEP_SECONDS * 1_000 + 200);
    const before = urgent(socket).length;
    expect(await raise()).toEqual({ sosId, state: 'ACKNOWLEDGED' });
    await socket.waitFor(() => urgent(socket).length > before, 'the second alert');
    await raise();
    await updateSos('resolve', sosId);
    expect((await findNewestSos()).steps.filter(({ channel }) => channel === 'SMS')).toEqual([]);
    expect(urgent(socket)).toHaveLength(before + 1);
  });
});
