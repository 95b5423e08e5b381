import type { PrincipalKey } from '../../kernel/contracts/principal.js';
import type { SettingsAck } from './settings-state.js';

/** Resources of a child's watch that are versioned and fetched separately. */
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
