import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { CallState } from '@family-watch/domain/messages/contracts/video-call';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import { CallMonitorService } from '../../src/contexts/video-calls/call-monitor.service.js';
import { CallDevice, setDueAt } from '../support/call-parties.js';
import { anotherSession } from '../support/gateway-test-environment.js';
import { FamilyFixture } from '../support/family-fixture.js';
import { createFamily } from '../support/clients.js';
import { environment, node, otherNode, query, serviceOf, startGateway } from '../support/suite-gateway.js';

startGateway();

const DEVICES = ['watch', 'owner', 'ownerSecondPhone', 'guardian'] as const;
type DeviceName = (typeof DEVICES)[number];
const ACTIONS = ['accept', 'reject', 'hangUp', 'offer'] as const;

type CallModelStep =
  | { action: 'call'; device: DeviceName; member: 'owner' | 'guardian'; node: number }
  | { action: (typeof ACTIONS)[number]; device: DeviceName; callIndex: number; node: number }
  | { action: 'time'; callIndex: number };

interface ModelCall {
  callId: string;
  caller: string;
  callee: string;
  callerDevice: DeviceName;
  acceptedBy: DeviceName | null;
  state: CallState;
  signals: number;
}

const partyOf = (device: DeviceName) => (device === 'ownerSecondPhone' ? 'owner' : device);

/** Independent model of calls: derives each result from the parties and earlier actions, without the state table. */
class CallModel {
  readonly calls: ModelCall[] = [];

  private isLive = ({ state }: ModelCall) => state === 'RINGING' || state === 'ACCEPTED';

  call(device: DeviceName, member: 'owner' | 'guardian'): CallState {
    const [caller, callee] = device === 'watch' ? ['watch', member] : [partyOf(device), 'watch'];
    const busyParties = this.calls.filter(this.isLive).flatMap((call) => [call.caller, call.callee]);
    const state = busyParties.includes(caller) || busyParties.includes(callee) ? 'BUSY' : 'RINGING';
    this.calls.push({ callId: '', caller, callee, callerDevice: device, acceptedBy: null, state, signals: 0 });
    return state;
  }

  apply(action: (typeof ACTIONS)[number], device: DeviceName, call: ModelCall): string {
    const isCaller = partyOf(device) === call.caller;
    const isCallee = partyOf(device) === call.callee;
    if (!isCaller && !isCallee) return 'CALL_NOT_FOUND';
    if (action === 'accept') return this.accept(device, call, isCallee);
    if (action === 'reject') {
      return isCallee && call.state === 'RINGING' ? this.changeState(call, 'REJECTED') : 'CALL_STATE';
    }
    if (action === 'offer') return this.offer(device, call, isCaller);
    if (call.state === 'ACCEPTED') return this.changeState(call, 'ENDED');
    return call.state === 'RINGING' && isCaller ? this.changeState(call, 'CANCELLED') : 'CALL_STATE';
  }

  timeOut(call: ModelCall): void {
    if (call.state === 'RINGING') call.state = 'TIMED_OUT';
    else if (call.state === 'ACCEPTED') call.state = 'ENDED';
  }

  private accept(device: DeviceName, call: ModelCall, isCallee: boolean): string {
    if (!isCallee) return 'CALL_STATE';
    if (call.state === 'ACCEPTED') return call.acceptedBy === device ? 'ACCEPTED' : 'CALL_STATE';
    if (call.state !== 'RINGING') return 'CALL_STATE';
    call.acceptedBy = device;
    return this.changeState(call, 'ACCEPTED');
  }

  private offer(device: DeviceName, call: ModelCall, isCaller: boolean): string {
    const expected = isCaller ? call.callerDevice : call.acceptedBy;
    if (!this.isLive(call) || expected !== device) return 'CALL_STATE';
    call.signals += 1;
    return 'ok';
  }

  private changeState(call: ModelCall, state: CallState): string {
    call.state = state;
    return state;
  }
}

const anyDevice = fc.constantFrom(...DEVICES);
const anyNode = fc.nat(1);
const anyCallIndex = fc.nat(3);
const anyStep: fc.Arbitrary<CallModelStep> = fc.oneof(
  fc.record({
    action: fc.constant('call' as const),
    device: anyDevice,
    member: fc.constantFrom('owner', 'guardian'),
    node: anyNode,
  }),
  {
    arbitrary: fc.record({
      action: fc.constantFrom(...ACTIONS),
      device: anyDevice,
      callIndex: anyCallIndex,
      node: anyNode,
    }),
    weight: 4,
  },
  fc.record({ action: fc.constant('time' as const), callIndex: anyCallIndex }),
);

/** One run of the model test: a new family with every device connected to every node. */
class CallModelRun {
  readonly model = new CallModel();

  private constructor(
    readonly fixture: FamilyFixture,
    private readonly devices: Record<DeviceName, readonly CallDevice[]>,
  ) {}

  static async start(): Promise<CallModelRun> {
    const fixture = await createFamily();
    const secondPhone = anotherSession(fixture.owner);
    const at = (principal: typeof secondPhone) => [node, otherNode].map((each) => new CallDevice(principal, each));
    return new CallModelRun(fixture, {
      watch: at(fixture.watchPrincipal),
      owner: at(fixture.owner),
      ownerSecondPhone: at(secondPhone),
      guardian: at(fixture.guardian),
    });
  }

  async execute(next: CallModelStep): Promise<void> {
    if (next.action === 'call') return this.call(next);
    const call = this.model.calls.at(-1 - next.callIndex);
    if (!call) return;
    if (next.action === 'time') return this.expireCall(call);
    const client = this.deviceAt(next.device, next.node);
    const { callId } = call;
    const signal = { type: 'OFFER', data: 'v=0' } as const;
    const response = await (next.action === 'offer' ? client.signal(callId, signal) : client[next.action](callId));
    const expected = this.model.apply(next.action, next.device, call);
    expect(response.reason ?? response.state ?? 'ok').toBe(expected);
  }

  /** Compares the stored calls with the model, and checks that no party is in two live calls. */
  async compareStoredCalls(): Promise<void> {
    const rows = await query<{
      callId: string;
      state: string;
      signals: number;
      revision: number;
    }>('SELECT call_id AS "callId", state, signals, revision FROM gateway.video_call WHERE family_id = $1', [
      this.fixture.family.familyId,
    ]);
    const storedById = new Map(rows.map((row) => [row.callId, row]));
    expect(storedById.size).toBe(this.model.calls.length);
    for (const { callId, state, signals } of this.model.calls) {
      expect(storedById.get(callId)).toMatchObject({ state, signals });
    }
    const live = this.model.calls.filter(({ state }) => state === 'RINGING' || state === 'ACCEPTED');
    const parties = live.flatMap(({ caller, callee }) => [caller, callee]);
    expect(new Set(parties).size).toBe(parties.length);
  }

  private async call({
    device: caller,
    member,
    node: nodeIndex,
  }: Extract<CallModelStep, { action: 'call' }>): Promise<void> {
    const callee = caller === 'watch' ? { userId: this.fixture[member].id } : { cid: this.fixture.cid };
    const response = await this.deviceAt(caller, nodeIndex).call(callee);
    expect(response.state).toBe(this.model.call(caller, member));
    const created = this.model.calls.at(-1);
    if (created) created.callId = response.callId;
  }

  private async expireCall(call: ModelCall): Promise<void> {
    if (call.state !== 'RINGING' && call.state !== 'ACCEPTED') return;
    await setDueAt(call.callId, environment.clock.now());
    // Both nodes run the job concurrently, and their own timers may run it as well.
    await Promise.all([node, otherNode].map((each) => serviceOf(CallMonitorService, each).endDueCalls()));
    this.model.timeOut(call);
    await this.waitUntilStored(call);
  }

  /** Waits until the call's state is stored: the node's own job may have claimed the call and not committed yet. */
  private async waitUntilStored({ callId, state }: ModelCall): Promise<void> {
    for (let attempt = 0; attempt < 200; attempt += 1) {
      const rows = await query<{ state: string }>(
        'SELECT state FROM gateway.video_call WHERE call_id = $1 FOR UPDATE',
        [callId],
      );
      if (rows[0]?.state === state) return;
    }
    throw new Error(`The call is not ${state}`);
  }

  private deviceAt(name: DeviceName, nodeIndex: number): CallDevice {
    const client = this.devices[name][nodeIndex];
    if (!client) throw new Error('No such device');
    return client;
  }
}

test('calls on two nodes are in the state that the model predicts after every step', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { minLength: 5, maxLength: 25 }), async (steps) => {
      const run = await CallModelRun.start();
      for (const each of steps) await run.execute(each);
      await run.compareStoredCalls();
    }),
    { numRuns: propertyRuns(8) },
  );
}, 360_000);
