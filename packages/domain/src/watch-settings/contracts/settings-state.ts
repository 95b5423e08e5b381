/** State of a resource's newest version on the currently bound watch. */
export const SETTINGS_STATE = { PENDING: 'PENDING', APPLIED: 'APPLIED', REJECTED: 'REJECTED' } as const;
export type SettingsState = (typeof SETTINGS_STATE)[keyof typeof SETTINGS_STATE];

/** A watch's acknowledgement of one version of a resource. */
export interface SettingsAck {
  version: number;
  status: Exclude<SettingsState, 'PENDING'>;
  /** Why the watch rejected the version; `null` if not reported. */
  reason: string | null;
}

/**
 * The newest acknowledgement of a watch, and the newest version that the watch applied (`null` if the watch has applied
 * no version since it was bound).
 */
export interface SettingsAckState extends SettingsAck {
  appliedVersion: number | null;
}

/** The state of a resource, as returned to guardians. */
export interface SettingsStatus {
  /** Increases with every change of the resource; 0 for a resource that was never changed. */
  version: number;
  state: SettingsState;
  appliedVersion: number | null;
  reason: string | null;
}

/**
 * Returns the state after an acknowledgement. Acknowledgements of unknown versions and of versions older than the last
 * acknowledged version are ignored, because messages may arrive late.
 */
export function applySettingsAck(
  before: SettingsAckState | null,
  ack: SettingsAck,
  version: number,
): SettingsAckState | null {
  if (ack.version < 1 || ack.version > version) return before;
  if (before && ack.version < before.version) return before;
  const applied = ack.status === SETTINGS_STATE.APPLIED;
  return {
    version: ack.version,
    status: ack.status,
    reason: applied ? null : ack.reason,
    appliedVersion: applied ? ack.version : (before?.appliedVersion ?? null),
  };
}

/**
 * Returns the status of a resource at `version`. Version 0 counts as applied, because every watch starts with the
 * defaults.
 */
export function toSettingsStatus(version: number, ackState: SettingsAckState | null): SettingsStatus {
  if (version === 0) return { version, state: SETTINGS_STATE.APPLIED, appliedVersion: 0, reason: null };
  const appliedVersion = ackState?.appliedVersion ?? null;
  if (ackState?.version !== version) return { version, state: SETTINGS_STATE.PENDING, appliedVersion, reason: null };
  return { version, state: ackState.status, appliedVersion, reason: ackState.reason };
}
