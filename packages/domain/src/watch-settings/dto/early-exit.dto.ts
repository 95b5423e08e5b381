import { PageQueryDto } from '../../kernel/dto/page-query.dto.js';
import {
  UuidField,
  NestedListField,
  DeviceIdQueryField,
  ReferenceField,
  StringField,
  UnixMillisecondsField,
} from '../../kernel/dto/fields.js';

const MAX_REPORTED_EXITS = 100;

/** The child ended school mode on the watch before the end of the school time. */
export class ReportedEarlyExitDto {
  @UnixMillisecondsField({ description: "By the watch's clock" })
  time: number;

  @ReferenceField({ optional: true, description: 'The school time that was active' })
  schoolTimeId?: string;
}

export class EarlyExitReportDto {
  @NestedListField(() => ReportedEarlyExitDto, { minItems: 1, maxItems: MAX_REPORTED_EXITS })
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

/** Early exits, newest first. */
export class EarlyExitListDto {
  @NestedListField(() => EarlyExitDto, { maxItems: 200 })
  items: EarlyExitDto[];

  @StringField({ nullable: true, description: '`cursor` of the next page; null on the last one' })
  nextCursor: string | null;
}
