import {
  SETTINGS_STATE,
  type SettingsAck,
  type SettingsAckState,
} from '@family-watch/domain/watches/contracts/settings-state';
import type { SettingsStatusDto } from '@family-watch/domain/watches/dto/settings-status.dto';

/**
 * Returns the state after an acknowledgement. `version`: the newest version of the resource. Acknowledgements of
 * unknown versions and of versions older than the last acknowledged version are ignored, because messages may arrive
 * late.
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
export function toSettingsStatus(version: number, ackState: SettingsAckState | null): SettingsStatusDto {
  if (version === 0) return { version, state: SETTINGS_STATE.APPLIED, appliedVersion: 0, reason: null };
  const appliedVersion = ackState?.appliedVersion ?? null;
  if (ackState?.version !== version) return { version, state: SETTINGS_STATE.PENDING, appliedVersion, reason: null };
  return { version, state: ackState.status, appliedVersion, reason: ackState.reason };
}
