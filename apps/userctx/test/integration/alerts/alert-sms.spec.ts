import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import { AlertRecipientsService } from '../../../src/contexts/alerts/alert-recipients.service.js';
import { AlertSmsJob } from '../../../src/contexts/alerts/alert-sms.job.js';
import { AlertSmsRepository } from '../../../src/contexts/alerts/alert-sms.repository.js';
import { AlertSmsService } from '../../../src/contexts/alerts/alert-sms.service.js';
import { ChildDeletionService } from '../../../src/contexts/children/child-deletion.service.js';
import { ContactsService } from '../../../src/contexts/contacts/contacts.service.js';
import { RecordedAlerts } from '../../support/recorded-alerts.js';
import { createBoundFamily } from '../../support/bound-family-fixture.js';
import type { BoundFamilyFixture } from '../../support/bound-family-fixture.js';
import { WatchesTestEnvironment } from '../../support/watches-test-environment.js';

let world: WatchesTestEnvironment;
let replicas: [INestApplicationContext, INestApplicationContext];
let inbox: RecordedAlerts;
let home: BoundFamilyFixture;
let phones = 0;

beforeAll(async () => {
  world = await WatchesTestEnvironment.open();
  const byHand = { jobs: [AlertSmsJob] };
  replicas = [await world.replica({}, byHand), await world.replica({}, byHand)];
  // Only the tests send.
  // The second one shares what the first one has sent.
  inbox = new RecordedAlerts(replicas[0]);
  const second = new RecordedAlerts(replicas[1]);
  second.alerts.push = (...alerts) => inbox.alerts.push(...alerts);
});
beforeEach(async () => {
  home = await createBoundFamily(world, replicas[0]);
  Object.assign(inbox, { failing: false, meanwhile: undefined });
});
afterAll(() => world.close());

/** Somebody without an account whom the watch can call. */
async function addContact(): Promise<{ refId: string; phoneNumber: string }> {
  phones += 1;
  const phoneNumber = `137${String(phones).padStart(8, '0')}`;
  const request = { deviceId: home.watch.did, name: 'Oma', phoneNumber, areaCode: '+86' };
  const { refId } = await replicas[0].get(ContactsService, { strict: false }).create(home.owner, request);
  return { refId, phoneNumber };
}

const sms = () => replicas[0].get(AlertSmsService, { strict: false });

async function queue(refIds: string[], more: { queuedAt?: number; about?: string; time?: number } = {}): Promise<void> {
  const { familyId, cid } = home;
  const alert = {
    familyId,
    cid,
    about: randomUUID(),
    category: 'SOS',
    time: 1,
    queuedAt: Date.now(),
    ...more,
  } as const;
  await sms().enqueue(alert, refIds);
}

async function sendAll(now = Date.now()): Promise<void> {
  const senders = replicas.map((replica) => replica.get(AlertSmsService, { strict: false }));
  await Promise.all(
    senders.map(async (sender) => {
      while ((await sender.sendDue(now)) > 0);
    }),
  );
}

const pending = () => world.query('select 1 from userctx.alert_sms where family_id = $1', [home.familyId]);

describe('an alert to a contact', () => {
  test('goes to the number once, whichever process sends it, with no name and no place', async () => {
    const { refId, phoneNumber } = await addContact();
    await queue([refId], { time: 1_790_000_000_000 });
    await sendAll();
    await sendAll();
    expect(inbox.to(phoneNumber)).toEqual([
      { areaCode: '+86', phoneNumber, scene: 'ALERT', category: 'SOS', time: 1_790_000_000_000 },
    ]);
    expect(await pending()).toEqual([]);
  });

  test('is sent again while the provider fails, and not when it is old news', async () => {
    const [one, two] = [await addContact(), await addContact()];
    inbox.failing = true;
    await queue([one.refId]);
    await sms().sendDue();
    expect(await pending()).toHaveLength(1);
    inbox.failing = false;
    await sendAll();
    expect(inbox.to(one.phoneNumber)).toEqual([]);
    await sendAll(Date.now() + 5_000);
    expect(inbox.to(one.phoneNumber)).toHaveLength(1);
    await queue([two.refId], { queuedAt: Date.now() - 16 * 60_000 });
    await sendAll();
    expect(inbox.to(two.phoneNumber)).toEqual([]);
    expect(await pending()).toEqual([]);
  });

  test('about something that happened long ago is news when it becomes known', async () => {
    const { refId, phoneNumber } = await addContact();
    await queue([refId], { time: Date.now() - 20 * 3_600_000 });
    await sendAll();
    expect(inbox.to(phoneNumber)).toHaveLength(1);
  });

  test('costs at most ten messages an hour and number, whatever a watch sends', async () => {
    const { refId, phoneNumber } = await addContact();
    for (let index = 0; index < 14; index += 1) await queue([refId]);
    await sendAll();
    expect(inbox.to(phoneNumber)).toHaveLength(10);
    expect(await pending()).toEqual([]);
  });

  test('to a member leaves although another family has used up what the number gets', async () => {
    const [member] = await replicas[0]
      .get(AlertRecipientsService, { strict: false })
      .findByChild(home.familyId, home.cid);
    const victim = home;
    home = await createBoundFamily(world, replicas[0]);
    const { areaCode = '', phoneNumber = '' } = member ?? {};
    const named = { deviceId: home.watch.did, name: 'Oma', phoneNumber, areaCode };
    const { refId } = await replicas[0].get(ContactsService, { strict: false }).create(home.owner, named);
    for (let index = 0; index < 12; index += 1) await queue([refId]);
    await sendAll();
    expect(inbox.to(phoneNumber)).toHaveLength(10);
    home = victim;
    for (let index = 0; index < 12; index += 1) await queue([member?.refId ?? '']);
    await sendAll();
    expect(inbox.to(phoneNumber)).toHaveLength(20);
  });

  test('that is called off does not leave, not even one that is about to', async () => {
    const [one, two] = [await addContact(), await addContact()];
    const about = randomUUID();
    await queue([one.refId, two.refId], { about });
    await sms().cancel(about);
    await sendAll();
    await queue([one.refId], { about });
    const alerts = replicas[0].get(AlertSmsRepository, { strict: false });
    jest.spyOn(alerts, 'claim').mockImplementationOnce(async (now, until, limit) => {
      const claimed = await alerts.claim(now, until, limit);
      await sms().cancel(about);
      return claimed;
    });
    await sms().sendDue();
    expect([...inbox.to(one.phoneNumber), ...inbox.to(two.phoneNumber)]).toEqual([]);
  });
});

describe('who is to be told', () => {
  const order = async () =>
    (await replicas[0].get(AlertRecipientsService, { strict: false }).findByChild(home.familyId, home.cid)).map(
      ({ refId, userId }) => userId ?? refId,
    );

  test('the members who may see alerts and the numbers, in order', async () => {
    const { refId } = await addContact();
    expect(await order()).toEqual([home.owner.id, refId]);
  });

  test('nobody of a child that was deleted, nor a contact that was', async () => {
    const { refId, phoneNumber } = await addContact();
    const kept = await addContact();
    await queue([refId, kept.refId]);
    const contacts = replicas[0].get(ContactsService, { strict: false });
    await contacts.delete(home.owner, { deviceId: home.watch.did, refId });
    await replicas[0].get(ChildDeletionService, { strict: false }).delete(home.owner, home.cid);
    expect(await order()).toEqual([]);
    await sendAll();
    expect([...inbox.to(phoneNumber), ...inbox.to(kept.phoneNumber)]).toEqual([]);
    expect(await pending()).toEqual([]);
  });

  test('nobody of another family, though the child is named', async () => {
    const other = await createBoundFamily(world, replicas[0]);
    expect(
      await replicas[0].get(AlertRecipientsService, { strict: false }).findByChild(other.familyId, home.cid),
    ).toEqual([]);
  });
});
