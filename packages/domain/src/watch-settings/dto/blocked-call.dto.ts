import { PageQueryDto } from '../../kernel/dto/page-query.dto.js';
import { AreaCode, Id, NestedList, OneOf, QueryDeviceId, Text, UnixMilliseconds } from '../../kernel/dto/fields.js';
import { BLOCK_CAUSE, CALL_OUTCOME } from '../contracts/stranger-rule.js';
import type { BlockCause, CallOutcome } from '../contracts/stranger-rule.js';
import { CallerNumber } from './stranger.dto.js';

const MAX_REPORTED = 100;

/** A call from somebody who is not among the contacts. */
export class ReportedCallDto {
  @UnixMilliseconds({ description: 'By the clock of the watch' })
  time: number;

  @AreaCode({ optional: true })
  areaCode?: string;

  @CallerNumber({ optional: true, description: 'Absent where the caller hid it' })
  phoneNumber?: string;

  @OneOf(CALL_OUTCOME, { description: 'ALLOWED uses up a number that was allowed once, and is not listed' })
  outcome: CallOutcome;

  @OneOf(BLOCK_CAUSE, { optional: true, description: 'Why it was blocked; STRANGER by default' })
  cause?: BlockCause;
}

export class BlockedCallReportDto {
  @NestedList(() => ReportedCallDto, { minItems: 1, maxItems: MAX_REPORTED })
  calls: ReportedCallDto[];
}

export class BlockedCallDto {
  @Id()
  callId: string;

  @UnixMilliseconds()
  time: number;

  @AreaCode({ nullable: true, description: 'With +' })
  areaCode: string | null;

  @CallerNumber({ nullable: true, description: 'Null where the caller hid it' })
  phoneNumber: string | null;

  @OneOf(BLOCK_CAUSE)
  cause: BlockCause;
}

export class BlockedCallQueryDto extends PageQueryDto {
  @QueryDeviceId()
  did: number;
}

/** The newest first. */
export class BlockedCallListDto {
  @NestedList(() => BlockedCallDto, { maxItems: 200 })
  items: BlockedCallDto[];

  @Text({ nullable: true })
  nextCursor: string | null;
}
