import { ApiProperty } from '@nestjs/swagger';
import { PageQueryDto } from '../../kernel/dto/page-query.dto.js';
import {
  DeviceIdField,
  BooleanField,
  UuidField,
  IntegerField,
  NestedListField,
  EnumField,
  ReferenceField,
  StringField,
  ReferenceListField,
  UnixMillisecondsField,
} from '../../kernel/dto/fields.js';
import {
  CENTER_CATEGORY,
  CENTER_MESSAGE_TYPE,
  MAX_UNREAD_COUNT,
  SEVERITY,
  type CenterCategory,
  type CenterMessageParams,
  type CenterMessageType,
  type Severity,
} from '../contracts/message-center.js';

const MAX_IDS_PER_REQUEST = 200;

/** Documents a number of unread center messages. */
export function UnreadCountField(description: string): PropertyDecorator {
  return IntegerField({
    min: 0,
    max: MAX_UNREAD_COUNT,
    description: `${description}; ${MAX_UNREAD_COUNT} means ${MAX_UNREAD_COUNT} or more`,
  });
}

export class ListCenterMessagesDto extends PageQueryDto {
  @EnumField(CENTER_CATEGORY, { optional: true, description: 'Only messages of this category' })
  category?: CenterCategory;
}

/** A center message. */
export class CenterMessageDto {
  @UuidField()
  messageId!: string;

  @EnumField(CENTER_CATEGORY)
  category!: CenterCategory;

  @EnumField(SEVERITY)
  severity!: Severity;

  @EnumField(CENTER_MESSAGE_TYPE, { description: 'What happened; the client creates the displayed text from it' })
  type!: CenterMessageType;

  @ApiProperty({
    type: 'object',
    additionalProperties: {
      oneOf: [{ type: 'string', nullable: true }, { type: 'number' }, { type: 'boolean' }],
    },
    description: 'Ids and plain values for the displayed text; their names depend on `type`',
    example: { battery: 18 },
  })
  params!: CenterMessageParams;

  @UuidField({ nullable: true, description: 'Family that the message is about' })
  familyId!: string | null;

  @UuidField({ nullable: true, description: 'Child that the message is about' })
  cid!: string | null;

  @DeviceIdField({ nullable: true, description: 'Watch that the message is about' })
  did!: number | null;

  @UnixMillisecondsField()
  time!: number;

  @BooleanField()
  read!: boolean;
}

export class CenterPageDto {
  @NestedListField(() => CenterMessageDto, { maxItems: MAX_IDS_PER_REQUEST })
  items!: CenterMessageDto[];

  @StringField({ nullable: true, maxLength: 512, description: '`cursor` of the next page; null on the last page' })
  nextCursor!: string | null;

  @UnreadCountField('Number of unread messages in all categories')
  unread!: number;
}

/** Marks messages as read: either the messages `messageIds`, or the message `through` and all older messages. */
export class ReadCenterMessagesDto {
  @ReferenceListField({
    optional: true,
    minItems: 1,
    maxItems: MAX_IDS_PER_REQUEST,
    description: 'Messages to mark as read',
  })
  messageIds?: string[];

  @ReferenceField({ optional: true, description: 'Marks this message and all older messages as read' })
  through?: string;
}

export class DeleteCenterMessagesDto {
  @ReferenceListField({ minItems: 1, maxItems: MAX_IDS_PER_REQUEST })
  messageIds!: string[];
}

export class CenterUnreadDto {
  @UnreadCountField('Number of unread center messages')
  unread!: number;
}
