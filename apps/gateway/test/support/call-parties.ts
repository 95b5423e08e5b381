import type { TestClient } from '@family-watch/testing/clients/test-client';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import type { CallJoin, CallSignal, CallState } from '@family-watch/domain/messages/contracts/video-call';
import type { GatewayNode } from './gateway-node.js';
import { FamilyFixture } from './family-fixture.js';
import type { GatewayTestEnvironment } from './gateway-test-environment.js';

const BASE = '/apis/v2/message/video-call/';

/** An answer as a test reads it: what was said, or the reason of the refusal. */
export interface CallAnswer {
  status: number;
  text: string;
  callId: string;
  state: CallState;
  provider: string;
  join: CallJoin | null;
  reason?: string;
}

/** One device of a person, or a watch, that uses calls over REST at one node. */
export class CallDevice {
  constructor(
    private readonly world: GatewayTestEnvironment,
    private readonly node: GatewayNode,
    readonly principal: Principal,
  ) {}

  call(to: { userId?: string; cid?: string }, headers: Record<string, string> = {}): Promise<CallAnswer> {
    return this.post('create', { to }, headers);
  }

  accept(callId: string): Promise<CallAnswer> {
    return this.post('accept', { callId });
  }

  reject(callId: string): Promise<CallAnswer> {
    return this.post('reject', { callId });
  }

  hangUp(callId: string): Promise<CallAnswer> {
    return this.post('hangup', { callId });
  }

  signal(callId: string, signal: CallSignal): Promise<CallAnswer> {
    return this.post('signal', { callId, signal });
  }

  post(operation: string, body: object, headers: Record<string, string> = {}): Promise<CallAnswer> {
    return this.send(operation, { method: 'POST', body: JSON.stringify(body) }, headers);
  }

  get<Answer = CallAnswer>(operation: string, query: Record<string, string> = {}): Promise<Answer & { text: string }> {
    return this.send(`${operation}?${new URLSearchParams(query).toString()}`, { method: 'GET' }, {});
  }

  private async send<Answer>(
    address: string,
    init: { method: string; body?: string },
    headers: Record<string, string>,
  ): Promise<Answer & { text: string; status: number }> {
    const authorization = `Bearer ${await this.world.tokenOf(this.principal)}`;
    const json = init.body === undefined ? {} : { 'content-type': 'application/json' };
    const answer = await fetch(`${this.node.url}${BASE}${address}`, {
      ...init,
      headers: { authorization, ...json, ...headers },
    });
    const text = await answer.text();
    return { ...(JSON.parse(text) as Answer), status: answer.status, text };
  }
}

/** A household whose owner has called the watch: the owner at the first node, the watch at the second. */
export interface RingingCall {
  home: FamilyFixture;
  parent: CallDevice;
  wearer: CallDevice;
  call: CallAnswer;
}

export async function ringing(
  world: GatewayTestEnvironment,
  node: GatewayNode,
  otherNode: GatewayNode,
): Promise<RingingCall> {
  const home = await FamilyFixture.in(world);
  const parent = new CallDevice(world, node, home.owner);
  const wearer = new CallDevice(world, otherNode, home.wearer);
  const call = await parent.call({ cid: home.cid });
  if (call.state !== 'RINGING') throw new Error(`It does not ring: ${call.text}`);
  return { home, parent, wearer, call };
}

export async function accepted(
  world: GatewayTestEnvironment,
  node: GatewayNode,
  otherNode: GatewayNode,
): Promise<RingingCall> {
  const parts = await ringing(world, node, otherNode);
  const { state, text } = await parts.wearer.accept(parts.call.callId);
  if (state !== 'ACCEPTED') throw new Error(`It was not accepted: ${text}`);
  return parts;
}

/** States that the client was told of as the callee (`In`) or as the caller (`Out`). */
export function statesOf(client: TestClient, kind: 'In' | 'Out'): string[] {
  return client.ofKind(`VideoCall${kind}NoticeMessage`).map(({ payload }) => (payload as { state: string }).state);
}

export interface CallRow {
  state: CallState;
  due_at: number | null;
  absent_since: number | null;
}

export async function rowOf(node: GatewayNode, callId: string): Promise<CallRow | undefined> {
  const rows = await node.unitOfWork.executor.query<CallRow>(
    'SELECT state, due_at, absent_since FROM gateway.video_call WHERE call_id = $1',
    [callId],
  );
  return rows[0];
}

/** Sets when the call is due, as if time had gone by. */
export async function makeDue(node: GatewayNode, callId: string, at: number): Promise<void> {
  await node.unitOfWork.executor.query('UPDATE gateway.video_call SET due_at = $2 WHERE call_id = $1', [callId, at]);
}
