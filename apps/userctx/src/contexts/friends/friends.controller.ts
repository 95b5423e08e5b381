import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import {
  ApplyFriendDto,
  FriendCodeDto,
  FriendDto,
  FriendListDto,
  FriendListQueryDto,
  FriendReferenceDto,
} from '@family-watch/domain/friends/dto/friend.dto';
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
    summary: 'The code that a watch shows to another child; it ends the one before it',
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
    summary: 'Friends of a child, open applications, and who is kept out',
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
    summary: 'Apply for a friendship with the child whose watch shows the code',
    description:
      'A guardian who applies agrees for the own family; after a watch has applied, its family is asked first. ' +
      'Again for the same child joins what is under way. Who is kept out finds every code wrong.',
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
    summary: "Agree to a friendship: the applicant's family first, then the other one",
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
    summary: 'Refuse an application, or take the own one back; the other child stays out',
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
    summary: 'End a friendship or an application and keep the other child out',
    errors: ['WATCH_NOT_FOUND', 'PERMISSION_MISSING', 'FRIEND_NOT_FOUND'],
  })
  block(@Caller() caller: Principal, @Body() body: FriendReferenceDto): Promise<void> {
    return this.friends.block(caller, body);
  }

  @Post('user/device/friends/unblock')
  @Operation({
    id: 'unblockFriend',
    access: ['user'],
    summary: 'Keep a child out no longer that was blocked or rejected; it may apply again',
    errors: ['WATCH_NOT_FOUND', 'PERMISSION_MISSING', 'FRIEND_NOT_FOUND'],
  })
  unblock(@Caller() caller: Principal, @Body() body: FriendReferenceDto): Promise<void> {
    return this.friends.unblock(caller, body);
  }
}
