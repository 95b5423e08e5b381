import { StepUpDto, StepUpField } from '../../accounts/dto/profile.dto.js';
import type { IdentityType } from '../../families/contracts/contact.js';
import { IdentityTypeField } from '../../families/dto/contact.dto.js';
import { MAX_PAGE_LIMIT } from '../../kernel/contracts/pagination.js';
import { PageQueryDto } from '../../kernel/dto/page-query.dto.js';
import {
  DeviceIdField,
  BooleanField,
  IntegerField,
  NestedListField,
  DeviceIdQueryField,
  ReferenceField,
  StringField,
  UnixMillisecondsField,
  NameField,
  MAX_ACCEPTED_INT64,
} from '../../kernel/dto/fields.js';

/** Documents the field `stepTotal` of heartbeats, reports and watches. */
export const STEP_TOTAL_DESCRIPTION =
  'Steps that the watch has counted since its enrolment or the last reset of its counter. Not the steps of today: the ' +
  'service computes those from the increase, in the time zone of the child. A watch that enrols starts at 0; a smaller ' +
  'value than the last one means that the counter was reset, for example by a restart';

export class DeviceQueryDto {
  @DeviceIdQueryField()
  did: number;
}

/** A bound watch as returned to members of the family. A status value of `null` is unknown, not 0. */
export class WatchDto {
  @DeviceIdField()
  did: number;

  @ReferenceField({ description: 'The child that the watch is bound to' })
  cid: string;

  @ReferenceField()
  familyId: string;

  @StringField({ example: 'W7 Kids' })
  model: string;

  @StringField({ example: '2.4.1' })
  firmwareVersion: string;

  @UnixMillisecondsField()
  boundAt: number;

  @BooleanField({
    nullable: true,
    description:
      'True if the watch sent something within twice the heartbeat interval; null if the watch never connected',
  })
  online: boolean | null;

  @UnixMillisecondsField({ nullable: true, description: 'Time of the last message from the watch' })
  lastSeen: number | null;

  @IntegerField({ nullable: true, example: 83, description: 'Battery level in per cent' })
  battery: number | null;

  @BooleanField({ nullable: true })
  charging: boolean | null;

  @BooleanField({ nullable: true, description: 'True if the watch is on the wrist' })
  worn: boolean | null;

  @IntegerField({ nullable: true, example: 3, description: 'Signal level, at most `signalMax`' })
  signal: number | null;

  @IntegerField({ nullable: true, example: 4, description: 'Highest signal level of the watch' })
  signalMax: number | null;

  @IntegerField({ nullable: true, example: 18_254, description: STEP_TOTAL_DESCRIPTION })
  stepTotal: number | null;
}

export class WatchListDto {
  @NestedListField(() => WatchDto, { maxItems: 1_000 })
  items: WatchDto[];

  @StringField({ nullable: true, description: '`cursor` of the next page; null on the last page' })
  nextCursor: string | null;
}

export class BindCodeDto {
  @StringField({
    example: 'Qm9sZWx5LXNlY3JldC1pZA',
    description: '128 random bits, which the watch shows as a QR code',
  })
  bindCode: string;

  @StringField({ example: '042917', description: 'Six digits, which the watch also shows' })
  confirmCode: string;

  @IntegerField({ min: 1, example: 300, description: 'Seconds until both codes expire' })
  expiresIn: number;
}

export class BindRequestDto {
  @StringField({ minLength: 1, maxLength: 64, example: 'Qm9sZWx5LXNlY3JldC1pZA' })
  bindCode: string;

  @StringField({ minLength: 1, maxLength: 16, example: '042917' })
  confirmCode: string;

  @ReferenceField({ example: '0b2f6f0e-6d0e-4a53-9a3e-0f3ac7d1c0de' })
  cid: string;

  @NameField({ optional: true, example: 'Mama', description: 'What the child calls the owner' })
  appellation?: string;

  @IdentityTypeField({ optional: true, description: 'Relation of the owner to the child' })
  identityType?: IdentityType;
}

export class BoundDto {
  @DeviceIdField()
  did: number;
}

export class UnbindRequestDto {
  @DeviceIdField()
  did: number;

  @StepUpField('If omitted, the request fails with STEP_UP_REQUIRED')
  stepUp?: StepUpDto;
}

export class StepDaysQueryDto extends PageQueryDto {
  @ReferenceField({ example: '6f1f7a52-9d0a-4b0e-8f2b-0c6f1a9e7d31' })
  cid: string;
}

export class StepDayDto {
  @StringField({ example: '2026-10-01', description: "Date in the child's time zone" })
  day: string;

  @IntegerField({ min: 0, max: 2_147_483_647, example: 6_412 })
  steps: number;
}

export class StepDaysDto {
  @IntegerField({ nullable: true, min: 1, example: 8_000, description: 'Goal of steps per day; null: no goal' })
  stepGoal: number | null;

  @NestedListField(() => StepDayDto, { maxItems: MAX_PAGE_LIMIT })
  items: StepDayDto[];

  @StringField({ nullable: true, description: '`cursor` of the next page; null on the last page' })
  nextCursor: string | null;
}

export class StepsReportDto {
  @IntegerField({
    min: 0,
    max: MAX_ACCEPTED_INT64,
    example: 18_254,
    description: STEP_TOTAL_DESCRIPTION,
  })
  stepTotal: number;
}
