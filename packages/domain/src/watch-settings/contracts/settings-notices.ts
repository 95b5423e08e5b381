import type { MessageKind } from '../../messages/contracts/message-kinds.js';
import type { SettingsResource } from './watch-settings.events.js';

/** The notice that is sent when a resource has changed. The watch acknowledges the version with that message. */
export const SETTINGS_NOTICE = {
  ALARM_CLOCK: 'AlarmClockChangeNoticeMessage',
  SCHOOL_DISABLE: 'SchoolDisableChangeNoticeMessage',
  REJECT_STRANGER: 'RejectStrangerChangeNoticeMessage',
  DEVICE: 'DeviceSettingsChangeNoticeMessage',
} as const satisfies Record<SettingsResource, MessageKind>;

/** Returns the resource that messages of this kind are about, if any. */
export function resourceOfNotice(kind: MessageKind): SettingsResource | undefined {
  const resources = Object.keys(SETTINGS_NOTICE) as SettingsResource[];
  return resources.find((resource) => SETTINGS_NOTICE[resource] === kind);
}
