import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { CallState } from '@family-watch/domain/messages/contracts/video-call';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { CallMonitorService } from '../../src/calls/call-monitor.service.js';
import { CallDevice, findCallRow, setDueAt } from '../support/call-parties.js';
import { createFamily } from '../support/clients.js';
import type { FamilyFixture } from '../support/family-fixture.js';
import { anotherSession } from '../support/gateway-test-environment.js';
import { environment, node, otherNode, query, serviceOf, startGateway } from '../support/suite-gateway.js';

startGateway();

const DEVICES = ['watch', 'owner', 'ownerSecondPhone', 'guardian'] as const;
type DeviceName = (typeof DEVICES)[number];
const ACTIONS = ['accept', 'reject', 'hangUp', 'offer'] as const;

const anyStep = fc.record({
  action: fc.constantFrom('call', 'time', ...ACTIONS, ...ACTIONS),
  device: fc.constantFrom(...DEVICES),
  /** The member whom a watch calls. */
  member: fc.constantFrom('owner', 'guardian'),
  isOtherNode: fc.boolean(),
  /** Position of the call among the newest calls, for all actions but `call`. */
  callIndex: fc.nat(3),
});

interface ModelCall {
  callId: string;
  caller: string;
  callee: string;
  callerDevice: DeviceName;
  acceptedBy: DeviceName | null;
  state: CallState;
  signals: number;
}

const isLive = ({ state }: ModelCall) => state === 'RINGING' || state === 'ACCEPTED';
const partyOf = (device: DeviceName) => (device === 'ownerSecondPhone' ? 'owner' : device);

/** Derives the result of an action from the parties and earlier actions, without the state table. */
function expectedResult(
  action: (typeof ACTIONS)[number],
  device: DeviceName,
  call: ModelCall,
): CallState | 'ok' | undefined {
  const isCaller = partyOf(device) === call.caller;
  switch (action) {
    case 'accept':
      if (isCaller) return undefined;
      return call.state === 'RINGING' || (call.state === 'ACCEPTED' && call.acceptedBy === device)
        ? 'ACCEPTED'
        : undefined;
    case 'reject':
      return !isCaller && call.state === 'RINGING' ? 'REJECTED' : undefined;
    case 'offer':
      return isLive(call) && device === (isCaller ? call.callerDevice : call.acceptedBy) ? 'ok' : undefined;
    case 'hangUp':
      if (call.state === 'ACCEPTED') return 'ENDED';
      return call.state === 'RINGING' && isCaller ? 'CANCELLED' : undefined;
  }
}

/** One run of the model test: the calls of a new family. */
class CallModelRun {
  private readonly calls: ModelCall[] = [];

  constructor(private readonly fixture: FamilyFixture) {}

  private readonly principals = {
    watch: this.fixture.watchPrincipal,
    owner: this.fixture.owner,
    ownerSecondPhone: anotherSession(this.fixture.owner),
    guardian: this.fixture.guardian,
  };

  async execute({ action, device, member, isOtherNode, callIndex }: StepOf<typeof anyStep>): Promise<void> {
    const caller = new CallDevice(this.principals[device], isOtherNode ? otherNode : node);
    if (action === 'call') return this.call(caller, device, member);
    const call = this.calls.at(-1 - callIndex);
    if (!call) return;
    if (action === 'time') return this.expire(call);
    const { callId } = call;
    const response = await (action === 'offer'
      ? caller.signal(callId, { type: 'OFFER', data: 'v=0' })
      : caller[action](callId));
    if (![call.caller, call.callee].includes(partyOf(device))) {
      expect(response.reason).toBe('CALL_NOT_FOUND');
      return;
    }
    const expected = expectedResult(action, device, call);
    expect(response.reason ?? response.state ?? 'ok').toBe(expected ?? 'CALL_STATE');
    if (action === 'accept' && expected) call.acceptedBy = device;
    if (expected === 'ok') call.signals += 1;
    else call.state = expected ?? call.state;
  }

  private async call(device: CallDevice, callerDevice: DeviceName, member: 'owner' | 'guardian'): Promise<void> {
    const [caller, callee] = callerDevice === 'watch' ? ['watch', member] : [partyOf(callerDevice), 'watch'];
    const to = callerDevice === 'watch' ? { userId: this.fixture[member].id } : { cid: this.fixture.cid };
    const busyParties = this.calls.filter(isLive).flatMap((call) => [call.caller, call.callee]);
    const state = busyParties.includes(caller) || busyParties.includes(callee) ? 'BUSY' : 'RINGING';
    const response = await device.call(to);
    expect(response.state).toBe(state);
    const { callId } = response;
    this.calls.push({ callId, caller, callee, callerDevice, acceptedBy: null, state, signals: 0 });
  }

  private async expire(call: ModelCall): Promise<void> {
    if (!isLive(call)) return;
    await setDueAt(call.callId, environment.clock.now());
    // Both nodes run the job concurrently, and their own timers may run it as well.
    await Promise.all([node, otherNode].map((each) => serviceOf(CallMonitorService, each).endDueCalls()));
    call.state = call.state === 'RINGING' ? 'TIMED_OUT' : 'ENDED';
    // The node's own job may have claimed the call and not committed yet.
    await waitUntil(call.state, async () => (await findCallRow(call.callId))?.state === call.state);
  }

  /** Compares the stored calls with the model, and checks that no party is in two live calls. */
  async compareStoredCalls(): Promise<void> {
    const stored = await query<{ callId: string; state: string; signals: number }>(
      'SELECT call_id AS "callId", state, signals FROM gateway.video_call WHERE family_id = $1',
      [this.fixture.family.familyId],
    );
    expect(stored).toHaveLength(this.calls.length);
    expect(stored).toEqual(
      expect.arrayContaining(this.calls.map(({ callId, state, signals }) => ({ callId, state, signals }))),
    );
    const parties = this.calls.filter(isLive).flatMap(({ caller, callee }) => [caller, callee]);
    expect(new Set(parties).size).toBe(parties.length);
  }
}

type StepOf<Arbitrary> = Arbitrary extends fc.Arbitrary<infer Step> ? Step : never;

test('calls on two nodes are in the state that the model predicts after every step', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { minLength: 5, maxLength: 25 }), async (steps) => {
      const run = new CallModelRun(await createFamily());
      for (const each of steps) await run.execute(each);
      await run.compareStoredCalls();
    }),
    { numRuns: propertyRuns(8) },
  );
}, 360_000);
