import type { PrincipalKey } from '../../kernel/contracts/principal.js';

/** How the picture travels: through a LiveKit server, or from device to device. */
export const VIDEO_PROVIDER = { LIVEKIT: 'livekit', WEBRTC: 'webrtc' } as const;
export type VideoProviderName = (typeof VIDEO_PROVIDER)[keyof typeof VIDEO_PROVIDER];

/**
 * RINGING → ACCEPTED → ENDED, or from RINGING: REJECTED by the callee, BUSY because the callee is in a call,
 * CANCELLED by the caller, TIMED_OUT after {@link RING_TIMEOUT}.
 */
export const CALL_STATE = {
  RINGING: 'RINGING',
  ACCEPTED: 'ACCEPTED',
  REJECTED: 'REJECTED',
  BUSY: 'BUSY',
  CANCELLED: 'CANCELLED',
  TIMED_OUT: 'TIMED_OUT',
  ENDED: 'ENDED',
} as const;
export type CallState = (typeof CALL_STATE)[keyof typeof CALL_STATE];

/** How long a call rings. Milliseconds. */
export const RING_TIMEOUT = 45_000;

/** A WebRTC signal, as the browser's or the watch's own API makes it; relayed to the other party as it is. */
export const SIGNAL_TYPE = { OFFER: 'OFFER', ANSWER: 'ANSWER', CANDIDATE: 'CANDIDATE' } as const;
export type SignalType = (typeof SIGNAL_TYPE)[keyof typeof SIGNAL_TYPE];

export interface CallSignal {
  type: SignalType;
  /** SDP text of an offer or answer; the candidate's JSON text. */
  data: string;
}

interface CallNotice {
  callId: string;
  provider: VideoProviderName;
  state: CallState;
  /** The session that accepted: a device that is another one stops ringing. */
  acceptedSessionId?: string;
  signal?: CallSignal;
}

/** VideoCallInNoticeMessage, to the callee. */
export interface VideoCallInPayload extends CallNotice {
  from: PrincipalKey;
}

/** VideoCallOutNoticeMessage, to the caller. */
export interface VideoCallOutPayload extends CallNotice {
  to: PrincipalKey;
}
