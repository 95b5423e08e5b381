import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { SosDto } from '@family-watch/domain/sos/dto/sos.dto';
import type { TestClient } from '@family-watch/testing/clients/test-client';
import { waitFor, waitUntil, waitUntilFound } from '@family-watch/testing/waiting/wait-for';
import { FamilyFixture } from '../support/family-fixture.js';
import { expectOk } from '../support/http-client.js';
import { TestService } from '../support/test-service.js';
import { WATCH_PATH } from '../support/watch.js';

/** Interval of the escalation steps. So long that a step is only due when a test calls `performStep`. */
const STEP_MS = 3_600_000;
/** Phone number of a contact without an account. */
const CONTACT_PHONE = '13700000001';

// Own service, because the interval of the escalation is a setting.
describe('SOS', () => {
  let service: TestService;
  let fixture: FamilyFixture;
  let cid: string;
  let omaRef: string;
  let alertsBefore: number;

  beforeAll(async () => {
    const seconds = STEP_MS / 1_000;
    service = await TestService.start('standalone', { SOS_STEP_SECONDS: seconds, SOS_REPEAT_SECONDS: seconds });
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

  const raise = (time: unknown) => expectOk(fixture.watch.post<{ sosId: string }>(`${WATCH_PATH}sos/raise`, { time }));
  const findNewestSos = async () => {
    const { items } = await expectOk(fixture.owner.get<{ items: SosDto[] }>('sos/list', { cid }));
    const [newest] = items;
    if (!newest) throw new Error('No SOS was raised');
    return newest;
  };
  const updateSos = (what: 'ack' | 'resolve', sosId: string) =>
    expectOk(fixture.guardian.post<SosDto>(`sos/${what}`, { cid, sosId }));
  const urgent = (socket: TestClient) =>
    socket
      .messagesOfKind('MessageCenterChangeNoticeMessage')
      .filter(({ payload }) => (payload as { severity: string }).severity === 'URGENT');
  /** Lets the next step become due, by moving the SOS and its steps into the past, and waits until it has been performed and the following step is planned. */
  const performStep = async (sosId: string) => {
    const { steps } = await findNewestSos();
    await service.query('UPDATE userctx.sos_step SET at = at - $2 WHERE sos_id = $1', [sosId, STEP_MS]);
    await service.query('UPDATE userctx.sos SET next_step_at = next_step_at - $2 WHERE sos_id = $1', [sosId, STEP_MS]);
    return waitUntilFound('the next step', async () => {
      const seen = await findNewestSos();
      const plannedIn = (seen.nextStepAt ?? 0) - (seen.steps.at(-1)?.at ?? 0);
      return seen.steps.length > steps.length && plannedIn === STEP_MS ? seen : undefined;
    });
  };
  test('escalates from contact to contact, then to all contacts, until a person acknowledges it', async () => {
    const [owner, guardian] = [await fixture.owner.connect(), await fixture.guardian.connect()];
    const time = Date.now();
    const { sosId } = await raise(time);
    await guardian.waitFor(() => urgent(guardian).length > 0, 'the alert');
    // Acknowledging the delivery of the message does not acknowledge the SOS.
    await guardian.send('AckMessage', { seq: urgent(guardian).at(-1)?.seq });
    let sos = await findNewestSos();
    for (const step of [1, 2, 3, 4]) {
      sos = await performStep(sosId);
      expect(sos.steps.at(-1)?.step).toBe(step);
    }
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
    const seen = await updateSos('ack', sosId);
    expect(seen).toMatchObject({ state: 'ACKNOWLEDGED', acknowledgedBy: `user:${guardianId}`, nextStepAt: null });
    await waitUntil('the end of sending', async () => {
      const pending = await service.query('SELECT FROM userctx.alert_sms WHERE about = $1', [sosId]);
      return pending.length === 0;
    });
    const phones = [fixture.owner.phoneNumber, fixture.guardian.phoneNumber, CONTACT_PHONE];
    const before = service.sms.alertsTo(...phones);
    expect(before.slice(alertsBefore).map(({ category, time: of }) => [category, of])).toContainEqual(['SOS', time]);
    // The text of the SMS contains no name, location or id.
    for (const sms of before) {
      expect(Object.keys(sms).toSorted()).toEqual(['areaCode', 'category', 'phoneNumber', 'scene', 'time']);
    }
    // Each member receives an alert when the SOS is raised, at the member's own step, and at the step for all contacts.
    await waitFor(() => expect([urgent(owner).length, urgent(guardian).length]).toEqual([3, 3]));
  });

  test.each([-1, 1.5, '1', null, 9e15])('is raised although the watch sends the invalid time %p', async (time) => {
    const { sosId } = await raise(time);
    expect((await findNewestSos()).sosId).toBe(sosId);
    await updateSos('resolve', sosId);
  });
});
