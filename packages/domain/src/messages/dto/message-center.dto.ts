import { ApiProperty } from '@nestjs/swagger';
import { PageQueryDto } from '../../kernel/dto/page-query.dto.js';
import {
  DeviceId,
  Flag,
  Id,
  Integer,
  NestedList,
  OneOf,
  Reference,
  Text,
  TextList,
  UnixMilliseconds,
} from '../../kernel/dto/fields.js';
import { CENTER_CATEGORY, CENTER_TYPE, SEVERITY } from '../contracts/message-center.js';
import type { CenterCategory, CenterParams, CenterType, Severity } from '../contracts/message-center.js';

const MAX_IDS = 200;

export class ListCenterMessagesDto extends PageQueryDto {
  @OneOf(CENTER_CATEGORY, { optional: true, description: 'Only messages of this category' })
  category?: CenterCategory;
}

/** A message of the centre. */
export class CenterMessageDto {
  @Id()
  messageId!: string;

  @OneOf(CENTER_CATEGORY)
  category!: CenterCategory;

  @OneOf(SEVERITY)
  severity!: Severity;

  @OneOf(CENTER_TYPE, { description: 'What happened; the text is the client’s' })
  type!: CenterType;

  @ApiProperty({
    type: 'object',
    additionalProperties: { oneOf: [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }], nullable: true },
    description: 'Ids and plain values to make the text from; which ones depends on the type',
    example: { battery: 18 },
  })
  params!: CenterParams;

  @Id({ nullable: true, description: 'Family it is about' })
  familyId!: string | null;

  @Id({ nullable: true, description: 'Child it is about' })
  cid!: string | null;

  @DeviceId({ nullable: true, description: 'Watch it is about' })
  did!: number | null;

  @UnixMilliseconds()
  time!: number;

  @Flag()
  read!: boolean;
}

export class CenterPageDto {
  @NestedList(() => CenterMessageDto, { maxItems: MAX_IDS })
  items!: CenterMessageDto[];

  @Text({ nullable: true, maxLength: 512 })
  nextCursor!: string | null;

  @Integer({ min: 0, description: 'Unread messages of all categories' })
  unread!: number;
}

/** Either single messages, or one and everything that is older. */
export class ReadCenterMessagesDto {
  @TextList({ optional: true, minItems: 1, maxItems: MAX_IDS, maxLength: 128, description: 'These messages' })
  messageIds?: string[];

  @Reference({ optional: true, description: 'This message and all before it' })
  through?: string;
}

export class DeleteCenterMessagesDto {
  @TextList({ minItems: 1, maxItems: MAX_IDS, maxLength: 128 })
  messageIds!: string[];
}

export class CenterUnreadDto {
  @Integer({ min: 0, description: 'Messages of the centre that are unread now' })
  unread!: number;
}
