import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import fc from 'fast-check';
import type { ChildRules } from '@family-watch/domain/child-rules/contracts/child-rules';
import type { DomainEvents } from '@family-watch/domain/events';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import { ChildrenService } from '../../../src/contexts/children/children.service.js';
import { ContactsService } from '../../../src/contexts/contacts/contacts.service.js';
import { SosService } from '../../../src/contexts/sos/sos.service.js';
import { CHILD_RULES_EVENTS } from '../../../src/contexts/watch-settings/child-rules/child-rules.event-handlers.js';
import { SchoolTimesService } from '../../../src/contexts/watch-settings/school-times.service.js';
import { createBoundFamily } from '../../support/bound-family-fixture.js';
import type { BoundFamilyFixture } from '../../support/bound-family-fixture.js';
import { WatchesTestEnvironment } from '../../support/watches-test-environment.js';

/** Model of the settings and the SOS state from which the service derives the child rules. */
interface Model {
  timeZone: string;
  paused: boolean;
  /** School times by the hour at which they start. */
  schoolTimes: Map<number, { enabled: boolean; contactAllowed: boolean }>;
  canChat: boolean;
  schoolAllowed: boolean;
  sosActive: boolean;
}

/** Applies a change to the service under test and to the model, or delivers events. */
type Step = (real: Real, model: Model) => Promise<void>;

const CHILD = {
  name: 'Mia',
  phoneNumber: '13812345678',
  areaCode: '+86',
  appellation: 'Mimi',
  weight: 120,
  height: 125,
};
const timeOfHour = (hour: number): string => `${String(hour).padStart(2, '0')}:00`;

let environment: WatchesTestEnvironment;
let replicas: [INestApplicationContext, INestApplicationContext];

beforeAll(async () => {
  environment = await WatchesTestEnvironment.open();
  // The outbox relay is disabled: events reach handlers only when a step of the model delivers them.
  replicas = [
    await environment.replica({}, { isRelayDisabled: true }),
    await environment.replica({}, { isRelayDisabled: true }),
  ];
});
afterAll(() => environment.close());

/** A family in the service under test, and the published events that no replica has processed yet. */
class Real {
  readonly schoolTimeIds = new Map<number, string>();
  sosId = '';
  private deliveredCount = 0;
  private readonly delayedEvents: { name: keyof DomainEvents; payload: never }[] = [];

  private constructor(
    readonly family: BoundFamilyFixture,
    readonly refId: string,
  ) {}

  static async create(): Promise<Real> {
    const family = await createBoundFamily(environment, replicas[0]);
    const { items } = await replicas[0].get(ContactsService).list(family.owner, family.watch.did);
    return new Real(family, items[0]?.refId ?? '');
  }

  get schoolTimes(): SchoolTimesService {
    return replicas[0].get(SchoolTimesService);
  }

  /** Delivers the new events to a replica: in order, in reverse order, or later together with newer events. */
  async deliverEvents(replicaIndex: 0 | 1, order: 'in order' | 'backwards' | 'later'): Promise<void> {
    const rows = await environment.query<{ name: keyof DomainEvents; payload: never }>(
      'select name, payload from userctx.outbox where key = $1 order by position offset $2',
      [this.family.familyId, this.deliveredCount],
    );
    this.deliveredCount += rows.length;
    const newEvents = rows.filter(({ name }) => CHILD_RULES_EVENTS.some((event) => event === name));
    if (order === 'later') return void this.delayedEvents.push(...newEvents);
    const events = order === 'backwards' ? newEvents.toReversed() : [...newEvents, ...this.delayedEvents.splice(0)];
    for (const { name, payload } of events)
      await environment.deliver(replicas[replicaIndex], 'userctx.child-rules.follow-causes', {
        name: name as never,
        payload,
      });
  }

  publishedRules(): Promise<ChildRules[]> {
    return environment.events('userctx.child-rules.changed', this.family.familyId);
  }
}

/** Creates the school time that starts at `hour`, or deletes it if it exists. */
const createOrDeleteSchoolTime =
  (hour: number): Step =>
  async (real, model) => {
    const { owner, watch } = real.family;
    const schoolTimeId = real.schoolTimeIds.get(hour);
    if (schoolTimeId === undefined) {
      const request = { did: watch.did, start: timeOfHour(hour), end: timeOfHour(hour + 1), weekdays: [1] };
      const { schoolTime: created } = await real.schoolTimes.create(owner, request);
      real.schoolTimeIds.set(hour, created.schoolTimeId);
      model.schoolTimes.set(hour, { enabled: true, contactAllowed: false });
    } else {
      await real.schoolTimes.delete(owner, { did: watch.did, schoolTimeId });
      real.schoolTimeIds.delete(hour);
      model.schoolTimes.delete(hour);
    }
  };

const changeSchoolTime =
  (hour: number, fields: { enabled?: boolean; contactAllowed?: boolean }): Step =>
  async (real, model) => {
    const { owner, watch } = real.family;
    const [schoolTimeId, before] = [real.schoolTimeIds.get(hour), model.schoolTimes.get(hour)];
    if (schoolTimeId === undefined || !before) return;
    const { enabled, contactAllowed } = { ...before, ...fields };
    const request = { did: watch.did, schoolTimeId, enabled, allowContacts: contactAllowed ? [real.refId] : [] };
    await real.schoolTimes.update(owner, request);
    model.schoolTimes.set(hour, { enabled, contactAllowed });
  };

const pauseSchoolTime =
  (paused: boolean): Step =>
  async ({ family, schoolTimes }, model) => {
    await schoolTimes.pauseToday(family.owner, { did: family.watch.did, paused });
    model.paused = paused;
  };

const changeContact =
  (fields: { canChat?: boolean; schoolAllowed?: boolean }): Step =>
  async ({ family, refId }, model) => {
    const request = { deviceId: family.watch.did, refId, ...fields };
    await replicas[0].get(ContactsService).update(family.owner, request);
    Object.assign(model, fields);
  };

const changeTimeZone =
  (timeZone: string): Step =>
  async ({ family }, model) => {
    // The model does not change the time zone during a pause: a pause applies to one calendar day, and another time
    // zone may have another day.
    if (model.paused) return;
    await replicas[0].get(ChildrenService).update(family.owner, { cid: family.cid, ...CHILD, timeZone });
    model.timeZone = timeZone;
  };

const raiseOrResolveSos =
  (raise: boolean): Step =>
  async (real, model) => {
    const { family } = real;
    const calls = replicas[0].get(SosService);
    if (raise) real.sosId = (await calls.raise(family.watch.principal, {})).sosId;
    else if (model.sosActive) await calls.resolve(family.owner, { cid: family.cid, sosId: real.sosId });
    model.sosActive = raise;
  };

const deliverEvents =
  (replicaIndex: 0 | 1, order: 'in order' | 'backwards' | 'later'): Step =>
  (real) =>
    real.deliverEvents(replicaIndex, order);

const hours = fc.integer({ min: 6, max: 9 });
const steps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: hours.map(createOrDeleteSchoolTime) },
  fc.tuple(hours, fc.boolean()).map(([hour, enabled]) => changeSchoolTime(hour, { enabled })),
  fc.tuple(hours, fc.boolean()).map(([hour, contactAllowed]) => changeSchoolTime(hour, { contactAllowed })),
  fc.boolean().map(pauseSchoolTime),
  fc.boolean().map((canChat) => changeContact({ canChat })),
  fc.boolean().map((schoolAllowed) => changeContact({ schoolAllowed })),
  fc.constantFrom('Asia/Shanghai', 'Europe/Berlin').map(changeTimeZone),
  fc.boolean().map(raiseOrResolveSos),
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.constantFrom(0 as const, 1 as const), fc.constantFrom('in order', 'backwards', 'later'))
      .map(([replicaIndex, order]) => deliverEvents(replicaIndex, order as 'later')),
  },
);

function expectedRules({ timeZone, schoolTimes, canChat, schoolAllowed, sosActive }: Model): object {
  const active = sosActive ? [] : [...schoolTimes].filter(([, { enabled }]) => enabled).toSorted(([a], [b]) => a - b);
  return {
    timeZone,
    schoolTimes: active.map(([hour]) =>
      expect.objectContaining({ start: timeOfHour(hour), end: timeOfHour(hour + 1) }),
    ),
    contacts: [
      expect.objectContaining({
        canChat,
        schoolAllowed,
        allowedIn: active.flatMap(([, { contactAllowed }], index) => (contactAllowed ? [index] : [])),
      }),
    ],
  };
}

test('the last published child rules match the settings, for any order and delay of events', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { minLength: 5, maxLength: 25 }), async (sequence) => {
      const real = await Real.create();
      const model: Model = {
        timeZone: 'Asia/Shanghai',
        paused: false,
        schoolTimes: new Map(),
        canChat: true,
        schoolAllowed: true,
        sosActive: false,
      };
      for (const step of sequence) await step(real, model);
      await real.deliverEvents(0, 'in order');
      const published = await real.publishedRules();
      const last = published.at(-1);
      expect(last).toMatchObject(expectedRules(model));
      expect(last?.pausedOn !== null && last?.pausedOn !== undefined).toBe(model.paused);
      expect(published.map(({ version }) => version)).toEqual(published.map((_, index) => index + 1));
      for (const [index, { version: _, ...content }] of published.entries()) {
        const { version: __, ...next } = published[index + 1] ?? { version: 0 };
        expect(content).not.toEqual(next);
      }
    }),
    { numRuns: propertyRuns(5) },
  );
});
