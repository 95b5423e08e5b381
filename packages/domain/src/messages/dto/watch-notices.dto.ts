import {
  DeviceIdField,
  UuidField,
  IntegerField,
  EnumField,
  StringField,
  UnixMillisecondsField,
} from '../../kernel/dto/fields.js';
import type { PrincipalKey } from '../../kernel/contracts/principal.js';
import { FRIEND_REQUEST_STATE } from '../contracts/watch-notices.js';
import type {
  AddFriendPayload,
  AskLocationPointPayload,
  FriendRequestState,
  RemoteControlPayload,
  SettingsChangePayload,
} from '../contracts/watch-notices.js';
import { SETTINGS_STATE } from '../../watch-settings/contracts/settings-state.js';
import type { SettingsAck } from '../../watch-settings/contracts/settings-state.js';

/** AlarmClockChange-, SchoolDisableChange-, RejectStrangerChange- and DeviceSettingsChangeNoticeMessage. */
export class SettingsChangeDto implements SettingsChangePayload {
  @DeviceIdField()
  did: number;

  @IntegerField({ min: 0, description: 'Version of these settings after the change' })
  version: number;

  @EnumField(
    { APPLIED: SETTINGS_STATE.APPLIED, REJECTED: SETTINGS_STATE.REJECTED },
    {
      optional: true,
      description: 'Sent to guardians: outcome on the watch; absent until the watch has acknowledged',
    },
  )
  state?: SettingsAck['status'];
}

/** AddFriendNoticeMessage. */
export class AddFriendDto implements AddFriendPayload {
  @UuidField()
  applicationId: string;

  @DeviceIdField({ description: 'The watch that sent the request' })
  from: number;

  @EnumField(FRIEND_REQUEST_STATE)
  state: FriendRequestState;
}

/** AskLocationPointNoticeMessage. */
export class AskLocationPointDto implements AskLocationPointPayload {
  @UuidField()
  askId: string;

  @StringField({ example: 'user:6f1c2f0e-51c5-4a59-9d3e-1d5f7a3f6f0b', description: 'Requester; the watch shows it' })
  by: PrincipalKey;

  @UnixMillisecondsField()
  deadline: number;
}

/** RemoteControlShutdown-, RemoteControlReboot- and RemoteControlFindNoticeMessage. */
export class RemoteControlDto implements RemoteControlPayload {
  @UuidField()
  commandId: string;
}
