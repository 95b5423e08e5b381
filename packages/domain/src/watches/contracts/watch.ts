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
 * Parts of the texts that a watch signs (UTF-8) with its Ed25519 key. Each text starts with the name of its operation,
 * so that a signature for one operation is invalid for every other operation.
 */
export interface Challenge {
  /** URL of the service that issued the challenge; another service rejects the signature. */
  audience: string;
  nonce: string;
}

/** Returns the text that a watch signs to enrol: the signature proves possession of its key and claims the IMEI. */
export function enrolmentSigningPayload({ audience, nonce }: Challenge, imei: string): string {
  return `family-watch/enrol\n${audience}\n${nonce}\n${imei}`;
}

/** Returns the text that a watch signs to request a token: the signature proves possession of the enrolled key. */
export function tokenSigningPayload({ audience, nonce }: Challenge, did: number): string {
  return `family-watch/token\n${audience}\n${nonce}\n${did}`;
}

/**
 * Returns the text that a manufacturer signs with its own Ed25519 key, to confirm that the watch with this IMEI has
 * this public key. The manufacturer signs once, in the factory, so the text contains neither audience nor nonce.
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

/**
 * Status reported by a watch. `null` means unknown, not 0. `battery`: per cent. `worn`: the watch is on the wrist.
 * `stepTotal`: step counter since enrolment or reset.
 */
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

/**
 * Events `userctx.*` have the key `familyId`; events `gateway.*` have the key `watch:<did>`. `time`: Unix milliseconds.
 */
export interface WatchEvents {
  'userctx.watch.bound': BindingEventPayload;
  'userctx.watch.unbound': BindingEventPayload;
  /** The lost mode of a bound watch started or ended. */
  'userctx.watch.lost-mode-changed': BindingEventPayload & { lost: boolean };
  'gateway.watch.status-reported': WatchStatus & { did: number; time: number };
  'gateway.watch.started': { did: number; time: number; cause: WatchStartCause };
  'gateway.watch.shut-down': { did: number; time: number; cause: WatchShutdownCause };
  /**
   * The watch came online by connecting, or counts as offline because it sent nothing for twice the heartbeat interval.
   * `lastSeen`: time of the last message from the watch, Unix milliseconds.
   */
  'gateway.watch.presence-changed': { did: number; online: boolean; time: number; lastSeen: number };
}
