import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import type { ChildRules } from '@family-watch/domain/watches/contracts/child-rules';
import type { DomainEvents } from '@family-watch/domain/events';
import { ChildDeletionService } from '../../../src/families/children/child-deletion.service.js';
import { ChildrenService } from '../../../src/families/children/children.service.js';
import { ContactsService } from '../../../src/families/contacts/contacts.service.js';
import { SosService } from '../../../src/sos/sos.service.js';
import { CHILD_RULES_EVENTS } from '../../../src/watches/child-rules/child-rules.event-handlers.js';
import { ChildRulesService } from '../../../src/watches/child-rules/child-rules.service.js';
import { SchoolTimesService } from '../../../src/watches/settings/school-times.service.js';
import { CHILD } from '../../support/api-client.js';
import { createBoundFamily, type BoundFamilyFixture } from '../../support/bound-family-fixture.js';
import { WatchesTestEnvironment } from '../../support/watches-test-environment.js';

const SCHOOL_HOURS = { start: '08:00', end: '12:00', weekdays: [1, 2, 3, 4, 5] };

let environment: WatchesTestEnvironment;
let replica: INestApplicationContext;
let otherReplica: INestApplicationContext;
let family: BoundFamilyFixture;
let did: number;

beforeAll(async () => {
  environment = await WatchesTestEnvironment.open();
  // The outbox relay is disabled: events reach handlers only when a test delivers them.
  replica = await environment.replica({}, { isRelayDisabled: true });
  otherReplica = await environment.replica({}, { isRelayDisabled: true });
});
beforeEach(async () => {
  family = await createBoundFamily(environment, replica);
  ({ did } = family.watch);
});
afterAll(() => environment.close());

const publishedRules = (): Promise<ChildRules[]> => environment.events('userctx.child-rules.changed', family.familyId);

const versions = async (): Promise<number[]> => (await publishedRules()).map(({ version }) => version);

async function findNewestRules(): Promise<ChildRules> {
  const last = (await publishedRules()).at(-1);
  if (!last) throw new Error('No rules were published');
  return last;
}

const publishRules = (onReplica = replica) =>
  onReplica.get(ChildRulesService).publishIfChanged(family.familyId, family.cid);

/** Delivers the stored events of the family after the first `offset` to the event handler of the child rules. */
async function deliverEvents({ times = 1, order = 'forwards', offset = 0 } = {}): Promise<void> {
  const rows = await environment.query<{ name: keyof DomainEvents; payload: never }>(
    'SELECT name, payload FROM userctx.outbox WHERE key = $1 ORDER BY position OFFSET $2',
    [family.familyId, offset],
  );
  const handledEvents = rows.filter(({ name }) => CHILD_RULES_EVENTS.some((event) => event === name));
  for (let round = 0; round < times; round += 1) {
    for (const { name, payload } of order === 'forwards' ? handledEvents : handledEvents.toReversed())
      await environment.deliver(replica, 'userctx.child-rules.refresh', { name: name as never, payload });
  }
}

describe('ChildRulesService', () => {
  test('publishes time zone, school times, pause and members, with the owner allowed during school time', async () => {
    const schoolTimes = replica.get(SchoolTimesService);
    const { schoolTime } = await schoolTimes.create(family.owner, { did, ...SCHOOL_HOURS, holidays: ['2026-10-01'] });
    await schoolTimes.create(family.owner, { did, start: '13:00', end: '14:00', weekdays: [1], enabled: false });
    const { items } = await replica.get(ContactsService).list(family.owner, did);
    const { schoolTimeId } = schoolTime;
    await schoolTimes.update(family.owner, { did, schoolTimeId, allowContacts: items.map(({ refId }) => refId) });
    const { pausedOn } = await schoolTimes.pauseToday(family.owner, { did });
    await deliverEvents();
    expect(await findNewestRules()).toEqual({
      familyId: family.familyId,
      cid: family.cid,
      timeZone: 'Asia/Shanghai',
      pausedOn,
      version: 1,
      familyVersion: expect.any(Number),
      schoolTimes: [{ ...SCHOOL_HOURS, holidays: [20_727], extraDates: [] }],
      contacts: [
        {
          userId: family.owner.id,
          canCall: true,
          canChat: true,
          canVideo: true,
          schoolAllowed: true,
          allowedIn: [0],
        },
      ],
    });
  });

  test('publishes one version per change, even if events are delivered repeatedly and in reverse order', async () => {
    await deliverEvents({ times: 2 });
    expect(await versions()).toEqual([1]);
    const { schoolTime } = await replica.get(SchoolTimesService).create(family.owner, { did, ...SCHOOL_HOURS });
    await deliverEvents({ times: 2, order: 'backwards' });
    expect(await versions()).toEqual([1, 2]);
    // The child rules do not contain the label of a school time.
    const { schoolTimeId } = schoolTime;
    await replica.get(SchoolTimesService).update(family.owner, { did, schoolTimeId, label: 'Morning' });
    await deliverEvents();
    expect(await versions()).toEqual([1, 2]);
    await replica.get(ChildrenService).update(family.owner, { cid: family.cid, ...CHILD, timeZone: 'Europe/Berlin' });
    await deliverEvents();
    expect(await findNewestRules()).toMatchObject({ version: 3, timeZone: 'Europe/Berlin' });
  });

  test('publishes a version after each change of a contact, a school time, the pause or an SOS', async () => {
    const { owner, cid, watch } = family;
    const [contacts, schoolTimes, sos] = [
      replica.get(ContactsService),
      replica.get(SchoolTimesService),
      replica.get(SosService),
    ];
    const { items } = await contacts.list(owner, did);
    const updateContact = (fields: object) =>
      contacts.update(owner, { deviceId: did, refId: String(items[0]?.refId), ...fields });
    const { schoolTimeId } = (await schoolTimes.create(owner, { did, ...SCHOOL_HOURS })).schoolTime;
    const changes: [() => Promise<unknown>, object][] = [
      [() => updateContact({ canChat: false }), { contacts: [{ canChat: false, allowedIn: [] }] }],
      [() => updateContact({ schoolAllowed: false }), { contacts: [{ schoolAllowed: false }] }],
      [
        () => schoolTimes.update(owner, { did, schoolTimeId, allowContacts: [String(items[0]?.refId)] }),
        { contacts: [{ allowedIn: [0] }] },
      ],
      [() => schoolTimes.pauseToday(owner, { did }), { pausedOn: expect.any(String) }],
      [() => schoolTimes.pauseToday(owner, { did, paused: false }), { pausedOn: null }],
      [() => sos.raise(watch.principal, {}), { schoolTimes: [], contacts: [{ canChat: false, allowedIn: [] }] }],
      [
        async () => sos.resolve(owner, { cid, sosId: String((await sos.list(owner, { cid })).items[0]?.sosId) }),
        { schoolTimes: [SCHOOL_HOURS], contacts: [{ allowedIn: [0] }] },
      ],
      [() => schoolTimes.update(owner, { did, schoolTimeId, enabled: false }), { schoolTimes: [] }],
      [() => schoolTimes.update(owner, { did, schoolTimeId, enabled: true }), { schoolTimes: [SCHOOL_HOURS] }],
      [() => schoolTimes.delete(owner, { did, schoolTimeId }), { schoolTimes: [] }],
    ];
    await deliverEvents();
    for (const [index, [change, expected]] of changes.entries()) {
      const { length: offset } = await environment.query('SELECT FROM userctx.outbox WHERE key = $1', [
        family.familyId,
      ]);
      await change();
      await deliverEvents({ offset, order: index % 2 === 0 ? 'forwards' : 'backwards' });
      expect(await findNewestRules()).toMatchObject({ version: index + 2, ...expected });
    }
  });

  test('publishes a change once when two replicas process it concurrently', async () => {
    await Promise.all(Array.from({ length: 6 }, (_, index) => publishRules(index % 2 === 0 ? replica : otherReplica)));
    expect(await versions()).toEqual([1]);
    await replica.get(SchoolTimesService).create(family.owner, { did, ...SCHOOL_HOURS });
    await Promise.all(Array.from({ length: 6 }, (_, index) => publishRules(index % 2 === 0 ? replica : otherReplica)));
    expect(await versions()).toEqual([1, 2]);
  });

  test('publishes the latest state last when settings change during publications', async () => {
    const changes = Array.from({ length: 5 }, (_, index) =>
      replica
        .get(SchoolTimesService)
        .create(family.owner, { did, start: `0${index}:00`, end: `0${index}:30`, weekdays: [1] })
        .then(() => publishRules(index % 2 === 0 ? replica : otherReplica)),
    );
    await Promise.all(changes);
    const published = await publishedRules();
    expect((await findNewestRules()).schoolTimes).toHaveLength(5);
    expect(published.map(({ version }) => version)).toEqual(published.map((_, index) => index + 1));
  });

  test('publishes the rules of a child without stored rules once when two replicas run the backfill job', async () => {
    await publishRules();
    await environment.query('UPDATE userctx.child_rules SET rules = NULL, version = 0 WHERE cid = $1', [family.cid]);
    await Promise.all([
      replica.get(ChildRulesService).publishMissing(),
      otherReplica.get(ChildRulesService).publishMissing(),
    ]);
    expect(await versions()).toEqual([1, 1]);
    await replica.get(ChildRulesService).publishMissing();
    expect(await versions()).toHaveLength(2);
  });

  test('neither publishes nor stores rules of a child that does not exist', async () => {
    const rows = () => environment.query('SELECT cid FROM userctx.child_rules WHERE family_id = $1', [family.familyId]);
    await replica.get(ChildRulesService).publishIfChanged(family.familyId, randomUUID());
    expect([await versions(), await rows()]).toEqual([[], []]);
    await publishRules();
    const before = await publishedRules();
    await replica.get(ChildDeletionService).delete(family.owner, family.cid);
    await deliverEvents();
    expect(await publishedRules()).toEqual(before);
    await replica.get(ChildDeletionService).eraseDeleted(Date.now() + 8 * 86_400_000);
    await deliverEvents();
    expect(await rows()).toEqual([]);
    await publishRules();
    expect(await rows()).toEqual([]);
  });
});

describe('the handler of userctx.child.updated', () => {
  const update = (fields: object) =>
    replica.get(ChildrenService).update(family.owner, { cid: family.cid, ...CHILD, ...fields });
  const publishedSettingsChanges = async () => {
    const changes = await environment.events('userctx.child.updated', family.familyId);
    const payload = changes.at(-1);
    if (!payload) throw new Error('No child.updated event was published');
    const event = { name: 'userctx.child.updated', payload } as const;
    await environment.deliver(replica, 'userctx.watch-settings.publish-time-zone-change', event);
    return environment.events('userctx.watch-settings.changed', family.familyId);
  };

  test("publishes a new version of the watch's device settings only when the time zone changes", async () => {
    await update({ timeZone: 'Asia/Shanghai' });
    expect(await publishedSettingsChanges()).toEqual([]);
    await update({ name: 'Lea' });
    expect(await publishedSettingsChanges()).toEqual([]);
    await update({ timeZone: 'Europe/Berlin' });
    expect(await publishedSettingsChanges()).toMatchObject([{ resource: 'DEVICE', version: 1, did, cid: family.cid }]);
  });
});
