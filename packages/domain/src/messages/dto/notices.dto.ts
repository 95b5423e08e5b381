import { CONTACT_CHANGE, type ContactChange } from '../../families/contracts/contact.js';
import type { PrincipalKey } from '../../kernel/contracts/principal.js';
import {
  DeviceIdField,
  EnumField,
  ReferenceField,
  StringField,
  IntegerField,
  UuidField,
  UnixMillisecondsField,
} from '../../kernel/dto/fields.js';
import { SETTINGS_STATE, type SettingsAck } from '../../watches/contracts/settings-state.js';
import { CONVERSATION_CHANGE, type ConversationChange, type ConversationChangePayload } from '../contracts/chat.js';
import {
  CENTER_CATEGORY,
  SEVERITY,
  type CenterCategory,
  type MessageCenterChangePayload,
  type Severity,
} from '../contracts/message-center.js';
import {
  BIND_STATE,
  FRIEND_REQUEST_STATE,
  type BindState,
  type DeviceBindStateChangePayload,
  type ContactsChangePayload,
  type AddFriendPayload,
  type AskLocationPointPayload,
  type FriendRequestState,
  type RemoteControlPayload,
  type SettingsChangePayload,
} from '../contracts/payloads.js';
import { UnreadCountField } from './message-center.dto.js';

/** DeviceBindStateChangeNoticeMessage. */
export class DeviceBindStateChangeDto implements DeviceBindStateChangePayload {
  @DeviceIdField()
  did: number;

  @ReferenceField({ description: 'The child that the watch was bound to or unbound from' })
  cid: string;

  @EnumField(BIND_STATE, {
    description: 'LOST: the watch is in lost mode; BOUND: it was bound, or the lost mode ended',
  })
  state: BindState;

  @StringField({
    example: 'user:6f1c2f0e-51c5-4a59-9d3e-1d5f7a3f6f0b',
    description: 'Principal that bound or unbound the watch, or changed its lost mode',
  })
  by: PrincipalKey;
}

/** ContactsChangeNoticeMessage. */
export class ContactsChangeDto implements ContactsChangePayload {
  @DeviceIdField({ nullable: true, description: 'The watch; null, only for CHILD_UPDATED, if the child has no watch' })
  did: number | null;

  @IntegerField({ min: 0, description: 'Version of the contact list after the change' })
  version: number;

  @EnumField(CONTACT_CHANGE, {
    description:
      'CHILD_UPDATED: name, picture, time zone or step goal of the child changed; a member fetches child/get and ' +
      'conversation/list again, the watch userctx/watch/child/detail',
  })
  change: ContactChange;

  @ReferenceField({ description: 'The changed contact; for CHILD_UPDATED the `cid`' })
  refId: string;
}

/** ConversationChangeNoticeMessage. */
export class ConversationChangeDto implements ConversationChangePayload {
  @ReferenceField()
  conversationId: string;

  @EnumField(CONVERSATION_CHANGE)
  change: ConversationChange;

  @ReferenceField({ optional: true, description: 'The recalled message' })
  messageId?: string;
}

/** MessageCenterChangeNoticeMessage. */
export class MessageCenterChangeDto implements MessageCenterChangePayload {
  @EnumField(CENTER_CATEGORY)
  category: CenterCategory;

  @EnumField(SEVERITY)
  severity: Severity;

  @UuidField({ description: 'The center message' })
  messageId: string;

  @UnreadCountField('Number of unread center messages, including this message')
  unread: number;
}

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
      description: 'Sent to guardians only: outcome on the watch; absent until the watch has acknowledged this version',
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

  @StringField({
    example: 'user:6f1c2f0e-51c5-4a59-9d3e-1d5f7a3f6f0b',
    description: 'Principal that requests the location; the watch shows who it is',
  })
  by: PrincipalKey;

  @UnixMillisecondsField()
  deadline: number;
}

/** RemoteControlShutdown-, RemoteControlReboot- and RemoteControlFindNoticeMessage. */
export class RemoteControlDto implements RemoteControlPayload {
  @UuidField()
  commandId: string;
}
