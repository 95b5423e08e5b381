/** What became of a resource at its newest version, as the watch that is bound now tells it. */
export const SETTINGS_STATE = { PENDING: 'PENDING', APPLIED: 'APPLIED', REJECTED: 'REJECTED' } as const;
export type SettingsState = (typeof SETTINGS_STATE)[keyof typeof SETTINGS_STATE];

/** What a watch says of one version of a resource. */
export interface SettingsAck {
  version: number;
  status: Exclude<SettingsState, 'PENDING'>;
  /** Why it was rejected, `null` where it was not said. */
  reason: string | null;
}

/** The newest answer of a watch, and the newest version that it applied (`null`: none since it was bound). */
export interface SettingsAckState extends SettingsAck {
  appliedVersion: number | null;
}

/** A resource as who changes it sees it. */
export interface SettingsStatus {
  /** Rises with every change of the resource; 0 while nothing was ever changed. */
  version: number;
  state: SettingsState;
  appliedVersion: number | null;
  reason: string | null;
}

/**
 * What is known of the watch after this answer. An answer about a version that does not exist, or older than one that
 * was answered already, changes nothing: messages may come late, and nobody can apply what was never there.
 */
export function applySettingsAck(
  before: SettingsAckState | null,
  answer: SettingsAck,
  version: number,
): SettingsAckState | null {
  if (answer.version < 1 || answer.version > version) return before;
  if (before && answer.version < before.version) return before;
  const applied = answer.status === SETTINGS_STATE.APPLIED;
  return {
    version: answer.version,
    status: answer.status,
    reason: applied ? null : answer.reason,
    appliedVersion: applied ? answer.version : (before?.appliedVersion ?? null),
  };
}

/** How the resource stands at this version. Of one that was never changed every watch has the defaults. */
export function toSettingsStatus(version: number, standing: SettingsAckState | null): SettingsStatus {
  if (version === 0) return { version, state: SETTINGS_STATE.APPLIED, appliedVersion: 0, reason: null };
  const appliedVersion = standing?.appliedVersion ?? null;
  if (standing?.version !== version) return { version, state: SETTINGS_STATE.PENDING, appliedVersion, reason: null };
  return { version, state: standing.status, appliedVersion, reason: standing.reason };
}
