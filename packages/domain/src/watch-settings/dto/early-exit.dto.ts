import { PageQueryDto } from '../../kernel/dto/page-query.dto.js';
import { Id, NestedList, QueryDeviceId, Reference, Text, UnixMilliseconds } from '../../kernel/dto/fields.js';

const MAX_REPORTED = 100;

/** The child ended the school mode of the watch before its time. */
export class ReportedEarlyExitDto {
  @UnixMilliseconds({ description: 'By the clock of the watch' })
  time: number;

  @Reference({ optional: true, description: 'Which school time it was' })
  schoolTimeId?: string;
}

export class EarlyExitReportDto {
  @NestedList(() => ReportedEarlyExitDto, { minItems: 1, maxItems: MAX_REPORTED })
  exits: ReportedEarlyExitDto[];
}

export class EarlyExitDto {
  @Id()
  exitId: string;

  @UnixMilliseconds()
  time: number;

  @Text({ nullable: true })
  schoolTimeId: string | null;
}

export class EarlyExitQueryDto extends PageQueryDto {
  @QueryDeviceId()
  did: number;
}

/** The newest first. */
export class EarlyExitListDto {
  @NestedList(() => EarlyExitDto, { maxItems: 200 })
  items: EarlyExitDto[];

  @Text({ nullable: true })
  nextCursor: string | null;
}
