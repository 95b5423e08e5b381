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
