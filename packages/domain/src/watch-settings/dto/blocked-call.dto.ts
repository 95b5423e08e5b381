import { PageQueryDto } from '../../kernel/dto/page-query.dto.js';
import {
  AreaCodeField,
  UuidField,
  NestedListField,
  EnumField,
  DeviceIdQueryField,
  StringField,
  UnixMillisecondsField,
} from '../../kernel/dto/fields.js';
import { BLOCK_CAUSE, CALL_OUTCOME } from '../contracts/stranger-rule.js';
import type { BlockCause, CallOutcome } from '../contracts/stranger-rule.js';
import { CallerNumberField } from './stranger.dto.js';

const MAX_REPORTED = 100;

/** A call from somebody who is not among the contacts. */
export class ReportedCallDto {
  @UnixMillisecondsField({ description: 'By the clock of the watch' })
  time: number;

  @AreaCodeField({ optional: true })
  areaCode?: string;

  @CallerNumberField({ optional: true, description: 'Absent where the caller hid it' })
  phoneNumber?: string;

  @EnumField(CALL_OUTCOME, { description: 'ALLOWED uses up a number that was allowed once, and is not listed' })
  outcome: CallOutcome;

  @EnumField(BLOCK_CAUSE, { optional: true, description: 'Why it was blocked; STRANGER by default' })
  cause?: BlockCause;
}

export class BlockedCallReportDto {
  @NestedListField(() => ReportedCallDto, { minItems: 1, maxItems: MAX_REPORTED })
  calls: ReportedCallDto[];
}

export class BlockedCallDto {
  @UuidField()
  callId: string;

  @UnixMillisecondsField()
  time: number;

  @AreaCodeField({ nullable: true, description: 'With +' })
  areaCode: string | null;

  @CallerNumberField({ nullable: true, description: 'Null where the caller hid it' })
  phoneNumber: string | null;

  @EnumField(BLOCK_CAUSE)
  cause: BlockCause;
}

export class BlockedCallQueryDto extends PageQueryDto {
  @DeviceIdQueryField()
  did: number;
}

/** The newest first. */
export class BlockedCallListDto {
  @NestedListField(() => BlockedCallDto, { maxItems: 200 })
  items: BlockedCallDto[];

  @StringField({ nullable: true })
  nextCursor: string | null;
}
