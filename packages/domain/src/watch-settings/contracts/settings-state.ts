import type { PrincipalKey } from '../../kernel/contracts/principal.js';
import type { MessageKind } from '../../messages/contracts/message-kinds.js';

/** Whether the currently bound watch has applied or rejected the newest version of a settings resource, or neither. */
export const SETTINGS_STATE = { PENDING: 'PENDING', APPLIED: 'APPLIED', REJECTED: 'REJECTED' } as const;
export type SettingsState = (typeof SETTINGS_STATE)[keyof typeof SETTINGS_STATE];

/** A watch's acknowledgement of one version of a settings resource. */
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

/** The newest version of a settings resource and its state on the watch, as returned to guardians. */
export interface SettingsStatus {
  /** Increases with every change of the resource; 0 for a resource that was never changed. */
  version: number;
  state: SettingsState;
  /** The newest version that the watch applied; `null` if it has applied none since it was bound. */
  appliedVersion: number | null;
  /** Why the watch rejected the newest version; `null` unless `state` is REJECTED. */
  reason: string | null;
}

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
export function toSettingsStatus(version: number, ackState: SettingsAckState | null): SettingsStatus {
  if (version === 0) return { version, state: SETTINGS_STATE.APPLIED, appliedVersion: 0, reason: null };
  const appliedVersion = ackState?.appliedVersion ?? null;
  if (ackState?.version !== version) return { version, state: SETTINGS_STATE.PENDING, appliedVersion, reason: null };
  return { version, state: ackState.status, appliedVersion, reason: ackState.reason };
}

/** Settings resources: parts of a watch's settings, each with its own version, which the watch fetches separately. */
export const SETTINGS_RESOURCE = {
  ALARM_CLOCK: 'ALARM_CLOCK',
  SCHOOL_DISABLE: 'SCHOOL_DISABLE',
  REJECT_STRANGER: 'REJECT_STRANGER',
  DEVICE: 'DEVICE',
} as const;
export type SettingsResource = (typeof SETTINGS_RESOURCE)[keyof typeof SETTINGS_RESOURCE];

/** Key: `familyId`. */
export interface WatchSettingsEvents {
  'userctx.watch-settings.changed': {
    familyId: string;
    cid: string;
    /** The child's watch (`did`); `null` while no watch is bound. */
    did: number | null;
    resource: SettingsResource;
    /** Version of this resource after the change. */
    version: number;
    by: PrincipalKey;
  };
  /** The child's watch applied or rejected the newest version. The event is not published for older versions. */
  'userctx.watch-settings.answered': {
    familyId: string;
    cid: string;
    did: number;
    resource: SettingsResource;
    version: number;
    state: SettingsAck['status'];
  };
}

/**
 * Message kind of the notice that is sent when a settings resource has changed. The watch acknowledges the new version
 * by acknowledging the notice.
 */
export const SETTINGS_NOTICE = {
  ALARM_CLOCK: 'AlarmClockChangeNoticeMessage',
  SCHOOL_DISABLE: 'SchoolDisableChangeNoticeMessage',
  REJECT_STRANGER: 'RejectStrangerChangeNoticeMessage',
  DEVICE: 'DeviceSettingsChangeNoticeMessage',
} as const satisfies Record<SettingsResource, MessageKind>;

/** Returns the resource whose changes a message kind announces; undefined for other message kinds. */
export function resourceOfNotice(kind: MessageKind): SettingsResource | undefined {
  const resources = Object.keys(SETTINGS_NOTICE) as SettingsResource[];
  return resources.find((resource) => SETTINGS_NOTICE[resource] === kind);
}
