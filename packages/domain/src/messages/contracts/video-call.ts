import type { PrincipalKey } from '../../kernel/contracts/principal.js';

/** Transport of audio and video: a LiveKit server, or WebRTC directly between the devices. */
export const VIDEO_PROVIDER = { LIVEKIT: 'livekit', WEBRTC: 'webrtc' } as const;
export type VideoProviderName = (typeof VIDEO_PROVIDER)[keyof typeof VIDEO_PROVIDER];

/**
 * RINGING → ACCEPTED → ENDED, or from RINGING: REJECTED by the callee, CANCELLED by the caller, TIMED_OUT after {@link
 * RING_TIMEOUT_MS}. BUSY is the initial state if caller or callee is in a call already; a BUSY call never rings.
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

/** How long a call rings, in milliseconds. */
export const RING_TIMEOUT_MS = 45_000;

/** Maximum duration of a call, in milliseconds (4 hours). */
export const MAX_CALL_DURATION_MS = 4 * 60 * 60_000;

/** How long a call continues while one of its parties is not connected, in milliseconds. */
export const PARTY_ABSENCE_TIMEOUT_MS = 60_000;

/** How long calls are retained in the call log, in milliseconds (90 days). */
export const CALL_LOG_RETENTION_MS = 90 * 24 * 60 * 60_000;

/** Maximum number of WebRTC signals that the two parties of a call can exchange. */
export const MAX_SIGNALS_PER_CALL = 200;

/** Maximum size of the text of one WebRTC signal, in bytes of UTF-8. */
export const MAX_SIGNAL_BYTES = 32 * 1_024;

/** How long the token or the credentials with which a device joins audio and video are valid, in seconds. */
export const CALL_JOIN_TTL_SECONDS = 60;

/** Direction of a call; one of the two parties of a call is always a watch. */
export const CALL_DIRECTION = { TO_WATCH: 'TO_WATCH', FROM_WATCH: 'FROM_WATCH' } as const;
export type CallDirection = (typeof CALL_DIRECTION)[keyof typeof CALL_DIRECTION];

/** Type of a WebRTC signal. */
export const SIGNAL_TYPE = { OFFER: 'OFFER', ANSWER: 'ANSWER', CANDIDATE: 'CANDIDATE' } as const;
export type SignalType = (typeof SIGNAL_TYPE)[keyof typeof SIGNAL_TYPE];

/** A WebRTC signal as the WebRTC API created it. The service relays it unchanged to the other party. */
export interface CallSignal {
  type: SignalType;
  /** SDP text of an offer or answer, or JSON text of a candidate. */
  data: string;
}

interface CallNotice {
  callId: string;
  provider: VideoProviderName;
  state: CallState;
  /** The session that accepted the call. The devices of all other sessions stop ringing. */
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
