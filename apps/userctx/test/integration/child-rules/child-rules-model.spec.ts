import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import fc from 'fast-check';
import type { ChildRules } from '@family-watch/domain/child-rules/contracts/child-rules';
import type { DomainEvents } from '@family-watch/domain/events';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import { RefreshChildRulesHandler } from '../../../src/contexts/child-rules/refresh-child-rules.handler.js';
import { ChildrenService } from '../../../src/contexts/children/children.service.js';
import { ContactsService } from '../../../src/contexts/contacts/contacts.service.js';
import { SosService } from '../../../src/contexts/sos/sos.service.js';
import { SchoolTimesService } from '../../../src/contexts/watch-settings/school-times/school-times.service.js';
import { createBoundFamily } from '../../support/bound-family-fixture.js';
import type { BoundFamilyFixture } from '../../support/bound-family-fixture.js';
import { WatchesTestEnvironment } from '../../support/watches-test-environment.js';

/** What the parents have set, as far as rules follow from it. */
interface Model {
  timeZone: string;
  paused: boolean;
  /** By the hour at which they start. */
  schoolTimes: Map<number, { enabled: boolean; allowed: boolean }>;
  canChat: boolean;
  schoolAllowed: boolean;
  sos: boolean;
}

type Step = (real: Real, model: Model) => Promise<void>;

const CHILD = {
  name: 'Mia',
  phoneNumber: '13812345678',
  areaCode: '+86',
  appellation: 'Mimi',
  weight: 120,
  height: 125,
};
const clock = (hour: number): string => `${String(hour).padStart(2, '0')}:00`;

let world: WatchesTestEnvironment;
let replicas: [INestApplicationContext, INestApplicationContext];

beforeAll(async () => {
  world = await WatchesTestEnvironment.open();
  // The model says when an event reaches its handlers.
  replicas = [await world.replica({}, { relay: true }), await world.replica({}, { relay: true })];
});
afterAll(() => world.close());

/** One household, its services, and the causes that the two replicas have not heard of yet. */
class Real {
  readonly ids = new Map<number, string>();
  sosId = '';
  private heard = 0;
  private readonly late: { name: keyof DomainEvents; payload: never }[] = [];

  private constructor(
    readonly home: BoundFamilyFixture,
    readonly refId: string,
  ) {}

  static async settle(): Promise<Real> {
    const home = await createBoundFamily(world, replicas[0]);
    const { items } = await replicas[0].get(ContactsService).list(home.owner, home.watch.did);
    return new Real(home, items[0]?.refId ?? '');
  }

  get schoolTimes(): SchoolTimesService {
    return replicas[0].get(SchoolTimesService);
  }

  /** Some of what happened is heard by a replica: in order, the other way round, and some of it again or much later. */
  async hear(where: 0 | 1, how: 'in order' | 'backwards' | 'later'): Promise<void> {
    const rows = await world.query<{ name: keyof DomainEvents; payload: never }>(
      'select name, payload from userctx.outbox where key = $1 order by position offset $2',
      [this.home.familyId, this.heard],
    );
    this.heard += rows.length;
    const handler = replicas[where].get(RefreshChildRulesHandler);
    const causes = rows.filter(({ name }) => (handler.event as readonly string[]).includes(name));
    if (how === 'later') return void this.late.push(...causes);
    const now = how === 'backwards' ? causes.toReversed() : [...causes, ...this.late.splice(0)];
    for (const { name, payload } of now)
      await world.deliver(replicas[where], handler as never, { name: name as never, payload });
  }

  told(): Promise<ChildRules[]> {
    return world.events('userctx.child-rules.changed', this.home.familyId);
  }
}

const schoolTime =
  (hour: number): Step =>
  async (real, model) => {
    const { owner, watch } = real.home;
    const schoolTimeId = real.ids.get(hour);
    if (schoolTimeId === undefined) {
      const request = { did: watch.did, start: clock(hour), end: clock(hour + 1), weekdays: [1] };
      const { schoolTime: made } = await real.schoolTimes.create(owner, request);
      real.ids.set(hour, made.schoolTimeId);
      model.schoolTimes.set(hour, { enabled: true, allowed: false });
    } else {
      await real.schoolTimes.delete(owner, { did: watch.did, schoolTimeId });
      real.ids.delete(hour);
      model.schoolTimes.delete(hour);
    }
  };

const change =
  (hour: number, fields: { enabled?: boolean; allowed?: boolean }): Step =>
  async (real, model) => {
    const { owner, watch } = real.home;
    const [schoolTimeId, before] = [real.ids.get(hour), model.schoolTimes.get(hour)];
    if (schoolTimeId === undefined || !before) return;
    const { enabled, allowed } = { ...before, ...fields };
    const request = { did: watch.did, schoolTimeId, enabled, allowContacts: allowed ? [real.refId] : [] };
    await real.schoolTimes.update(owner, request);
    model.schoolTimes.set(hour, { enabled, allowed });
  };

const pause =
  (paused: boolean): Step =>
  async ({ home, schoolTimes }, model) => {
    await schoolTimes.pauseToday(home.owner, { did: home.watch.did, paused });
    model.paused = paused;
  };

const contact =
  (fields: { canChat?: boolean; schoolAllowed?: boolean }): Step =>
  async ({ home, refId }, model) => {
    const request = { deviceId: home.watch.did, refId, ...fields };
    await replicas[0].get(ContactsService).update(home.owner, request);
    Object.assign(model, fields);
  };

const move =
  (timeZone: string): Step =>
  async ({ home }, model) => {
    // A pause is a day of the calendar: in another zone it may be another day, which is not what this is about.
    if (model.paused) return;
    await replicas[0].get(ChildrenService).update(home.owner, { cid: home.cid, ...CHILD, timeZone });
    model.timeZone = timeZone;
  };

const sos =
  (raise: boolean): Step =>
  async (real, model) => {
    const { home } = real;
    const calls = replicas[0].get(SosService);
    if (raise) real.sosId = (await calls.raise(home.watch.principal, {})).sosId;
    else if (model.sos) await calls.resolve(home.owner, { cid: home.cid, sosId: real.sosId });
    model.sos = raise;
  };

const hear =
  (where: 0 | 1, how: 'in order' | 'backwards' | 'later'): Step =>
  (real) =>
    real.hear(where, how);

const hours = fc.integer({ min: 6, max: 9 });
const steps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: hours.map(schoolTime) },
  fc.tuple(hours, fc.boolean()).map(([hour, enabled]) => change(hour, { enabled })),
  fc.tuple(hours, fc.boolean()).map(([hour, allowed]) => change(hour, { allowed })),
  fc.boolean().map(pause),
  fc.boolean().map((canChat) => contact({ canChat })),
  fc.boolean().map((schoolAllowed) => contact({ schoolAllowed })),
  fc.constantFrom('Asia/Shanghai', 'Europe/Berlin').map(move),
  fc.boolean().map(sos),
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.constantFrom(0 as const, 1 as const), fc.constantFrom('in order', 'backwards', 'later'))
      .map(([where, how]) => hear(where, how as 'later')),
  },
);

function expected({ timeZone, schoolTimes, canChat, schoolAllowed, sos: calling }: Model): object {
  const inForce = calling ? [] : [...schoolTimes].filter(([, { enabled }]) => enabled).toSorted(([a], [b]) => a - b);
  return {
    timeZone,
    schoolTimes: inForce.map(([hour]) => expect.objectContaining({ start: clock(hour), end: clock(hour + 1) })),
    contacts: [
      expect.objectContaining({
        canChat,
        schoolAllowed,
        allowedIn: inForce.flatMap(([, { allowed }], place) => (allowed ? [place] : [])),
      }),
    ],
  };
}

test('whatever is changed and however late it is heard, the last rules are what the parents have set', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { minLength: 5, maxLength: 25 }), async (walk) => {
      const real = await Real.settle();
      const model: Model = {
        timeZone: 'Asia/Shanghai',
        paused: false,
        schoolTimes: new Map(),
        canChat: true,
        schoolAllowed: true,
        sos: false,
      };
      for (const step of walk) await step(real, model);
      await real.hear(0, 'in order');
      const told = await real.told();
      const last = told.at(-1);
      expect(last).toMatchObject(expected(model));
      expect(last?.pausedOn !== null && last?.pausedOn !== undefined).toBe(model.paused);
      expect(told.map(({ version }) => version)).toEqual(told.map((_, at) => at + 1));
      for (const [at, { version: _, ...content }] of told.entries()) {
        const { version: __, ...next } = told[at + 1] ?? { version: 0 };
        expect(content).not.toEqual(next);
      }
    }),
    { numRuns: propertyRuns(5) },
  );
});
