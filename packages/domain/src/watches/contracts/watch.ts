import type { PrincipalKey } from '../../kernel/contracts/principal.js';

/** Returns true for an IMEI: 15 digits, the last one being the Luhn check digit (3GPP TS 23.003, annex B). */
export function isImei(text: string): boolean {
  if (!/^\d{15}$/.test(text)) return false;
  const sum = [...text].reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 1 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}

/**
 * Data for the texts that a watch signs with its Ed25519 key, as UTF-8. Each text starts with its purpose, so that a
 * signature for one operation is invalid for every other operation.
 */
export interface Challenge {
  /** URL of the service that issued the challenge; another service rejects the signature. */
  audience: string;
  nonce: string;
}

/** Returns the text whose signature proves possession of the key and claims this IMEI. */
export function enrolmentSigningPayload({ audience, nonce }: Challenge, imei: string): string {
  return `family-watch/enrol\n${audience}\n${nonce}\n${imei}`;
}

/** Returns the text whose signature proves possession of the watch's key when the watch requests a token. */
export function tokenSigningPayload({ audience, nonce }: Challenge, did: number): string {
  return `family-watch/token\n${audience}\n${nonce}\n${did}`;
}

/**
 * Returns the text by which a manufacturer confirms, with its own Ed25519 key, that the watch with this IMEI has this
 * key. The manufacturer signs the text once, in the factory, so the text contains neither audience nor nonce.
 */
export function manufacturerSigningPayload(imei: string, publicKey: string): string {
  return `family-watch/maker\n${imei}\n${publicKey}`;
}

interface BindingEventPayload {
  familyId: string;
  cid: string;
  did: number;
  by: PrincipalKey;
  /** Unix milliseconds. */
  time: number;
}

/** Status reported by a watch; `null` means unknown, not 0. */
export interface WatchStatus {
  battery: number | null;
  charging: boolean | null;
  worn: boolean | null;
  signal: number | null;
  signalMax: number | null;
  stepTotal: number | null;
  firmwareVersion: string | null;
}

export const WATCH_START_CAUSE = { USER: 'USER', REMOTE: 'REMOTE', BATTERY: 'BATTERY', UPDATE: 'UPDATE' } as const;
export type WatchStartCause = (typeof WATCH_START_CAUSE)[keyof typeof WATCH_START_CAUSE];

export const WATCH_SHUTDOWN_CAUSE = {
  USER: 'USER',
  REMOTE: 'REMOTE',
  BATTERY: 'BATTERY',
  LOST_CONNECTION: 'LOST_CONNECTION',
} as const;
export type WatchShutdownCause = (typeof WATCH_SHUTDOWN_CAUSE)[keyof typeof WATCH_SHUTDOWN_CAUSE];

/** The key of events `userctx.*` is `familyId`, and that of events `gateway.*` is `watch:<did>`. */
export interface WatchEvents {
  'userctx.watch.bound': BindingEventPayload;
  'userctx.watch.unbound': BindingEventPayload;
  'gateway.watch.status-reported': WatchStatus & { did: number; time: number };
  'gateway.watch.started': { did: number; time: number; cause: WatchStartCause };
  'gateway.watch.shut-down': { did: number; time: number; cause: WatchShutdownCause };
  /** The watch connected, or sent nothing for twice the heartbeat interval. `time`, `lastSeen`: Unix milliseconds. */
  'gateway.watch.presence-changed': { did: number; online: boolean; time: number; lastSeen: number };
}
