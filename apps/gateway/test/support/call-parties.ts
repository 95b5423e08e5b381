import type { TestClient } from '@family-watch/testing/clients/test-client';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import type { CallSignal, CallState } from '@family-watch/domain/messages/contracts/video-call';
import type { CallJoinDto } from '@family-watch/domain/messages/dto/video-call.dto';
import type { GatewayNode } from './gateway-node.js';
import type { FamilyFixture } from './family-fixture.js';
import { callerOf, createFamily, type RestResponse } from './clients.js';
import { node, otherNode } from './suite-gateway.js';

/** Response of a call operation: the status of the call, or the reason of the rejection. */
export interface CallResponse {
  status: number;
  text: string;
  callId: string;
  state: CallState;
  provider: string;
  join: CallJoinDto | null;
  reason?: string;
}

/** A phone or a watch that uses the call operations over REST at one node. */
export class CallDevice {
  constructor(
    private readonly principal: Principal,
    private readonly at: GatewayNode = node,
  ) {}

  call(to: { userId?: string; cid?: string }, headers: Record<string, string> = {}): Promise<CallResponse> {
    return this.post('create', { to }, headers);
  }

  accept(callId: string): Promise<CallResponse> {
    return this.post('accept', { callId });
  }

  reject(callId: string): Promise<CallResponse> {
    return this.post('reject', { callId });
  }

  hangUp(callId: string): Promise<CallResponse> {
    return this.post('hangup', { callId });
  }

  signal(callId: string, signal: CallSignal): Promise<CallResponse> {
    return this.post('signal', { callId, signal });
  }

  async post(operation: string, body: object, headers: Record<string, string> = {}): Promise<CallResponse> {
    const response = await callerOf(this.principal, this.at).post(pathOf(operation), body, headers);
    return { ...(response.body as unknown as CallResponse), ...summaryOf(response) };
  }

  async get<Response = CallResponse>(
    operation: string,
    query: Record<string, string> = {},
  ): Promise<Response & { text: string }> {
    const response = await callerOf(this.principal, this.at).get(pathOf(operation), query);
    return { ...(response.body as Response), ...summaryOf(response) };
  }
}

const pathOf = (operation: string) => (operation.startsWith('/') ? operation : `video-call/${operation}`);

const summaryOf = ({ status, text }: RestResponse) => ({ status, text });

/** A family whose owner has called the watch: the owner uses the first node, the watch the second. */
export interface RingingCall {
  fixture: FamilyFixture;
  ownerDevice: CallDevice;
  watchDevice: CallDevice;
  call: CallResponse;
}

export async function startRingingCall(): Promise<RingingCall> {
  const fixture = await createFamily();
  const ownerDevice = new CallDevice(fixture.owner);
  const watchDevice = new CallDevice(fixture.watchPrincipal, otherNode);
  const call = await ownerDevice.call({ cid: fixture.cid });
  if (call.state !== 'RINGING') throw new Error(`The call does not ring: ${call.text}`);
  return { fixture, ownerDevice, watchDevice, call };
}

export async function startAcceptedCall(): Promise<RingingCall> {
  const ringingCall = await startRingingCall();
  const { state, text } = await ringingCall.watchDevice.accept(ringingCall.call.callId);
  if (state !== 'ACCEPTED') throw new Error(`The call was not accepted: ${text}`);
  return ringingCall;
}

/** Returns the call states that the client has received as the callee (`In`) or as the caller (`Out`). */
export function statesOf(client: TestClient, kind: 'In' | 'Out'): string[] {
  return client
    .messagesOfKind(`VideoCall${kind}NoticeMessage`)
    .map(({ payload }) => (payload as { state: string }).state);
}

export interface CallRow {
  state: CallState;
  due_at: number | null;
  absent_since: number | null;
}

export async function findCallRow(callId: string): Promise<CallRow | undefined> {
  const rows = await node.unitOfWork.executor.query<CallRow>(
    'SELECT state, due_at, absent_since FROM gateway.video_call WHERE call_id = $1',
    [callId],
  );
  return rows[0];
}

/** Sets the due time of the call, to simulate that time has passed. */
export async function setDueAt(callId: string, at: number): Promise<void> {
  await node.unitOfWork.executor.query('UPDATE gateway.video_call SET due_at = $2 WHERE call_id = $1', [callId, at]);
}
