import type { MigrationInterface } from 'typeorm';
import { EventBus1790000001010 } from './1010-event-bus.migration.js';
import { Mailbox1790000001020 } from './1020-mailbox.migration.js';
import { Families1790000001030 } from './1030-families.migration.js';
import { Conversations1790000001040 } from './1040-conversations.migration.js';
import { ChatAround1790000001041 } from './1041-chat-around.migration.js';
import { MessageCenter1790000001050 } from './1050-message-center.migration.js';
import { Push1790000001051 } from './1051-push.migration.js';
import { VideoCalls1790000001060 } from './1060-video-calls.migration.js';
import { Presence1790000001070 } from './1070-presence.migration.js';
import { MailboxEchoes1790000001080 } from './1080-mailbox-echoes.migration.js';
import { MailboxKeys1790000001081 } from './1081-mailbox-keys.migration.js';
import { ChildRules1790000001090 } from './1090-child-rules.migration.js';
import { DeadLetterRecovery1790000001110 } from './1110-dead-letter-recovery.migration.js';
import { CloudContentFamily1790000001120 } from './1120-cloud-content-family.migration.js';
import { RestoredAt1790000001130 } from './1130-restored-at.migration.js';
import { AccountErasure1790000001140 } from './1140-account-erasure.migration.js';
import { ErasurePasses1790000001160 } from './1160-erasure-passes.migration.js';
import { MailboxChatEntries1790000001170 } from './1170-mailbox-chat-entries.migration.js';
import { UrgentPushes1790000001180 } from './1180-urgent-pushes.migration.js';
import { TimeZones1790000001190 } from './1190-time-zones.migration.js';
import { CallMedia1790000001200 } from './1200-call-media.migration.js';

/** Migrations in execution order. */
export const gatewayMigrations: readonly (new () => MigrationInterface)[] = [
  EventBus1790000001010,
  Mailbox1790000001020,
  Families1790000001030,
  Conversations1790000001040,
  ChatAround1790000001041,
  MessageCenter1790000001050,
  Push1790000001051,
  VideoCalls1790000001060,
  Presence1790000001070,
  MailboxEchoes1790000001080,
  MailboxKeys1790000001081,
  ChildRules1790000001090,
  DeadLetterRecovery1790000001110,
  CloudContentFamily1790000001120,
  RestoredAt1790000001130,
  AccountErasure1790000001140,
  ErasurePasses1790000001160,
  MailboxChatEntries1790000001170,
  UrgentPushes1790000001180,
  TimeZones1790000001190,
  CallMedia1790000001200,
];
