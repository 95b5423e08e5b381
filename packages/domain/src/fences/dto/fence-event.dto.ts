import { MAX_PAGE_LIMIT } from '../../kernel/contracts/pagination.js';
import { Flag, Id, NestedList, OneOf, Reference, Text, UnixMilliseconds } from '../../kernel/dto/fields.js';
import { PageQueryDto } from '../../kernel/dto/page-query.dto.js';
import { FENCE_EVENT_TYPE } from '../contracts/fence.js';
import type { FenceEventType } from '../contracts/fence.js';

export class FenceEventListQueryDto extends PageQueryDto {
  @Reference({ example: '0b2f6f0e-6d0e-4a53-9a3e-0f3ac7d1c0de' })
  cid: string;
}

/** Something that a fence told. */
export class FenceEventDto {
  @Id()
  fenceEventId: string;

  @Id({ description: 'It may have been deleted since' })
  fenceId: string;

  @Text({ example: 'School', description: 'The name of the fence at that time' })
  fenceName: string;

  @OneOf(FENCE_EVENT_TYPE)
  type: FenceEventType;

  @UnixMilliseconds({ description: 'When the child was there, or when the window said so' })
  time: number;

  @Flag({ description: 'It became known long after its time' })
  late: boolean;
}

export class FenceEventListDto {
  @NestedList(() => FenceEventDto, { maxItems: MAX_PAGE_LIMIT, description: 'The newest first' })
  items: FenceEventDto[];

  @Text({ nullable: true })
  nextCursor: string | null;
}
