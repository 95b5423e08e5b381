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
import { FRIEND_REQUEST_STATE, type FriendRequestState } from '../../messages/contracts/payloads.js';

export class FriendCodeDto {
  @StringField({
    example: '7KQ2M9XW4R',
    description: 'Ten characters. The watch shows them as text and as a QR code, for another child to enter or scan.',
  })
  friendCode: string;

  @IntegerField({ min: 1, example: 300, description: 'Seconds until the code expires' })
  expiresIn: number;
}

export class FriendListQueryDto {
  @DeviceIdQueryField()
  did: number;
}

export class ApplyFriendDto {
  @DeviceIdField({ description: 'Watch of the child that requests the friendship' })
  did: number;

  @StringField({ minLength: 1, maxLength: 32, example: '7KQ2M9XW4R', description: 'Code that the other watch shows' })
  friendCode: string;
}

export class FriendReferenceDto {
  @DeviceIdField({ description: "Watch of the caller's child" })
  did: number;

  @ReferenceField({ description: 'Id of the friend request, and of the friendship that results from it' })
  applicationId: string;
}

/**
 * Another child in the friend list: a friend, a child with a pending friend request, or a rejected or blocked child.
 */
export class FriendDto {
  @ReferenceField({ example: '5a1f3b52-6df4-4a8d-a0a6-6a1a1d8f7e11' })
  applicationId: string;

  @EnumField(FRIEND_REQUEST_STATE, {
    description:
      'APPLIED: the family of the requesting child has not agreed yet; CONFIRMED: it agreed, and the family of the ' +
      'requested child has not decided yet; ACCEPTED: the children are friends; REJECTED: one of the families ' +
      'rejected the request; ENDED: the friendship or the request has ended',
  })
  state: FriendRequestState;

  @BooleanField({ description: "True if the caller's child sent the request" })
  applied: boolean;

  @BooleanField({ description: "True if the caller's family rejected or blocked the other child" })
  keptOut: boolean;

  @StringField({ example: 'Leo', description: 'Name of the other child' })
  name: string;

  @DeviceIdField({ nullable: true, description: 'Watch of the other child; null if it has none' })
  friendDid: number | null;

  @UnixMillisecondsField({ description: 'Time of the last change of state' })
  changedAt: number;
}

/** All friends and friend requests of the child, on one page. */
export class FriendListDto {
  @NestedListField(() => FriendDto, { maxItems: 10_000 })
  items: FriendDto[];

  @StringField({ nullable: true, description: 'Always null: the list has one page' })
  nextCursor: string | null;
}
