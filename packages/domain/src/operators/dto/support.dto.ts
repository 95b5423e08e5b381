import { FAMILY_ROLE, type FamilyRole } from '../../families/contracts/family-role.js';
import type { PrincipalKey } from '../../kernel/contracts/principal.js';
import {
  DeviceIdQueryField,
  EnumField,
  IntegerField,
  NestedField,
  NestedListField,
  ReferenceField,
  StringField,
  StringListField,
  UnixMillisecondsField,
  UuidField,
} from '../../kernel/dto/fields.js';
import { PUSH_SERVICE, type PushService, type SubscriptionCategory } from '../../messages/contracts/subscription.js';
import { MAX_DIAGNOSED_PRINCIPALS, MAX_DIAGNOSED_ROWS } from '../contracts/app-administration.js';

export class AccountReferenceDto {
  @ReferenceField({ description: "`userId` of the person's account" })
  userId!: string;
}

export class DeliveriesQueryDto {
  @ReferenceField({ optional: true, description: '`familyId`, which parents see in their app' })
  familyId?: string;

  @ReferenceField({ optional: true, description: "`userId` of the person's account" })
  userId?: string;

  @DeviceIdQueryField({ optional: true })
  did?: number;
}

/** An open connection. */
export class ConnectionStateDto {
  @StringField()
  sessionId!: string;

  @UuidField({ description: 'Process of the gateway that has the connection' })
  nodeId!: string;

  @UnixMillisecondsField()
  since!: number;
}

/** How far a session has acknowledged its mailbox. */
export class SessionStateDto {
  @StringField({ description: 'A watch has one session for all its tokens' })
  sessionId!: string;

  @IntegerField({ min: 0, description: 'Sequence number up to which the session has acknowledged the mailbox' })
  acknowledged!: number;

  @UnixMillisecondsField({ description: 'When the session last connected or acknowledged; up to a minute too early' })
  lastSeenAt!: number;

  @UnixMillisecondsField({
    nullable: true,
    description: 'When the oldest unacknowledged message that has not expired was stored; null if there is none',
  })
  oldestUnacknowledgedAt!: number | null;
}

/** A push token of a session, without the token. */
class PushRegistrationDto {
  @StringField()
  sessionId!: string;

  @EnumField(PUSH_SERVICE)
  service!: PushService;

  @UnixMillisecondsField()
  registeredAt!: number;
}

/** Notifications that wait until they are sent. */
export class PushQueueDto {
  @IntegerField({ min: 0, description: 'Notifications that wait until they are sent' })
  waiting!: number;

  @IntegerField({ min: 0, description: 'Highest number of attempts of a waiting notification' })
  attempts!: number;

  /** Null if no notification waits. */
  @UnixMillisecondsField({ nullable: true })
  nextAttemptAt!: number | null;
}

/** States and counts that show why a principal does not receive its messages, without any content. */
export class PrincipalDeliveryDto {
  @StringField({ example: 'user:5f0c6c9e-6b0a-4d0e-9f55-0d6f2a7c1b11' })
  principal!: PrincipalKey;

  @EnumField(FAMILY_ROLE, { nullable: true, description: 'Role of a person in the family; otherwise null' })
  role!: FamilyRole | null;

  @NestedListField(() => ConnectionStateDto, { maxItems: MAX_DIAGNOSED_ROWS, description: 'Open connections' })
  connections!: ConnectionStateDto[];

  /** 0 if the principal never received a message. */
  @IntegerField({ min: 0, description: 'Sequence number of the newest message in the mailbox' })
  mailboxHead!: number;

  @NestedListField(() => SessionStateDto, { maxItems: MAX_DIAGNOSED_ROWS, description: 'Last seen first' })
  sessions!: SessionStateDto[];

  @NestedListField(() => PushRegistrationDto, { maxItems: MAX_DIAGNOSED_ROWS })
  pushRegistrations!: PushRegistrationDto[];

  @NestedField(() => PushQueueDto)
  pushQueue!: PushQueueDto;

  @StringListField({
    maxItems: 20,
    description: 'Categories of which the person has disabled notifications',
    example: ['CHAT'],
  })
  pushDisabled!: SubscriptionCategory[];
}

/** Events of the family or the principals that a handler of the gateway has not processed. */
export class BlockedDeliveriesDto {
  @StringField({ example: 'gateway.families.store-snapshot' })
  handler!: string;

  /** Later events of the same key wait for these. */
  @IntegerField({ min: 0, description: 'Events in the retry queue; counts up to 1,000' })
  retries!: number;

  @IntegerField({ min: 0, description: 'Counts up to 1,000' })
  deadLetters!: number;
}

/** States and counts of deliveries, without contents, names, phone numbers and locations. */
export class DeliveriesDto {
  @UuidField({ nullable: true, description: 'The family; null for a person, and for an unbound watch' })
  familyId!: string | null;

  @NestedListField(() => PrincipalDeliveryDto, { maxItems: MAX_DIAGNOSED_PRINCIPALS })
  items!: PrincipalDeliveryDto[];

  @NestedListField(() => BlockedDeliveriesDto, {
    maxItems: 100,
    description: 'Handlers with unprocessed events of the family or the principals',
  })
  blocked!: BlockedDeliveriesDto[];

  @StringListField({
    maxItems: 20,
    nullable: true,
    description:
      'Projections of the family that may be outdated: deliveries that depend on them are withheld. Null on the ' +
      'command line of standalone.',
    example: [],
  })
  unknownProjections!: string[] | null;
}
