import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { CallState } from '@family-watch/domain/messages/contracts/video-call';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import { CallTimeoutJob } from '../../src/contexts/video-calls/call-timeout.job.js';
import { CallDevice, makeDue } from '../support/call-parties.js';
import type { GatewayNode } from '../support/gateway-node.js';
import { anotherSession, GatewayTestEnvironment } from '../support/gateway-test-environment.js';
import { FamilyFixture } from '../support/family-fixture.js';

let world: GatewayTestEnvironment;
let nodes: readonly GatewayNode[];

beforeAll(async () => {
  world = await GatewayTestEnvironment.start();
  nodes = [await world.addNode(), await world.addNode()];
});

afterAll(() => world.stop());

const WHO = ['watch', 'owner', 'ownerElsewhere', 'guardian'] as const;
type Who = (typeof WHO)[number];
const DOES = ['accept', 'reject', 'hangUp', 'offer'] as const;

type Step =
  | { what: 'call'; who: Who; whom: 'owner' | 'guardian'; node: number }
  | { what: (typeof DOES)[number]; who: Who; which: number; node: number }
  | { what: 'time'; which: number };

interface ModelCall {
  callId: string;
  caller: string;
  callee: string;
  callerDevice: Who;
  acceptedBy: Who | null;
  state: CallState;
  signals: number;
}

const personOf = (who: Who) => (who === 'ownerElsewhere' ? 'owner' : who);

/** What calls should do, told without the table of states: by who is who and what was before. */
class Model {
  readonly calls: ModelCall[] = [];

  private isLive = ({ state }: ModelCall) => state === 'RINGING' || state === 'ACCEPTED';

  call(who: Who, whom: 'owner' | 'guardian'): CallState {
    const [caller, callee] = who === 'watch' ? ['watch', whom] : [personOf(who), 'watch'];
    const taken = this.calls.filter(this.isLive).flatMap((call) => [call.caller, call.callee]);
    const state = taken.includes(caller) || taken.includes(callee) ? 'BUSY' : 'RINGING';
    this.calls.push({ callId: '', caller, callee, callerDevice: who, acceptedBy: null, state, signals: 0 });
    return state;
  }

  do(what: (typeof DOES)[number], who: Who, call: ModelCall): string {
    const isCaller = personOf(who) === call.caller;
    const isCallee = personOf(who) === call.callee;
    if (!isCaller && !isCallee) return 'CALL_NOT_FOUND';
    if (what === 'accept') return this.accept(who, call, isCallee);
    if (what === 'reject') return isCallee && call.state === 'RINGING' ? this.become(call, 'REJECTED') : 'CALL_STATE';
    if (what === 'offer') return this.offer(who, call, isCaller);
    if (call.state === 'ACCEPTED') return this.become(call, 'ENDED');
    return call.state === 'RINGING' && isCaller ? this.become(call, 'CANCELLED') : 'CALL_STATE';
  }

  pass(call: ModelCall): void {
    if (call.state === 'RINGING') call.state = 'TIMED_OUT';
    else if (call.state === 'ACCEPTED') call.state = 'ENDED';
  }

  private accept(who: Who, call: ModelCall, isCallee: boolean): string {
    if (!isCallee) return 'CALL_STATE';
    if (call.state === 'ACCEPTED') return call.acceptedBy === who ? 'ACCEPTED' : 'CALL_STATE';
    if (call.state !== 'RINGING') return 'CALL_STATE';
    call.acceptedBy = who;
    return this.become(call, 'ACCEPTED');
  }

  private offer(who: Who, call: ModelCall, isCaller: boolean): string {
    const device = isCaller ? call.callerDevice : call.acceptedBy;
    if (!this.isLive(call) || device !== who) return 'CALL_STATE';
    call.signals += 1;
    return 'ok';
  }

  private become(call: ModelCall, state: CallState): string {
    call.state = state;
    return state;
  }
}

const who = fc.constantFrom(...WHO);
const node = fc.nat(1);
const which = fc.nat(3);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ what: fc.constant('call' as const), who, whom: fc.constantFrom('owner', 'guardian'), node }),
  { arbitrary: fc.record({ what: fc.constantFrom(...DOES), who, which, node }), weight: 4 },
  fc.record({ what: fc.constant('time' as const), which }),
);

/** One run: a fresh household, and every device of it at every node. */
class Run {
  readonly model = new Model();

  private constructor(
    readonly home: FamilyFixture,
    private readonly devices: Record<Who, readonly CallDevice[]>,
  ) {}

  static async begin(): Promise<Run> {
    const home = await FamilyFixture.in(world);
    const elsewhere = anotherSession(home.owner);
    const at = (principal: typeof elsewhere) => nodes.map((each) => new CallDevice(world, each, principal));
    return new Run(home, {
      watch: at(home.wearer),
      owner: at(home.owner),
      ownerElsewhere: at(elsewhere),
      guardian: at(home.guardian),
    });
  }

  async take(action: Step): Promise<void> {
    if (action.what === 'call') return this.call(action);
    const call = this.model.calls.at(-1 - action.which);
    if (!call) return;
    if (action.what === 'time') return this.letTimePass(call);
    const device = this.device(action.who, action.node);
    const { callId } = call;
    const signal = { type: 'OFFER', data: 'v=0' } as const;
    const answer = await (action.what === 'offer' ? device.signal(callId, signal) : device[action.what](callId));
    const expected = this.model.do(action.what, action.who, call);
    expect(answer.reason ?? answer.state ?? 'ok').toBe(expected);
  }

  /** The database knows what the model does, both parties were told of each change, and nobody of anything else. */
  async compare(): Promise<void> {
    const { executor } = nodes[0]?.unitOfWork ?? {};
    const rows = await executor?.query<{ callId: string; state: string; signals: number; revision: number }>(
      'SELECT call_id AS "callId", state, signals, revision FROM gateway.video_call WHERE family_id = $1',
      [this.home.family.familyId],
    );
    const known = new Map(rows?.map((row) => [row.callId, row]));
    expect(known.size).toBe(this.model.calls.length);
    for (const { callId, state, signals } of this.model.calls) {
      expect(known.get(callId)).toMatchObject({ state, signals });
    }
    const live = this.model.calls.filter(({ state }) => state === 'RINGING' || state === 'ACCEPTED');
    const parties = live.flatMap(({ caller, callee }) => [caller, callee]);
    expect(new Set(parties).size).toBe(parties.length);
  }

  private async call({ who: from, whom, node: place }: Extract<Step, { what: 'call' }>): Promise<void> {
    const to = from === 'watch' ? { userId: this.home[whom].id } : { cid: this.home.cid };
    const answer = await this.device(from, place).call(to);
    expect(answer.state).toBe(this.model.call(from, whom));
    const made = this.model.calls.at(-1);
    if (made) made.callId = answer.callId;
  }

  private async letTimePass(call: ModelCall): Promise<void> {
    const [first] = nodes;
    if (!first || (call.state !== 'RINGING' && call.state !== 'ACCEPTED')) return;
    await makeDue(first, call.callId, world.clock.now());
    // Whichever node comes first, and whichever is doing it already.
    await Promise.all(nodes.map((each) => each.app.get(CallTimeoutJob, { strict: false }).run()));
    this.model.pass(call);
    await this.untilStored(call);
  }

  /** The job of the node itself may have taken the call a moment before, and not be done with it. */
  private async untilStored({ callId, state }: ModelCall): Promise<void> {
    for (let attempt = 0; attempt < 200; attempt += 1) {
      const rows = await nodes[0]?.unitOfWork.executor.query<{ state: string }>(
        'SELECT state FROM gateway.video_call WHERE call_id = $1 FOR UPDATE',
        [callId],
      );
      if (rows?.[0]?.state === state) return;
    }
    throw new Error(`The call is not ${state}`);
  }

  private device(one: Who, place: number): CallDevice {
    const device = this.devices[one][place];
    if (!device) throw new Error('No such device');
    return device;
  }
}

test('does what the model says, step by step, over both nodes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      const run = await Run.begin();
      for (const each of steps) await run.take(each);
      await run.compare();
    }),
    { numRuns: propertyRuns(8) },
  );
}, 360_000);
