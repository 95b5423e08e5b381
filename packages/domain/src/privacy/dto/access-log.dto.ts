import {
  EnumField,
  IntegerQueryField,
  NestedField,
  NestedListField,
  ReferenceField,
  StringField,
  UnixMillisecondsField,
  UuidField,
} from '../../kernel/dto/fields.js';
import { PageQueryDto } from '../../kernel/dto/page-query.dto.js';
import { CHILD_READ_KIND, VIEWER_TYPE, type ChildReadKind, type ViewerType } from '../contracts/child-read.js';

export class AccessLogQueryDto extends PageQueryDto {
  @ReferenceField({ example: '0b2f6f0e-6d0e-4a53-9a3e-0f3ac7d1c0de' })
  cid: string;

  @IntegerQueryField({ optional: true, min: 0, description: 'Only hours that begin at this time or later' })
  from?: number;

  @IntegerQueryField({ optional: true, min: 0, description: 'Only hours that begin before this time' })
  to?: number;
}

export class ViewerDto {
  @EnumField(VIEWER_TYPE)
  type: ViewerType;

  @UuidField({ description: '`userId` of the person, or `shareId` of the location share' })
  id: string;
}

/** A viewer saw data of the child at least once within an hour. */
export class AccessLogEntryDto {
  @NestedField(() => ViewerDto)
  viewer: ViewerDto;

  @EnumField(CHILD_READ_KIND)
  kind: ChildReadKind;

  @UnixMillisecondsField({ description: 'Start of the hour' })
  hour: number;
}

export class AccessLogPageDto {
  @NestedListField(() => AccessLogEntryDto, { maxItems: 200 })
  items: AccessLogEntryDto[];

  @StringField({ nullable: true, maxLength: 512, description: '`cursor` of the next page; null on the last page' })
  nextCursor: string | null;
}
