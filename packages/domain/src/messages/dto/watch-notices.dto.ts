import { DeviceId, Id, Integer, OneOf, Text, UnixMilliseconds } from '../../kernel/dto/fields.js';
import type { PrincipalKey } from '../../kernel/contracts/principal.js';
import { FRIEND_APPLICATION_STATE } from '../contracts/watch-notices.js';
import type {
  AddFriendPayload,
  AskLocationPointPayload,
  FriendApplicationState,
  RemoteControlPayload,
  SettingsChangePayload,
} from '../contracts/watch-notices.js';
import { SETTINGS_STATE } from '../../watch-settings/contracts/settings-state.js';
import type { SettingsAnswer } from '../../watch-settings/contracts/settings-state.js';

/** AlarmClockChange-, SchoolDisableChange-, RejectStrangerChange- and DeviceSettingsChangeNoticeMessage. */
export class SettingsChangeDto implements SettingsChangePayload {
  @DeviceId()
  did: number;

  @Integer({ min: 0, description: 'Version of these settings after the change' })
  version: number;

  @OneOf(
    { APPLIED: SETTINGS_STATE.APPLIED, REJECTED: SETTINGS_STATE.REJECTED },
    {
      optional: true,
      description: 'To guardians: what the watch made of this version; absent while it has not answered',
    },
  )
  state?: SettingsAnswer['status'];
}

/** AddFriendNoticeMessage. */
export class AddFriendDto implements AddFriendPayload {
  @Id()
  applicationId: string;

  @DeviceId({ description: 'The watch that applied' })
  from: number;

  @OneOf(FRIEND_APPLICATION_STATE)
  state: FriendApplicationState;
}

/** AskLocationPointNoticeMessage. */
export class AskLocationPointDto implements AskLocationPointPayload {
  @Id()
  askId: string;

  @Text({ example: 'user:6f1c2f0e-51c5-4a59-9d3e-1d5f7a3f6f0b', description: 'Who asks; the watch shows it' })
  by: PrincipalKey;

  @UnixMilliseconds()
  deadline: number;
}

/** RemoteControlShutdown-, RemoteControlReboot- and RemoteControlFindNoticeMessage. */
export class RemoteControlDto implements RemoteControlPayload {
  @Id()
  commandId: string;
}
