import type { MessageKind } from '../../messages/contracts/message-kinds.js';
import type { SettingsResource } from './watch-settings.events.js';

/**
 * The kind of notice that is sent when a resource has changed. The watch acknowledges the new version by acknowledging
 * this notice.
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
