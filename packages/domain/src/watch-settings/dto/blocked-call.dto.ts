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

const MAX_REPORTED_CALLS = 100;

/** A call from a number that belongs to no contact. */
export class ReportedCallDto {
  @UnixMillisecondsField({ description: "By the watch's clock" })
  time: number;

  @AreaCodeField({ optional: true })
  areaCode?: string;

  @CallerNumberField({ optional: true, description: 'Omitted if the caller withheld it' })
  phoneNumber?: string;

  @EnumField(CALL_OUTCOME, { description: 'ALLOWED removes a number that was allowed once; such calls are not listed' })
  outcome: CallOutcome;

  @EnumField(BLOCK_CAUSE, { optional: true, description: 'Why it was blocked; default: STRANGER' })
  cause?: BlockCause;
}

export class BlockedCallReportDto {
  @NestedListField(() => ReportedCallDto, { minItems: 1, maxItems: MAX_REPORTED_CALLS })
  calls: ReportedCallDto[];
}

export class BlockedCallDto {
  @UuidField()
  callId: string;

  @UnixMillisecondsField()
  time: number;

  @AreaCodeField({ nullable: true, description: 'Country calling code, with +' })
  areaCode: string | null;

  @CallerNumberField({ nullable: true, description: 'null if the caller withheld it' })
  phoneNumber: string | null;

  @EnumField(BLOCK_CAUSE)
  cause: BlockCause;
}

export class BlockedCallQueryDto extends PageQueryDto {
  @DeviceIdQueryField()
  did: number;
}

/** Blocked calls, newest first. */
export class BlockedCallListDto {
  @NestedListField(() => BlockedCallDto, { maxItems: 200 })
  items: BlockedCallDto[];

  @StringField({ nullable: true, description: '`cursor` of the next page; null on the last one' })
  nextCursor: string | null;
}
