import {
  WatchBatteryEntity,
  AlertEntity,
  CenterRecipientEntity,
  CenterMessageEntity,
  NotifiedFamilyEntity,
} from '@family-watch/domain/messages/entities/center-message.entities';
import {
  ConversationEntity,
  ConversationMemberEntity,
  ConversationSourceEntity,
  ChatMessageEntity,
  ReceiptCursorEntity,
} from '@family-watch/domain/messages/entities/conversation.entities';
import {
  MailboxHeadEntity,
  SessionCursorEntity,
  EpochEntity,
  MailboxEntryEntity,
  MailboxChatEntryEntity,
} from '@family-watch/domain/messages/entities/mailbox.entities';
import {
  NodeEntity,
  ConnectionEntity,
  WatchPresenceEntity,
} from '@family-watch/domain/messages/entities/presence.entities';
import {
  FamilyProjectionEntity,
  FamilyPrincipalEntity,
  LatestLocationEntity,
  CloudContentProjectionEntity,
  ChildRulesProjectionEntity,
} from '@family-watch/domain/messages/entities/projections.entities';
import {
  PushTokenEntity,
  PushRequestEntity,
  PushKeyEntity,
} from '@family-watch/domain/messages/entities/push.entities';
import { VideoCallEntity } from '@family-watch/domain/messages/entities/video-call.entity';
import { AccountErasureEntity } from '@family-watch/domain/kernel/entities/account-erasure.entity';
import { eventBusEntities } from '@family-watch/domain/kernel/entities/event-bus.entities';
import { IdempotencyKeyEntity } from '@family-watch/domain/kernel/entities/idempotency-key.entity';

/** Entities of the gateway's database. */
export const gatewayEntities = [
  WatchBatteryEntity,
  AlertEntity,
  CenterRecipientEntity,
  CenterMessageEntity,
  NotifiedFamilyEntity,
  ConversationEntity,
  ConversationMemberEntity,
  ConversationSourceEntity,
  ChatMessageEntity,
  ReceiptCursorEntity,
  MailboxHeadEntity,
  SessionCursorEntity,
  EpochEntity,
  MailboxEntryEntity,
  MailboxChatEntryEntity,
  NodeEntity,
  ConnectionEntity,
  WatchPresenceEntity,
  FamilyProjectionEntity,
  FamilyPrincipalEntity,
  LatestLocationEntity,
  CloudContentProjectionEntity,
  ChildRulesProjectionEntity,
  PushTokenEntity,
  PushRequestEntity,
  PushKeyEntity,
  VideoCallEntity,
  ...eventBusEntities,
  IdempotencyKeyEntity,
  AccountErasureEntity,
];
