import {
  DeviceId,
  Flag,
  Integer,
  NestedList,
  OneOf,
  QueryDeviceId,
  Reference,
  Text,
  UnixMilliseconds,
} from '../../kernel/dto/fields.js';
import { FRIEND_APPLICATION_STATE } from '../../messages/contracts/watch-notices.js';
import type { FriendApplicationState } from '../../messages/contracts/watch-notices.js';

export class FriendCodeDto {
  @Text({ example: '7KQ2M9XW4R', description: 'Ten characters, as text and as QR; shown to a child who is there' })
  friendCode: string;

  @Integer({ min: 1, example: 300, description: 'Seconds' })
  expiresIn: number;
}

export class FriendListQueryDto {
  @QueryDeviceId()
  did: number;
}

export class ApplyFriendDto {
  @DeviceId({ description: 'The watch of the child that wants the friend' })
  did: number;

  @Text({ minLength: 1, maxLength: 32, example: '7KQ2M9XW4R', description: 'What the other watch shows' })
  friendCode: string;
}

export class FriendReferenceDto {
  @DeviceId({ description: "The own child's watch" })
  did: number;

  @Reference({ description: 'Of the application, and of the friendship that came of it' })
  applicationId: string;
}

/** Another child in view of this one: a friend, somebody who may become one, or somebody who is kept out. */
export class FriendDto {
  @Reference({ example: '5a1f3b52-6df4-4a8d-a0a6-6a1a1d8f7e11' })
  applicationId: string;

  @OneOf(FRIEND_APPLICATION_STATE, {
    description:
      'APPLIED: the family of the child that applied has yet to agree; CONFIRMED: the other family has; ACCEPTED: friends',
  })
  state: FriendApplicationState;

  @Flag({ description: 'The own child applied' })
  applied: boolean;

  @Flag({ description: 'The own family rejected or blocked the other child' })
  keptOut: boolean;

  @Text({ example: 'Leo', description: "The other child's name" })
  name: string;

  @DeviceId({ nullable: true, description: "The other child's watch, null while there is none" })
  friendDid: number | null;

  @UnixMilliseconds({ description: 'When the state last changed' })
  changedAt: number;
}

/** There are few, so one page holds them all. */
export class FriendListDto {
  @NestedList(() => FriendDto, { maxItems: 10_000 })
  items: FriendDto[];

  @Text({ nullable: true })
  nextCursor: string | null;
}
