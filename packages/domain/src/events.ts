import type { ChildReadEvents } from './privacy/contracts/child-read.js';
import type { AccountEvents } from './accounts/contracts/account.js';
import type { AccountDeletionEvents } from './privacy/contracts/account-deletion.js';
import type { ChildRulesEvents } from './watches/contracts/child-rules.js';
import type { ChildEvents } from './families/contracts/child.js';
import type { ContactEvents } from './families/contracts/contact.js';
import type { DataExportEvents } from './privacy/contracts/data-export.js';
import type { FamilyCloudEvents } from './family-cloud/contracts/family-cloud.events.js';
import type { FamilyEvents } from './families/contracts/family.js';
import type { FenceEvents } from './locations/contracts/fence.js';
import type { FirmwareEvents } from './watches/contracts/firmware.js';
import type { FriendEvents } from './families/contracts/friend.js';
import type { LocationEvents } from './locations/contracts/location.js';
import type { MessageEvents } from './messages/contracts/message.events.js';
import type { PaymentEvents } from './payments/contracts/payment.js';
import type { RemoteControlEvents } from './watches/contracts/remote-command.js';
import type { SmsEvents } from './sms/contracts/sms.js';
import type { SosEvents } from './sos/contracts/sos.js';
import type { WatchSettingsEvents } from './watches/contracts/settings-state.js';
import type { WatchEvents } from './watches/contracts/watch.js';

/** Every event that the apps exchange, with its payload. */
export interface DomainEvents
  extends
    AccountEvents,
    AccountDeletionEvents,
    ChildEvents,
    ChildReadEvents,
    ChildRulesEvents,
    ContactEvents,
    DataExportEvents,
    FamilyCloudEvents,
    FamilyEvents,
    FenceEvents,
    FirmwareEvents,
    FriendEvents,
    LocationEvents,
    MessageEvents,
    PaymentEvents,
    RemoteControlEvents,
    SmsEvents,
    SosEvents,
    WatchEvents,
    WatchSettingsEvents {}

export type DomainEventName = keyof DomainEvents;
