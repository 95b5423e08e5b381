import { MAX_PAGE_LIMIT } from '../../kernel/contracts/pagination.js';
import {
  BooleanField,
  UuidField,
  NestedListField,
  EnumField,
  ReferenceField,
  StringField,
  UnixMillisecondsField,
} from '../../kernel/dto/fields.js';
import { PageQueryDto } from '../../kernel/dto/page-query.dto.js';
import { FENCE_EVENT_TYPE } from '../contracts/fence.js';
import type { FenceEventType } from '../contracts/fence.js';

export class FenceEventListQueryDto extends PageQueryDto {
  @ReferenceField({ example: '0b2f6f0e-6d0e-4a53-9a3e-0f3ac7d1c0de' })
  cid: string;
}

/** An event of a fence. */
export class FenceEventDto {
  @UuidField()
  fenceEventId: string;

  @UuidField({ description: 'The fence may have been deleted since' })
  fenceId: string;

  @StringField({ example: 'School', description: 'Name of the fence at the time of the event' })
  fenceName: string;

  @EnumField(FENCE_EVENT_TYPE)
  type: FenceEventType;

  @UnixMillisecondsField({ description: 'When the child was there, or the deadline of the attendance window' })
  time: number;

  @BooleanField({ description: 'True if the event was detected long after its time' })
  late: boolean;
}

export class FenceEventListDto {
  @NestedListField(() => FenceEventDto, { maxItems: MAX_PAGE_LIMIT, description: 'Newest first' })
  items: FenceEventDto[];

  @StringField({ nullable: true, description: '`cursor` of the next page; null on the last one' })
  nextCursor: string | null;
}
