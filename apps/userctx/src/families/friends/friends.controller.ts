import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import {
  ApplyFriendDto,
  FriendCodeDto,
  FriendDto,
  FriendListDto,
  FriendListQueryDto,
  FriendReferenceDto,
} from '@family-watch/domain/families/dto/friend.dto';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { Caller } from '@family-watch/platform/http/caller.decorator';
import { Operation } from '@family-watch/platform/http/operation.decorator';
import { FriendsService } from './friends.service.js';

@ApiTags('Friends')
@Controller('apis/v2/userctx')
export class FriendsController {
  constructor(private readonly friends: FriendsService) {}

  @Post('watch/friend-code/create')
  @Operation({
    id: 'createFriendCode',
    access: ['watch'],
    summary: 'Create a friend code',
    description: 'The watch shows the code to another child. The previous code of the watch becomes invalid.',
    response: FriendCodeDto,
    errors: ['WATCH_UNBOUND'],
  })
  createCode(@Caller() watch: Principal): Promise<FriendCodeDto> {
    return this.friends.createCode(watch);
  }

  @Get('user/device/friends/list')
  @Operation({
    id: 'listFriends',
    access: ['user', 'watch'],
    summary: 'List friends, open requests and blocked children',
    response: FriendListDto,
    errors: ['WATCH_NOT_FOUND', 'PERMISSION_MISSING'],
  })
  list(@Caller() caller: Principal, @Query() { did }: FriendListQueryDto): Promise<FriendListDto> {
    return this.friends.list(caller, did);
  }

  @Post('user/device/friends/apply')
  @Operation({
    id: 'applyFriend',
    access: ['user', 'watch'],
    summary: 'Request a friendship with a friend code',
    description:
      "A guardian's request includes the consent of the guardian's family; a watch's request needs this consent " +
      'first. Requesting the same child again returns the open request. If the other family blocks the child, every ' +
      'code of the other child is rejected as invalid.',
    response: FriendDto,
    errors: ['WATCH_NOT_FOUND', 'PERMISSION_MISSING', 'CODE_INVALID', 'LIMIT_REACHED'],
  })
  requestFriendship(@Caller() caller: Principal, @Body() body: ApplyFriendDto): Promise<FriendDto> {
    return this.friends.requestFriendship(caller, body);
  }

  @Post('user/device/friends/confirm')
  @Operation({
    id: 'confirmFriend',
    access: ['user'],
    summary: 'Agree to a friendship',
    description: "The applicant's family must agree first, then the other family.",
    response: FriendDto,
    errors: ['WATCH_NOT_FOUND', 'PERMISSION_MISSING', 'APPLICATION_NOT_FOUND', 'CONFLICT'],
  })
  confirm(@Caller() caller: Principal, @Body() body: FriendReferenceDto): Promise<FriendDto> {
    return this.friends.confirm(caller, body);
  }

  @Post('user/device/friends/reject')
  @Operation({
    id: 'rejectFriend',
    access: ['user'],
    summary: 'Reject or withdraw a friend request',
    description: 'Also blocks the other child.',
    errors: ['WATCH_NOT_FOUND', 'PERMISSION_MISSING', 'APPLICATION_NOT_FOUND', 'CONFLICT'],
  })
  reject(@Caller() caller: Principal, @Body() body: FriendReferenceDto): Promise<void> {
    return this.friends.reject(caller, body);
  }

  @Post('user/device/friends/delete')
  @Operation({
    id: 'deleteFriend',
    access: ['user'],
    summary: 'End a friendship',
    errors: ['WATCH_NOT_FOUND', 'PERMISSION_MISSING', 'FRIEND_NOT_FOUND'],
  })
  delete(@Caller() caller: Principal, @Body() body: FriendReferenceDto): Promise<void> {
    return this.friends.delete(caller, body);
  }

  @Post('user/device/friends/block')
  @Operation({
    id: 'blockFriend',
    access: ['user'],
    summary: 'Block a child',
    description: 'Ends the friendship or the open request with the blocked child.',
    errors: ['WATCH_NOT_FOUND', 'PERMISSION_MISSING', 'FRIEND_NOT_FOUND'],
  })
  block(@Caller() caller: Principal, @Body() body: FriendReferenceDto): Promise<void> {
    return this.friends.block(caller, body);
  }

  @Post('user/device/friends/unblock')
  @Operation({
    id: 'unblockFriend',
    access: ['user'],
    summary: 'Unblock a child',
    description: 'A child that was blocked or rejected may request a friendship again.',
    errors: ['WATCH_NOT_FOUND', 'PERMISSION_MISSING', 'FRIEND_NOT_FOUND'],
  })
  unblock(@Caller() caller: Principal, @Body() body: FriendReferenceDto): Promise<void> {
    return this.friends.unblock(caller, body);
  }
}
