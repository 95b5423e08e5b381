import type { PrincipalKey } from '../../kernel/contracts/principal.js';

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
