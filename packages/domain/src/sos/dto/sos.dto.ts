import { ApiProperty } from '@nestjs/swagger';
import { Allow } from 'class-validator';
import {
  BooleanField,
  DeviceIdField,
  UuidField,
  IntegerField,
  NestedField,
  NestedListField,
  EnumField,
  ReferenceField,
  StringField,
  UnixMillisecondsField,
} from '../../kernel/dto/fields.js';
import { MAX_PAGE_LIMIT } from '../../kernel/contracts/pagination.js';
import type { PrincipalKey } from '../../kernel/contracts/principal.js';
import { PageQueryDto } from '../../kernel/dto/page-query.dto.js';
import { LocationPointDto } from '../../locations/dto/location.dto.js';
import { SOS_CHANNEL, SOS_STATE, MAX_SOS_STEPS_RETURNED, type SosChannel, type SosState } from '../contracts/sos.js';

/** The service validates time and location separately, because invalid values must not cause the SOS to be rejected. */
export class RaiseSosDto {
  @Allow()
  @ApiProperty({
    type: 'integer',
    format: 'int64',
    required: false,
    description:
      "Time on the watch's clock, Unix milliseconds. A repeated request with the same time is the same SOS. Omitted " +
      'if the clock is not set; ignored if it is invalid, more than a day ago or more than a minute ahead.',
    example: 1_790_000_000_000,
  })
  time?: unknown;

  @Allow()
  @ApiProperty({
    type: LocationPointDto,
    required: false,
    description:
      "Location of the child; the child's last location of the last 24 hours if it is omitted, invalid, near latitude 0 " +
      'and longitude 0, or too far from the last location for the time between them. A time in the future counts as the ' +
      'time of receipt.',
  })
  location?: unknown;
}

export class RaisedSosDto {
  @UuidField()
  sosId: string;

  @EnumField(SOS_STATE)
  state: SosState;
}

export class SosListQueryDto extends PageQueryDto {
  @ReferenceField({ example: '0b2f6f0e-6d0e-4a53-9a3e-0f3ac7d1c0de' })
  cid: string;
}

export class SosReferenceDto {
  @ReferenceField({ example: '0b2f6f0e-6d0e-4a53-9a3e-0f3ac7d1c0de' })
  cid: string;

  @ReferenceField({ example: '8e0e2a43-1d3d-4b57-9a44-0b0f4f2f6a10' })
  sosId: string;
}

/** An escalation step: a notification of one contact or of all contacts. */
export class SosStepDto {
  @IntegerField({ min: 0, description: 'Number of the step; 0: the notification when the SOS was raised' })
  step: number;

  @UnixMillisecondsField()
  at: number;

  @EnumField(SOS_CHANNEL, { description: 'APP: by socket and push' })
  channel: SosChannel;

  @UuidField({ nullable: true, description: 'The notified contact; null: all members who may receive alerts' })
  refId: string | null;

  @UuidField({
    nullable: true,
    description: 'Account of the notified contact; null if the contact has no account, or if `refId` is null',
  })
  userId: string | null;
}

/** An SOS as returned to guardians. */
export class SosDto {
  @UuidField()
  sosId: string;

  @DeviceIdField({ description: 'The watch that raised the SOS' })
  did: number;

  @EnumField(SOS_STATE)
  state: SosState;

  @UnixMillisecondsField()
  raisedAt: number;

  @UnixMillisecondsField({
    description: 'When the child last raised the SOS. An SOS that is not resolved can be raised again.',
  })
  lastRaisedAt: number;

  @NestedField(() => LocationPointDto, {
    nullable: true,
    description:
      "The last location that the watch sent when it raised the SOS. If it sent no credible one, the child's last " +
      'location of the 24 hours before; `positionTime` shows its age. Without such a last location, also a sent location ' +
      'that is not credible, at most as new as its receipt. null if there is none. Members with the permission ALERTS ' +
      'see it, also those without the permission LOCATION.',
  })
  location: LocationPointDto | null;

  @BooleanField({
    description: "True if `location` is the child's last location, because the watch sent no credible one with the SOS",
  })
  isLastLocation: boolean;

  @StringField({ nullable: true, description: 'Principal that acknowledged the SOS; null before the acknowledgement' })
  acknowledgedBy: PrincipalKey | null;

  @UnixMillisecondsField({ nullable: true })
  acknowledgedAt: number | null;

  @StringField({ nullable: true })
  resolvedBy: PrincipalKey | null;

  @UnixMillisecondsField({ nullable: true })
  resolvedAt: number | null;

  @UnixMillisecondsField({
    nullable: true,
    description: 'When the next contact is notified; null once the SOS is acknowledged or resolved',
  })
  nextStepAt: number | null;

  @NestedListField(() => SosStepDto, {
    maxItems: MAX_SOS_STEPS_RETURNED,
    description: 'The newest escalation steps, in time order',
  })
  steps: SosStepDto[];
}

export class SosListDto {
  @NestedListField(() => SosDto, { maxItems: MAX_PAGE_LIMIT, description: 'Newest first' })
  items: SosDto[];

  @StringField({ nullable: true, description: '`cursor` of the next page; null on the last page' })
  nextCursor: string | null;
}
