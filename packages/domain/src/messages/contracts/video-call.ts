import type { PrincipalKey } from '../../kernel/contracts/principal.js';

/** How the picture travels: through a LiveKit server, or from device to device. */
export const VIDEO_PROVIDER = { LIVEKIT: 'livekit', WEBRTC: 'webrtc' } as const;
export type VideoProviderName = (typeof VIDEO_PROVIDER)[keyof typeof VIDEO_PROVIDER];

/**
 * RINGING → ACCEPTED → ENDED, or from RINGING: REJECTED by the callee, CANCELLED by the caller, TIMED_OUT after
 * {@link RING_TIMEOUT_MS}. BUSY from the beginning if one of the two is in a call: it never rings.
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
export const RING_TIMEOUT_MS = 45_000;

/** The longest a call may last. Milliseconds (4 hours). */
export const MAX_CALL_DURATION_MS = 4 * 60 * 60_000;

/** How long a call may go on while one of its parties is not connected. Milliseconds. */
export const PARTY_ABSENCE_TIMEOUT_MS = 60_000;

/** How long the log keeps a call. Milliseconds (90 days). */
export const CALL_LOG_RETENTION_MS = 90 * 24 * 60 * 60_000;

/** How many signals the two parties of a call may exchange. */
export const MAX_SIGNALS_PER_CALL = 200;

/** Bytes of a signal's text in UTF-8. */
export const MAX_SIGNAL_BYTES = 32 * 1_024;

/** How long a token or credentials for the picture open something. Seconds. */
export const CALL_JOIN_TTL_SECONDS = 60;

/** One of the two parties of a call is always a watch. */
export const CALL_DIRECTION = { TO_WATCH: 'TO_WATCH', FROM_WATCH: 'FROM_WATCH' } as const;
export type CallDirection = (typeof CALL_DIRECTION)[keyof typeof CALL_DIRECTION];

/** A STUN or TURN server, as `RTCPeerConnection` takes it. */
export interface IceServer {
  urls: string[];
  username?: string;
  credential?: string;
}

/** What one party's device needs for the picture: `iceServers` with `webrtc`, `url` and `token` with `livekit`. */
export interface CallJoin {
  iceServers?: IceServer[];
  url?: string;
  token?: string;
  /** Seconds for which token or credentials open something; a fresh one is had while the call goes on. */
  expiresIn: number;
}

/** A call as its parties see it. */
export interface CallStatus {
  callId: string;
  state: CallState;
  provider: VideoProviderName;
}

/** A call in the log. */
export interface CallLogEntry {
  callId: string;
  cid: string;
  did: number;
  /** The person of the two parties. */
  userId: string;
  direction: CallDirection;
  state: CallState;
  /** When it began to ring. Unix milliseconds. */
  started: number;
  /** Milliseconds for which the two could talk, so far if the call goes on; 0 for one that was not accepted. */
  duration: number;
}

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
