import { PageQueryDto } from '../../kernel/dto/page-query.dto.js';
import {
  UuidField,
  NestedListField,
  DeviceIdQueryField,
  ReferenceField,
  StringField,
  UnixMillisecondsField,
} from '../../kernel/dto/fields.js';

const MAX_REPORTED = 100;

/** The child ended the school mode of the watch before its time. */
export class ReportedEarlyExitDto {
  @UnixMillisecondsField({ description: 'By the clock of the watch' })
  time: number;

  @ReferenceField({ optional: true, description: 'Which school time it was' })
  schoolTimeId?: string;
}

export class EarlyExitReportDto {
  @NestedListField(() => ReportedEarlyExitDto, { minItems: 1, maxItems: MAX_REPORTED })
  exits: ReportedEarlyExitDto[];
}

export class EarlyExitDto {
  @UuidField()
  exitId: string;

  @UnixMillisecondsField()
  time: number;

  @StringField({ nullable: true })
  schoolTimeId: string | null;
}

export class EarlyExitQueryDto extends PageQueryDto {
  @DeviceIdQueryField()
  did: number;
}

/** The newest first. */
export class EarlyExitListDto {
  @NestedListField(() => EarlyExitDto, { maxItems: 200 })
  items: EarlyExitDto[];

  @StringField({ nullable: true })
  nextCursor: string | null;
}
