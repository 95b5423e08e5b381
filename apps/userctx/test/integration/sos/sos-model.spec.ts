import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import { ContactsService } from '../../../src/contexts/contacts/contacts.service.js';
import { SosRepository } from '../../../src/contexts/sos/sos.repository.js';
import { DeviceSettingsService } from '../../../src/contexts/watch-settings/device-settings.service.js';
import { outcomeOf } from '../../support/bound-family-fixture.js';
import { WatchesTestEnvironment } from '../../support/watches-test-environment.js';
import { LEASE_MS, SosModel } from './sos-model.js';
import type { ReachableContact } from './sos-model.js';
import { CONTROLLED_BY_SCENARIO, SosScenario } from './sos-scenario.js';

const GUARDIAN_COUNT = 2;

let environment: WatchesTestEnvironment;
let guardians: Principal[];
let clock: number;
let phoneCount = 0;

beforeAll(async () => {
  environment = await WatchesTestEnvironment.open();
  const replica = await environment.replica({}, CONTROLLED_BY_SCENARIO);
  guardians = await Promise.all(Array.from({ length: GUARDIAN_COUNT }, () => environment.createPerson(replica)));
});
afterEach(() => void jest.restoreAllMocks());
afterAll(() => environment.close());

class FamilySosModel extends SosModel {
  /** User ids of the members without the permission for alerts. */
  readonly withoutPermission = new Set<string>();
  /** SOS ids by the times at which the child raised the SOS. The times are those of the watch's clock. */
  readonly sosIdByTime = new Map<number, string>();

  async contactOrder(real: SosScenario): Promise<ReachableContact[]> {
    return (await real.contacts()).filter(({ userId }) => userId === null || !this.withoutPermission.has(userId));
  }
}

async function checkAgainstModel(model: FamilySosModel, real: SosScenario): Promise<void> {
  const { owner, cid, watch } = real.family;
  const { items } = await real.calls.list(owner, { cid });
  const open = items.filter(({ state }) => state !== 'RESOLVED');
  expect(open.map(({ state }) => state)).toEqual(model.openSos ? [model.state] : []);
  const [call] = open;
  if (call && model.openSos) {
    const { steps, acknowledgedBy, nextAt } = model.openSos;
    expect(call).toMatchObject({ acknowledgedBy, nextStepAt: nextAt });
    const inOrder = steps.toSorted((a, b) => a.step - b.step || (a.channel < b.channel ? -1 : 1));
    expect(call.steps.map(({ userId, ...step }) => step)).toEqual(inOrder.slice(-100));
  }
  const received = real.recordedAlerts.flatMap(({ alerts }) => alerts);
  for (const { phoneNumber } of [...(await real.contacts()), ...received]) {
    const count = received.filter((alert) => alert.phoneNumber === phoneNumber).length;
    expect([phoneNumber, count]).toEqual([phoneNumber, model.smsCountByPhone.get(phoneNumber) ?? 0]);
  }
  const events = await environment.query<{ name: string }>(
    `select name from userctx.outbox where name like 'userctx.sos.%' and payload->>'cid' = $1 order by position`,
    [cid],
  );
  expect(events.map(({ name }) => name.slice('userctx.sos.'.length))).toEqual(model.events);
  const { locationMode } = await real.first.get(DeviceSettingsService).get(owner, watch.did);
  expect(locationMode).toBe(model.openSos && model.openSos.trackedUntil > model.now ? 'FOLLOW' : 'NORMAL');
  // This test does not expect the limits of attempts per hour, so the counters are deleted after each step.
  await environment.query('delete from userctx.attempt_counter');
}

abstract class Step implements fc.AsyncCommand<FamilySosModel, SosScenario> {
  check(_: Readonly<FamilySosModel>): boolean {
    return true;
  }

  async run(model: FamilySosModel, real: SosScenario): Promise<void> {
    await this.execute(model, real);
    await checkAgainstModel(model, real);
  }

  protected abstract execute(model: FamilySosModel, real: SosScenario): Promise<void>;
}

class RaiseSos extends Step {
  constructor(private readonly agoMs: number) {
    super();
  }

  /** Raises an SOS `agoMs` in the past by the watch's clock. Calls with the same time raise the same SOS. */
  protected override async execute(model: FamilySosModel, real: SosScenario): Promise<void> {
    const time = model.now - this.agoMs;
    const existing = model.sosIdByTime.get(time);
    const contactOrder = await model.contactOrder(real);
    const { sosId } = await real.calls.raise(real.family.watch.principal, { time });
    if (existing !== undefined) {
      expect(sosId).toBe(existing);
      return;
    }
    expect(sosId === model.openSos?.sosId).toBe(model.openSos !== null);
    model.sosIdByTime.set(time, sosId);
    model.raise(sosId, time, contactOrder);
  }

  override toString = () => `raise an SOS (${this.agoMs} ms ago)`;
}

class RaiseSosWithoutClock extends Step {
  /** Raises an SOS on a watch whose clock is not set. Each call is a press, although all have the same time. */
  protected override async execute(model: FamilySosModel, real: SosScenario): Promise<void> {
    const contactOrder = await model.contactOrder(real);
    const { sosId } = await real.calls.raise(real.family.watch.principal, { time: 0 });
    expect(sosId === model.openSos?.sosId).toBe(model.openSos !== null);
    model.raise(sosId, model.now, contactOrder);
  }

  override toString = () => 'raise an SOS without a clock';
}

class DeliverSosEvent extends Step {
  override check({ openSos }: Readonly<FamilySosModel>): boolean {
    return openSos !== null;
  }

  protected override async execute(model: FamilySosModel, real: SosScenario): Promise<void> {
    const { familyId, cid, watch } = real.family;
    if (!model.openSos) return;
    const payload = { familyId, cid, did: watch.did, sosId: model.openSos.sosId, time: model.now };
    await environment.deliver(real.first, 'userctx.sos.begin-notifying', {
      name: 'userctx.sos.raised',
      payload,
    });
    model.openSos.isNotifying = true;
  }

  override toString = () => 'deliver the SOS event';
}

class Wait extends Step {
  constructor(private readonly ms: number) {
    super();
  }

  protected override async execute(model: FamilySosModel, real: SosScenario): Promise<void> {
    model.now += this.ms;
    clock = model.now;
    model.processDueStep(await model.contactOrder(real));
    await real.processDueSteps();
  }

  override toString = () => `wait(${this.ms} ms)`;
}

class AnswerSos extends Step {
  constructor(
    private readonly action: 'acknowledge' | 'resolve',
    private readonly guardianIndex: number,
  ) {
    super();
  }

  protected override async execute(model: FamilySosModel, real: SosScenario): Promise<void> {
    const { owner, cid } = real.family;
    const actor = guardians[this.guardianIndex] ?? owner;
    const allowed = (actor === owner || (await real.isMember(actor))) && !model.withoutPermission.has(actor.id);
    const sosId = model.openSos?.sosId ?? crypto.randomUUID();
    const outcome = await outcomeOf(() => real.calls[this.action](actor, { cid, sosId }));
    const rejectionReason = actor !== owner && !(await real.isMember(actor)) ? 'CHILD_NOT_FOUND' : 'PERMISSION_MISSING';
    expect(outcome).toBe(allowed ? (model.openSos ? 'ok' : 'SOS_NOT_FOUND') : rejectionReason);
    if (allowed && this.action === 'acknowledge') model.acknowledge(actor.id);
    if (allowed && this.action === 'resolve') model.resolve();
  }

  override toString = () => `member ${this.guardianIndex}: ${this.action} the SOS`;
}

class DeliverUndeliveredAlert extends Step {
  constructor(private readonly guardianIndex: number) {
    super();
  }

  protected override async execute(model: FamilySosModel, real: SosScenario): Promise<void> {
    const { familyId, cid, owner } = real.family;
    const { id: userId } = guardians[this.guardianIndex] ?? owner;
    const sosId = model.openSos?.sosId ?? crypto.randomUUID();
    const alert = {
      userId,
      familyId,
      cid,
      about: sosId,
      category: 'SOS',
      messageId: crypto.randomUUID(),
      time: model.now,
    };
    const payload = { ...alert, category: 'SOS' as const };
    model.applyUndeliveredAlert(userId, await model.contactOrder(real));
    for (let round = 0; round < 2; round += 1) {
      const handler = 'userctx.sos.hurry-sms';
      await environment.deliver(real.first, handler, { name: 'gateway.alert.undelivered', payload });
    }
    await real.processDueSteps();
    model.processDueStep(await model.contactOrder(real));
  }

  override toString = () => `alert to member ${this.guardianIndex} is undelivered`;
}

type FamilyChange =
  | 'addContact'
  | 'deleteContact'
  | 'moveContactToFront'
  | 'removeMember'
  | 'revokePermission'
  | 'addMember';

class ChangeFamily extends Step {
  constructor(
    private readonly change: FamilyChange,
    private readonly index: number,
  ) {
    super();
  }

  protected override async execute(model: FamilySosModel, real: SosScenario): Promise<void> {
    const { owner, familyId, watch } = real.family;
    const person = guardians[this.index % guardians.length] ?? owner;
    const contacts = real.first.get(ContactsService);
    const deviceId = watch.did;
    const withoutAccount = (await real.contacts()).filter(({ userId }) => userId === null);
    const refId = withoutAccount[this.index % Math.max(withoutAccount.length, 1)]?.refId;
    switch (this.change) {
      case 'addContact':
        phoneCount += 1;
        await contacts.create(owner, { deviceId, name: 'Oma', ...createPhone(phoneCount) });
        return;
      case 'deleteContact':
        if (refId !== undefined) await contacts.delete(owner, { deviceId, refId });
        return;
      case 'moveContactToFront':
        if (refId !== undefined) await contacts.update(owner, { deviceId, refId, sosOrder: 1 });
        return;
      case 'removeMember':
        model.withoutPermission.delete(person.id);
        if (await real.isMember(person)) await real.changeRoster((roster) => roster.removeMember(familyId, person.id));
        return;
      case 'revokePermission':
        if (!(await real.isMember(person))) return;
        model.withoutPermission.add(person.id);
        await real.changeRoster((roster) => roster.updateMember(familyId, person.id, { permissions: [] }));
        return;
      case 'addMember':
        if (!(await real.isMember(person))) await real.addMember(person);
    }
  }

  override toString = () => `${this.change}(${this.index})`;
}

class CrashReplica extends Step {
  protected override async execute(model: FamilySosModel, real: SosScenario): Promise<void> {
    await real.first.get(SosRepository).claimDue(clock, clock + LEASE_MS, 50);
    model.crash();
    await real.replaceReplica();
  }

  override toString = () => 'crash a replica and start another one';
}

const createPhone = (number: number) => ({ areaCode: '+86', phoneNumber: `136${String(number).padStart(8, '0')}` });

test('an SOS notifies contacts in order despite crashes until a member acknowledges it, for random steps', async () => {
  const index = fc.nat(3);
  const change = fc.constantFrom<FamilyChange>(
    'addContact',
    'deleteContact',
    'moveContactToFront',
    'removeMember',
    'revokePermission',
    'addMember',
  );
  const wait = fc.constantFrom(1_000, 10_000, 30_000, 30_000, 31_000, 600_000, 3_600_000);
  const steps: fc.Arbitrary<Step>[] = [
    fc.constantFrom(0, 0, 1_000).map((agoMs) => new RaiseSos(agoMs)),
    fc.constant(new RaiseSosWithoutClock()),
    fc.constant(new DeliverSosEvent()),
    wait.map((ms) => new Wait(ms)),
    wait.map((ms) => new Wait(ms)),
    wait.map((ms) => new Wait(ms)),
    fc
      .tuple(fc.constantFrom('acknowledge', 'acknowledge', 'resolve'), index)
      .map((parameters) => new AnswerSos(...parameters)),
    index.map((guardianIndex) => new DeliverUndeliveredAlert(guardianIndex)),
    fc.tuple(change, index).map((parameters) => new ChangeFamily(...parameters)),
    fc.constant(new CrashReplica()),
  ];
  clock = Date.now();
  jest.spyOn(Date, 'now').mockImplementation(() => clock);
  await fc.assert(
    fc.asyncProperty(fc.commands(steps, { maxCommands: 30, size: 'max' }), async (commands) => {
      const real = await SosScenario.create(environment, guardians);
      try {
        await fc.asyncModelRun(() => ({ model: new FamilySosModel(clock), real }), commands);
      } finally {
        // After a failed run, fast-check executes shorter ones, which must not use the replicas of the failed run.
        await real.close();
      }
    }),
    { numRuns: propertyRuns(5) },
  );
});
