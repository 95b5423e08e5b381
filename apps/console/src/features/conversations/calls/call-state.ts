import type { DeliveredPayload, Schema } from '@family-watch/client';

type ServiceState = Schema<'CallStatusDto'>['state'];
export type Provider = Schema<'CallStatusDto'>['provider'];

/** A party as the notices name it: `user:<userId>` or `watch:<did>`. */
export type PartyKey = string;

/** Why a call is over. The last two are not states of the service. */
export type EndReason = Exclude<ServiceState, 'RINGING' | 'ACCEPTED'> | 'ELSEWHERE' | 'FAILED';

/** The call of this page. */
export type Call =
  | { readonly status: 'none' }
  /** The other party calls. */
  | { readonly status: 'incoming'; readonly callId: string; readonly party: PartyKey; readonly provider: Provider }
  /** This page has accepted, and the service has not answered. */
  | { readonly status: 'accepting'; readonly callId: string; readonly party: PartyKey }
  /** This page calls. `callId` is set when the service has created the call. */
  | { readonly status: 'outgoing'; readonly callId?: string; readonly party: PartyKey }
  | { readonly status: 'active'; readonly callId: string; readonly party: PartyKey; readonly isCaller: boolean }
  | { readonly status: 'ended'; readonly party: PartyKey; readonly reason: EndReason; readonly error?: unknown };

export type CallAction =
  | { readonly type: 'called'; readonly party: PartyKey }
  | { readonly type: 'created'; readonly callId: string; readonly state: ServiceState }
  | { readonly type: 'accepting' }
  | { readonly type: 'accepted' }
  | { readonly type: 'notice-in'; readonly notice: DeliveredPayload<'VideoCallInNoticeMessage'> }
  | { readonly type: 'notice-out'; readonly notice: DeliveredPayload<'VideoCallOutNoticeMessage'> }
  /** The person has hung up or rejected the call. */
  | { readonly type: 'left' }
  | { readonly type: 'failed'; readonly error: unknown }
  /** The person has seen why the call is over. */
  | { readonly type: 'closed' };

export const NO_CALL: Call = { status: 'none' };

export function callReducer(call: Call, action: CallAction): Call {
  switch (action.type) {
    case 'called':
      return isOver(call) ? { status: 'outgoing', party: action.party } : call;
    case 'created':
      if (call.status !== 'outgoing') return call;
      return action.state === 'RINGING' ? { ...call, callId: action.callId } : ended(call, action.state);
    case 'accepting':
      if (call.status !== 'incoming') return call;
      return { status: 'accepting', callId: call.callId, party: call.party };
    case 'accepted':
      return call.status === 'accepting' ? { ...call, status: 'active', isCaller: false } : call;
    case 'notice-in':
      return onNoticeIn(call, action.notice);
    case 'notice-out':
      return onNoticeOut(call, action.notice);
    case 'left':
      return NO_CALL;
    case 'failed':
      if (isOver(call)) return call;
      return { status: 'ended', party: call.party, reason: 'FAILED', error: action.error };
    case 'closed':
      return call.status === 'ended' ? NO_CALL : call;
  }
}

function onNoticeIn(call: Call, notice: DeliveredPayload<'VideoCallInNoticeMessage'>): Call {
  const { callId, state, from, provider } = notice;
  if (state === 'RINGING') return isOver(call) ? { status: 'incoming', callId, party: from, provider } : call;
  if (isOver(call) || call.callId !== callId) return call;
  // Another device of the person has accepted; the response to `accept` says whether this one has.
  if (state === 'ACCEPTED') return call.status === 'incoming' ? ended(call, 'ELSEWHERE') : call;
  return ended(call, state);
}

function onNoticeOut(call: Call, { callId, state }: DeliveredPayload<'VideoCallOutNoticeMessage'>): Call {
  // Calls of other devices of the same person have another id.
  if (isOver(call) || call.callId !== callId || state === 'RINGING') return call;
  if (state !== 'ACCEPTED') return ended(call, state);
  return call.status === 'outgoing' ? { status: 'active', callId, party: call.party, isCaller: true } : call;
}

function ended({ party }: { party: PartyKey }, state: EndReason | ServiceState): Call {
  return { status: 'ended', party, reason: state as EndReason };
}

function isOver(call: Call): call is Extract<Call, { status: 'none' | 'ended' }> {
  return call.status === 'none' || call.status === 'ended';
}
