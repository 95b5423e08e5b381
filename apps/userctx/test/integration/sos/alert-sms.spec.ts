import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { AttemptLimiterService, type AttemptKind } from '../../../src/accounts/attempts/attempt-limiter.service.js';
import { ChildDeletionService } from '../../../src/families/children/child-deletion.service.js';
import { ContactsService } from '../../../src/families/contacts/contacts.service.js';
import { AlertSmsRepository, type AlertContent, type ClaimedAlert } from '../../../src/sos/alert-sms.repository.js';
import { ALERT_SMS_JOB, AlertSmsService } from '../../../src/sos/alert-sms.service.js';
import { createBoundFamily, type BoundFamilyFixture } from '../../support/bound-family-fixture.js';
import { RecordedAlerts } from '../../support/recorded-alerts.js';
import { WatchesTestEnvironment } from '../../support/watches-test-environment.js';

let environment: WatchesTestEnvironment;
let replicas: [INestApplicationContext, INestApplicationContext];
let recordedAlerts: RecordedAlerts;
let family: BoundFamilyFixture;
let phoneCount = 0;

beforeAll(async () => {
  environment = await WatchesTestEnvironment.open();
  const manualJobs = { disabledJobs: [ALERT_SMS_JOB] };
  replicas = [await environment.replica({}, manualJobs), await environment.replica({}, manualJobs)];
  recordedAlerts = new RecordedAlerts(replicas[0]);
  // The job is disabled, so only the tests send alerts. Both replicas record sent alerts in the same list.
  const secondRecorder = new RecordedAlerts(replicas[1]);
  secondRecorder.alerts.push = (...alerts) => recordedAlerts.alerts.push(...alerts);
});
beforeEach(async () => {
  family = await createBoundFamily(environment, replicas[0]);
  Object.assign(recordedAlerts, { isFailing: false, onReceive: undefined });
});
afterAll(() => environment.close());

/** Adds a contact without an account that the watch can call. */
async function addContact(): Promise<{ refId: string; phoneNumber: string }> {
  phoneCount += 1;
  const phoneNumber = `137${String(phoneCount).padStart(8, '0')}`;
  const request = { deviceId: family.watch.did, name: 'Oma', phoneNumber, areaCode: '+86' };
  const { refId } = await replicas[0].get(ContactsService, { strict: false }).create(family.owner, request);
  return { refId, phoneNumber };
}

const getAlertSmsService = () => replicas[0].get(AlertSmsService, { strict: false });

async function enqueueAlert(refIds: string[], extra: Partial<AlertContent> = {}): Promise<void> {
  const { familyId, cid } = family;
  const alert = {
    familyId,
    cid,
    subjectId: randomUUID(),
    category: 'SOS',
    time: 1,
    queuedAt: Date.now(),
    ...extra,
  } as const;
  await getAlertSmsService().enqueue(alert, refIds);
}

async function sendAll(now = Date.now()): Promise<void> {
  const senders = replicas.map((replica) => replica.get(AlertSmsService, { strict: false }));
  await Promise.all(senders.map((sender) => sender.sendAllDue(now)));
}

/** Counts SMS to the family that were sent earlier in this hour. */
async function useUp(kind: AttemptKind, count: number): Promise<void> {
  const limiter = replicas[0].get(AttemptLimiterService, { strict: false });
  for (let sent = 0; sent < count; sent += 1) await limiter.consume(kind, family.familyId);
}

const storePhone = (refId: string, areaCode: string, phoneNumber: string) =>
  environment.query('UPDATE userctx.contact SET area_code = $2, phone_number = $3 WHERE ref_id = $1', [
    refId,
    areaCode,
    phoneNumber,
  ]);

const countedAttempts = async () => {
  const [row] = await environment.query<{ attempts: number }>(
    'SELECT coalesce(sum(attempts), 0)::int AS attempts FROM userctx.attempt_counter',
  );
  return row?.attempts ?? 0;
};

const findPendingAlerts = () =>
  environment.query('SELECT 1 FROM userctx.alert_sms WHERE family_id = $1', [family.familyId]);

describe('an alert to a contact', () => {
  test('is sent once by concurrent replicas, without name and location of the child', async () => {
    const { refId, phoneNumber } = await addContact();
    await enqueueAlert([refId], { time: 1_790_000_000_000 });
    await sendAll();
    await sendAll();
    expect(recordedAlerts.sentTo(phoneNumber)).toEqual([
      { areaCode: '+86', phoneNumber, scene: 'ALERT', category: 'SOS', time: 1_790_000_000_000 },
    ]);
    expect(await findPendingAlerts()).toEqual([]);
  });

  test('is retried while the provider fails, and dropped after 15 minutes in the queue', async () => {
    const [first, second] = [await addContact(), await addContact()];
    recordedAlerts.isFailing = true;
    await enqueueAlert([first.refId]);
    const now = Date.now();
    await getAlertSmsService().sendAllDue(now);
    expect(await findPendingAlerts()).toHaveLength(1);
    recordedAlerts.isFailing = false;
    await sendAll(now);
    expect(recordedAlerts.sentTo(first.phoneNumber)).toEqual([]);
    await sendAll(Date.now() + 5_000);
    expect(recordedAlerts.sentTo(first.phoneNumber)).toHaveLength(1);
    await enqueueAlert([second.refId], { queuedAt: Date.now() - 16 * 60_000 });
    await sendAll();
    expect(recordedAlerts.sentTo(second.phoneNumber)).toEqual([]);
    expect(await findPendingAlerts()).toEqual([]);
  });

  test('is sent although the contacts of another child cannot be read; that alert is retried for 15 minutes', async () => {
    const failing = await addContact();
    await enqueueAlert([failing.refId]);
    const { cid: failingCid } = family;
    const failingFamilyId = family.familyId;
    family = await createBoundFamily(environment, replicas[0]);
    const { refId, phoneNumber } = await addContact();
    await enqueueAlert([refId]);
    const service = getAlertSmsService();
    const findRecipients = service.findRecipients.bind(service);
    const spy = jest.spyOn(service, 'findRecipients').mockImplementation(async (familyId, cid) => {
      if (cid === failingCid) throw new Error('No');
      return findRecipients(familyId, cid);
    });
    const now = Date.now();
    await service.sendAllDue();
    expect(recordedAlerts.sentTo(phoneNumber)).toHaveLength(1);
    const findFailing = () =>
      environment.query('SELECT attempts FROM userctx.alert_sms WHERE family_id = $1', [failingFamilyId]);
    expect(await findFailing()).toEqual([{ attempts: 1 }]);
    await service.sendAllDue(now + 16 * 60_000);
    spy.mockRestore();
    expect(await findFailing()).toEqual([]);
    expect(recordedAlerts.sentTo(failing.phoneNumber)).toEqual([]);
  });

  test('is sent when the reported event is 20 hours old but the alert was queued just now', async () => {
    const { refId, phoneNumber } = await addContact();
    await enqueueAlert([refId], { time: Date.now() - 20 * 3_600_000 });
    await sendAll();
    expect(recordedAlerts.sentTo(phoneNumber)).toHaveLength(1);
  });

  test('is limited to ten SMS per hour and phone number', async () => {
    const { refId, phoneNumber } = await addContact();
    for (let index = 0; index < 14; index += 1) await enqueueAlert([refId]);
    await sendAll();
    expect(recordedAlerts.sentTo(phoneNumber)).toHaveLength(10);
    expect(await findPendingAlerts()).toEqual([]);
  });

  test('is limited to a hundred SMS per hour and family, but for the first one about an SOS to each contact', async () => {
    const [early, late] = [await addContact(), await addContact()];
    const subjectId = randomUUID();
    await useUp('alert-sms.family', 97);
    for (const count of [1, 4]) {
      for (let turn = 0; turn < count; turn += 1) await enqueueAlert([early.refId], { subjectId });
      await sendAll();
    }
    expect(recordedAlerts.sentTo(early.phoneNumber)).toHaveLength(3);
    for (let turn = 0; turn < 3; turn += 1) await enqueueAlert([late.refId], { subjectId });
    await sendAll();
    expect(recordedAlerts.sentTo(late.phoneNumber)).toHaveLength(1);
    await enqueueAlert([late.refId]);
    await sendAll();
    expect(recordedAlerts.sentTo(late.phoneNumber)).toHaveLength(2);
  });

  test('is counted once, also if its first attempt failed before it was counted', async () => {
    const { refId, phoneNumber } = await addContact();
    for (let index = 0; index < 12; index += 1) await enqueueAlert([refId]);
    const service = getAlertSmsService();
    const spy = jest.spyOn(service, 'findRecipients').mockRejectedValue(new Error('No'));
    const now = Date.now();
    await service.sendAllDue(now);
    spy.mockRestore();
    recordedAlerts.isFailing = true;
    await service.sendAllDue(now + 5_000);
    recordedAlerts.isFailing = false;
    await sendAll(now + 30_000);
    expect(recordedAlerts.sentTo(phoneNumber)).toHaveLength(10);
  });

  test('is sent although an earlier one waits for a slow provider', async () => {
    const [slow, quick] = [await addContact(), await addContact()];
    const release = Promise.withResolvers<void>();
    recordedAlerts.onReceive = () => {
      recordedAlerts.onReceive = undefined;
      return release.promise;
    };
    await enqueueAlert([slow.refId]);
    const sending = getAlertSmsService().sendAllDue();
    await waitUntil('the slow request', async () => recordedAlerts.onReceive === undefined);
    await enqueueAlert([quick.refId]);
    await waitUntil('the second SMS', async () => recordedAlerts.sentTo(quick.phoneNumber).length === 1);
    expect(recordedAlerts.sentTo(slow.phoneNumber)).toEqual([]);
    release.resolve();
    await sending;
    expect(recordedAlerts.sentTo(slow.phoneNumber)).toHaveLength(1);
  });

  test('is sent to a member although another family has used up the limit of the member’s phone number', async () => {
    const [member] = await replicas[0]
      .get(AlertSmsService, { strict: false })
      .findRecipients(family.familyId, family.cid);
    const firstFamily = family;
    family = await createBoundFamily(environment, replicas[0]);
    const { areaCode = '', phoneNumber = '' } = member ?? {};
    const contact = { deviceId: family.watch.did, name: 'Oma', phoneNumber, areaCode };
    const { refId } = await replicas[0].get(ContactsService, { strict: false }).create(family.owner, contact);
    for (let index = 0; index < 12; index += 1) await enqueueAlert([refId]);
    await sendAll();
    expect(recordedAlerts.sentTo(phoneNumber)).toHaveLength(10);
    family = firstFamily;
    // The first two are sent beyond all limits and would otherwise be counted at the same time as the others.
    for (const count of [2, 10]) {
      for (let index = 0; index < count; index += 1) await enqueueAlert([member?.refId ?? '']);
      await sendAll();
    }
    expect(recordedAlerts.sentTo(phoneNumber)).toHaveLength(20);
  });

  test('is sent to a phone number without an account although other families have used up its limit', async () => {
    const { phoneNumber } = await addContact();
    const findContact = () => ({ deviceId: family.watch.did, name: 'Oma', phoneNumber, areaCode: '+86' });
    const contacts = replicas[0].get(ContactsService, { strict: false });
    const firstFamily = family;
    family = await createBoundFamily(environment, replicas[0]);
    const strange = await contacts.create(family.owner, findContact());
    for (let index = 0; index < 12; index += 1) await enqueueAlert([strange.refId]);
    await sendAll();
    expect(recordedAlerts.sentTo(phoneNumber)).toHaveLength(10);
    family = firstFamily;
    const { refId } = await contacts.create(family.owner, findContact());
    const subjectId = randomUUID();
    for (let turn = 0; turn < 3; turn += 1) await enqueueAlert([refId], { subjectId });
    await sendAll();
    expect(recordedAlerts.sentTo(phoneNumber)).toHaveLength(11);
    // The first one did not reach the phone.
    await enqueueAlert([refId], { subjectId, avoidedProvider: 'file' });
    await sendAll();
    expect(recordedAlerts.sentTo(phoneNumber)).toHaveLength(12);
  });

  // Contacts that were stored before numbers were checked.
  test.each([
    ['0086', '13900007701', '13900007701'],
    ['+0086', '13900007702', '13900007702'],
    ['86', '13900007703', '13900007703'],
    ['+1868', '2911234', '8682911234'],
    ['+1 (684)', '6221234', '6846221234'],
    ['+44 1481', '723153', '1481723153'],
  ])('is sent to a contact that was stored as %s %s', async (areaCode, phoneNumber, recipient) => {
    const { refId } = await addContact();
    await storePhone(refId, areaCode, phoneNumber);
    await enqueueAlert([refId]);
    await sendAll();
    expect(recordedAlerts.sentTo(recipient)).toHaveLength(1);
  });

  test.each([
    ['13900000000,', '13900007777'],
    ['+86', '110'],
    ['+86', '1088888888'],
  ])('is not sent to a contact that was stored as %s %s, which cannot receive SMS', async (areaCode, phoneNumber) => {
    const { refId } = await addContact();
    await storePhone(refId, areaCode, phoneNumber);
    await enqueueAlert([refId]);
    await sendAll();
    expect(recordedAlerts.sentTo(phoneNumber)).toEqual([]);
    expect(await findPendingAlerts()).toEqual([]);
  });

  test.each([
    ['+1', '9005550123', 'premium rate'],
    ['+44', '9098790000', 'premium rate'],
    ['+44', '7012345678', 'personal number'],
    ['+49', '1371234567', 'shared cost'],
    ['+1', '8005551234', 'freephone'],
    ['+979', '123456789', 'premium rate of no country'],
    ['+808', '12345678', 'shared cost of no country'],
    ['+881', '612345678', 'satellite'],
    ['+870', '773111632', 'satellite'],
    ['+883', '510012345', 'global network'],
  ])('A42 is not sent to %s %s (%s), and uses up no limit', async (areaCode, phoneNumber) => {
    const { refId } = await addContact();
    await storePhone(refId, areaCode, phoneNumber);
    const before = await countedAttempts();
    await enqueueAlert([refId]);
    await sendAll();
    expect(recordedAlerts.sentTo(phoneNumber)).toEqual([]);
    expect(await findPendingAlerts()).toEqual([]);
    expect(await countedAttempts()).toBe(before);
  });

  test('A42 is limited to 120 SMS per hour and family when SOS are raised again and again', async () => {
    const contacts = [await addContact(), await addContact()];
    await useUp('alert-sms.family', 99);
    await useUp('alert-sms.family-first', 18);
    for (let sos = 0; sos < 3; sos += 1) await enqueueAlert(contacts.map(({ refId }) => refId));
    await sendAll();
    // The last one of a hundred, and two of the twenty beyond them.
    expect(contacts.flatMap(({ phoneNumber }) => recordedAlerts.sentTo(phoneNumber))).toHaveLength(3);
    const [member] = await getAlertSmsService().findRecipients(family.familyId, family.cid);
    await enqueueAlert([member?.refId ?? '']);
    await sendAll();
    expect(recordedAlerts.sentTo(member?.phoneNumber ?? '')).toHaveLength(1);
  });

  test('is not sent after its cancellation, even when a replica has already claimed it', async () => {
    const [first, second] = [await addContact(), await addContact()];
    const subjectId = randomUUID();
    await enqueueAlert([first.refId, second.refId], { subjectId });
    await getAlertSmsService().cancel(subjectId);
    await sendAll();
    await enqueueAlert([first.refId], { subjectId });
    const alerts = replicas[0].get(AlertSmsRepository, { strict: false });
    jest.spyOn(alerts, 'claim').mockImplementationOnce(async (now, until, limit) => {
      const claimed = await alerts.claim(now, until, limit);
      await getAlertSmsService().cancel(subjectId);
      return claimed;
    });
    await getAlertSmsService().sendAllDue();
    expect([...recordedAlerts.sentTo(first.phoneNumber), ...recordedAlerts.sentTo(second.phoneNumber)]).toEqual([]);
  });
});

describe('the limits of a country and of all alerts', () => {
  let others: [WatchesTestEnvironment, typeof replicas, RecordedAlerts];

  // Uses its own database, because other tests send alerts.
  beforeAll(async () => {
    others = [environment, replicas, recordedAlerts];
    environment = await WatchesTestEnvironment.open();
    const limits = { RATE_LIMIT_SMS_COUNTRY: 3, RATE_LIMIT_SMS_TOTAL: 8 };
    const replica = await environment.replica(limits, { disabledJobs: [ALERT_SMS_JOB] });
    replicas = [replica, replica];
    recordedAlerts = new RecordedAlerts(replica);
  });
  afterAll(async () => {
    await environment.close();
    [environment, replicas, recordedAlerts] = others;
  });

  test('A42 bound the alerts of all families, but not the first ones of an hour', async () => {
    let country = 0;
    const strangers: string[] = [];
    for (const areaCode of ['+49', '+49', '+86', '+86']) {
      family = await createBoundFamily(environment, replicas[0]);
      for (let index = 0; index < 3; index += 1) {
        const { refId, phoneNumber } = await addContact();
        country += 1;
        const number = areaCode === '+49' ? `1511234567${country}` : phoneNumber;
        strangers.push(number);
        await storePhone(refId, areaCode, number);
        await enqueueAlert([refId]);
      }
      await sendAll();
    }
    const sent = strangers.map((number) => recordedAlerts.sentTo(number).length);
    // Three to the country, and eight altogether; two of each family are sent beyond these limits.
    expect(sent.slice(0, 3)).toEqual([1, 1, 1]);
    expect(sent.slice(3, 6).toSorted()).toEqual([0, 1, 1]);
    expect(sent.slice(6, 9)).toEqual([1, 1, 1]);
    expect(sent.slice(9).toSorted()).toEqual([0, 1, 1]);
    const third = await addContact();
    await enqueueAlert([third.refId]);
    await sendAll();
    expect(recordedAlerts.sentTo(third.phoneNumber)).toEqual([]);
    const [member] = await getAlertSmsService().findRecipients(family.familyId, family.cid);
    const subjectId = randomUUID();
    for (let turn = 0; turn < 3; turn += 1) await enqueueAlert([member?.refId ?? ''], { subjectId });
    await sendAll();
    // The second one would replace an SMS that did not reach the phone.
    expect(recordedAlerts.sentTo(member?.phoneNumber ?? '')).toHaveLength(2);
    family = await createBoundFamily(environment, replicas[0]);
    const [other] = await getAlertSmsService().findRecipients(family.familyId, family.cid);
    await enqueueAlert([other?.refId ?? '']);
    await sendAll();
    expect(recordedAlerts.sentTo(other?.phoneNumber ?? '')).toHaveLength(1);
  });
});

describe('AlertSmsService.findRecipients', () => {
  const recipientIds = async () =>
    (await replicas[0].get(AlertSmsService, { strict: false }).findRecipients(family.familyId, family.cid)).map(
      ({ refId, userId }) => userId ?? refId,
    );

  test('returns the members who may see alerts and then the phone numbers without an account', async () => {
    const { refId } = await addContact();
    expect(await recipientIds()).toEqual([family.owner.id, refId]);
  });

  test('returns no recipients for a deleted child, whose pending alerts are then not sent', async () => {
    const { refId, phoneNumber } = await addContact();
    const remaining = await addContact();
    await enqueueAlert([refId, remaining.refId]);
    const contacts = replicas[0].get(ContactsService, { strict: false });
    await contacts.delete(family.owner, { deviceId: family.watch.did, refId });
    await replicas[0].get(ChildDeletionService, { strict: false }).delete(family.owner, family.cid);
    expect(await recipientIds()).toEqual([]);
    await sendAll();
    expect([...recordedAlerts.sentTo(phoneNumber), ...recordedAlerts.sentTo(remaining.phoneNumber)]).toEqual([]);
    expect(await findPendingAlerts()).toEqual([]);
  });

  test('returns no recipients for a child of another family', async () => {
    const other = await createBoundFamily(environment, replicas[0]);
    expect(
      await replicas[0].get(AlertSmsService, { strict: false }).findRecipients(other.familyId, family.cid),
    ).toEqual([]);
  });
});

test('a replica whose claim has expired does not change the due time of an alert that another replica has claimed', async () => {
  const { refId } = await addContact();
  await enqueueAlert([refId]);
  const alerts = replicas[0].get(AlertSmsRepository, { strict: false });
  const now = Date.now();
  const findOwn = (claimed: ClaimedAlert[]) => claimed.find((alert) => alert.refId === refId)!;
  const slow = findOwn(await alerts.claim(now, now + 1_000, 100));
  findOwn(await alerts.claim(now + 2_000, now + 60_000, 100));
  await alerts.reschedule(slow, now + 3_000);
  expect((await alerts.claim(now + 4_000, now + 5_000, 100)).map((alert) => alert.refId)).not.toContain(refId);
});
