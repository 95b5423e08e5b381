import type { AccountEvents } from './accounts/contracts/account.events.js';
import type { ChildRulesEvents } from './child-rules/contracts/child-rules.events.js';
import type { ChildEvents } from './children/contracts/child.events.js';
import type { ContactEvents } from './contacts/contracts/contact.events.js';
import type { FamilyCloudEvents } from './family-cloud/contracts/family-cloud.events.js';
import type { FamilyEvents } from './families/contracts/family.events.js';
import type { FenceEvents } from './fences/contracts/fence.events.js';
import type { FriendEvents } from './friends/contracts/friend.events.js';
import type { LocationEvents } from './locations/contracts/location.events.js';
import type { MessageEvents } from './messages/contracts/message.events.js';
import type { RemoteControlEvents } from './remote-control/contracts/remote-control.events.js';
import type { SosEvents } from './sos/contracts/sos.events.js';
import type { WatchSettingsEvents } from './watch-settings/contracts/watch-settings.events.js';
import type { WatchEvents } from './watches/contracts/watch.events.js';

/** Every event that the apps exchange, with its payload. */
export interface DomainEvents
  extends
    AccountEvents,
    ChildEvents,
    ChildRulesEvents,
    ContactEvents,
    FamilyCloudEvents,
    FamilyEvents,
    FenceEvents,
    FriendEvents,
    LocationEvents,
    MessageEvents,
    RemoteControlEvents,
    SosEvents,
    WatchEvents,
    WatchSettingsEvents {}

export type DomainEventName = keyof DomainEvents;
