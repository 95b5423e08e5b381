import {
  DeviceIdField,
  BooleanField,
  IntegerField,
  NestedListField,
  EnumField,
  DeviceIdQueryField,
  ReferenceField,
  StringField,
  UnixMillisecondsField,
} from '../../kernel/dto/fields.js';
import { FRIEND_REQUEST_STATE } from '../../messages/contracts/watch-notices.js';
import type { FriendRequestState } from '../../messages/contracts/watch-notices.js';

export class FriendCodeDto {
  @StringField({
    example: '7KQ2M9XW4R',
    description: 'Ten characters, as text and as QR; shown to a child who is there',
  })
  friendCode: string;

  @IntegerField({ min: 1, example: 300, description: 'Seconds' })
  expiresIn: number;
}

export class FriendListQueryDto {
  @DeviceIdQueryField()
  did: number;
}

export class ApplyFriendDto {
  @DeviceIdField({ description: 'The watch of the child that wants the friend' })
  did: number;

  @StringField({ minLength: 1, maxLength: 32, example: '7KQ2M9XW4R', description: 'What the other watch shows' })
  friendCode: string;
}

export class FriendReferenceDto {
  @DeviceIdField({ description: "The own child's watch" })
  did: number;

  @ReferenceField({ description: 'Of the application, and of the friendship that came of it' })
  applicationId: string;
}

/** Another child in view of this one: a friend, somebody who may become one, or somebody who is kept out. */
export class FriendDto {
  @ReferenceField({ example: '5a1f3b52-6df4-4a8d-a0a6-6a1a1d8f7e11' })
  applicationId: string;

  @EnumField(FRIEND_REQUEST_STATE, {
    description:
      'APPLIED: the family of the child that applied has yet to agree; CONFIRMED: the other family has; ACCEPTED: friends',
  })
  state: FriendRequestState;

  @BooleanField({ description: 'The own child applied' })
  applied: boolean;

  @BooleanField({ description: 'The own family rejected or blocked the other child' })
  keptOut: boolean;

  @StringField({ example: 'Leo', description: "The other child's name" })
  name: string;

  @DeviceIdField({ nullable: true, description: "The other child's watch, null while there is none" })
  friendDid: number | null;

  @UnixMillisecondsField({ description: 'When the state last changed' })
  changedAt: number;
}

/** There are few, so one page holds them all. */
export class FriendListDto {
  @NestedListField(() => FriendDto, { maxItems: 10_000 })
  items: FriendDto[];

  @StringField({ nullable: true })
  nextCursor: string | null;
}
