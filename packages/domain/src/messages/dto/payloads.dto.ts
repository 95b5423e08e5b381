import type { PrincipalKey } from '../../kernel/contracts/principal.js';
import {
  BooleanField,
  IntegerField,
  StringField,
  EnumField,
  ReferenceField,
  UuidField,
  DeviceIdField,
  NestedField,
  NestedListField,
  UnixMillisecondsField,
  WatchTimeField,
} from '../../kernel/dto/fields.js';
import { ErrorDetailDto } from '../../kernel/dto/rejected-parts.dto.js';
import type { Location } from '../../locations/contracts/location.js';
import { LocationPointDto, PointResultDto, ReportedPointsField } from '../../locations/dto/location.dto.js';
import {
  WATCH_SHUTDOWN_CAUSE,
  WATCH_START_CAUSE,
  type WatchShutdownCause,
  type WatchStartCause,
} from '../../watches/contracts/watch.js';
import { STEP_TOTAL_DESCRIPTION } from '../../watches/dto/watch.dto.js';
import {
  MESSAGE_STATUS,
  RECEIPT_STATUS,
  type HeartbeatPayload,
  type HeartbeatResult,
  type AckPayload,
  type MessageStatus,
  type ReceiptPayload,
  type ReceiptStatus,
  type LocationChangePayload,
  type LocationReportPayload,
  type WatchShutdownPayload,
  type WatchShutdownReport,
  type WatchStartupPayload,
  type WatchStartupReport,
} from '../contracts/payloads.js';

const OPTIONAL_OR_NULL = { optional: true, nullable: true } as const;

/**
 * HeartbeatMessage. Phones send `{}`. Fields that a watch omits or sends as `null` are unknown. Each field is validated
 * separately: an invalid one is unknown too, because the heartbeat proves that the watch is connected.
 */
export class HeartbeatDto implements HeartbeatPayload {
  @IntegerField({ ...OPTIONAL_OR_NULL, min: 0, max: 100, example: 82, description: 'Battery level in per cent' })
  battery?: number | null;

  @BooleanField({ ...OPTIONAL_OR_NULL, example: false })
  charging?: boolean | null;

  @BooleanField({ ...OPTIONAL_OR_NULL, example: true, description: 'True if the watch is on the wrist' })
  worn?: boolean | null;

  @IntegerField({
    ...OPTIONAL_OR_NULL,
    min: 0,
    max: 1_000,
    example: 3,
    description: 'Signal level; one above `signalMax` counts as `signalMax`',
  })
  signal?: number | null;

  @IntegerField({
    ...OPTIONAL_OR_NULL,
    min: 0,
    max: 1_000,
    example: 4,
    description: 'Highest signal level of the watch',
  })
  signalMax?: number | null;

  @IntegerField({
    ...OPTIONAL_OR_NULL,
    min: 0,
    max: 2_147_483_647,
    example: 4_211,
    description: STEP_TOTAL_DESCRIPTION,
  })
  stepTotal?: number | null;

  @StringField({ ...OPTIONAL_OR_NULL, minLength: 1, maxLength: 64, example: '1.4.2' })
  firmwareVersion?: string | null;
}

/** Response to a heartbeat. */
export class HeartbeatResultDto implements HeartbeatResult {
  @NestedListField(() => ErrorDetailDto, {
    optional: true,
    maxItems: 100,
    description: 'Violated rules of the fields that were dropped; omitted if all fields are valid',
  })
  rejected?: ErrorDetailDto[];
}

/** Event `token`: a new access token for the same session. */
export class TokenRenewalDto {
  @StringField({ minLength: 1, maxLength: 2_048 })
  token: string;
}

/** AckMessage from a client: either `seq`, or `messageId` with `status`. */
export class AckDto implements AckPayload {
  @IntegerField({
    optional: true,
    min: 0,
    example: 1_204,
    description: 'The session of this connection has received all durable messages up to this sequence number',
  })
  seq?: number;

  @ReferenceField({ optional: true, description: 'The message that `status` refers to' })
  messageId?: string;

  @EnumField(MESSAGE_STATUS, { optional: true })
  status?: MessageStatus;

  @IntegerField({ optional: true, min: 0, description: 'Version of the settings that the watch applied or rejected' })
  version?: number;

  @StringField({ optional: true, minLength: 1, maxLength: 64, description: 'Reason for REJECTED' })
  reason?: string;
}

/** AckMessage to the sender of chat messages, for `messageId` and all earlier messages of that sender. */
export class ReceiptDto implements ReceiptPayload {
  @ReferenceField()
  conversationId: string;

  @UuidField()
  messageId: string;

  @IntegerField({ min: 1 })
  conversationSeq: number;

  @EnumField(RECEIPT_STATUS)
  status: ReceiptStatus;

  @StringField({ example: 'watch:7312904418220331' })
  by: PrincipalKey;
}

const MAX_POINTS = 100;

/** LocationPointChangeMessage from a watch. */
export class LocationChangeReportDto implements LocationReportPayload {
  @ReportedPointsField({ maxItems: MAX_POINTS })
  points: unknown[];
}

/** Response to a location report, with one result per point. */
export class LocationChangeResponseDto {
  @NestedListField(() => PointResultDto, { maxItems: MAX_POINTS })
  points: PointResultDto[];
}

/** LocationPointChangeMessage to a guardian. */
export class LocationChangeDto implements LocationChangePayload {
  @DeviceIdField()
  did: number;

  @ReferenceField()
  cid: string;

  @NestedField(() => LocationPointDto)
  location: Location;
}

/** Causes of a shutdown that a watch can report. Only the service detects LOST_CONNECTION. */
const { LOST_CONNECTION: _, ...REPORTED_SHUTDOWN_CAUSE } = WATCH_SHUTDOWN_CAUSE;

const WATCH_CLOCK_TIME = {
  optional: true,
  description: "Time on the watch's clock, since 2015; omitted if the clock is not set",
} as const;

/** WristwatchStartupNoticeMessage from a watch. */
export class WatchStartupReportDto implements WatchStartupReport {
  @WatchTimeField(WATCH_CLOCK_TIME)
  time?: number;

  @EnumField(WATCH_START_CAUSE)
  cause: WatchStartCause;
}

/** WristwatchStartupNoticeMessage to a guardian. */
export class WatchStartupDto implements WatchStartupPayload {
  @DeviceIdField()
  did: number;

  @UnixMillisecondsField()
  time: number;

  @EnumField(WATCH_START_CAUSE)
  cause: WatchStartCause;
}

/** WristwatchShutdownNoticeMessage from a watch. */
export class WatchShutdownReportDto implements WatchShutdownReport {
  @WatchTimeField(WATCH_CLOCK_TIME)
  time?: number;

  @EnumField(REPORTED_SHUTDOWN_CAUSE)
  cause: WatchShutdownReport['cause'];
}

/** WristwatchShutdownNoticeMessage to a guardian. */
export class WatchShutdownDto implements WatchShutdownPayload {
  @DeviceIdField()
  did: number;

  @UnixMillisecondsField()
  time: number;

  @EnumField(WATCH_SHUTDOWN_CAUSE)
  cause: WatchShutdownCause;
}
