import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { DeleteSessionDto, SessionPageDto } from '@family-watch/domain/accounts/dto/sign-in.dto';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { PageQueryDto } from '@family-watch/domain/kernel/dto/page-query.dto';
import { Caller } from '@family-watch/platform/http/caller.decorator';
import { Operation } from '@family-watch/platform/http/operation.decorator';
import { SessionService } from './session.service.js';

/** The caller's sessions. */
@ApiTags('Accounts')
@Controller('apis/v2/userctx/user/account')
export class SessionController {
  constructor(private readonly sessions: SessionService) {}

  @Post('sign-out')
  @Operation({ id: 'signOut', access: ['user'], summary: 'Sign out', description: 'Ends the session of this request.' })
  signOut(@Caller() caller: Principal): Promise<void> {
    return this.sessions.signOut(caller);
  }

  @Get('session/list')
  @Operation({
    id: 'listSessions',
    access: ['user'],
    summary: 'List the caller’s active sessions',
    description: 'Newest first.',
    response: SessionPageDto,
    errors: ['VALIDATION_FAILED'],
  })
  listSessions(@Caller() caller: Principal, @Query() page: PageQueryDto): Promise<SessionPageDto> {
    return this.sessions.list(caller, page);
  }

  @Post('session/delete')
  @Operation({
    id: 'deleteSession',
    access: ['user'],
    summary: 'End a session of the caller',
    errors: ['VALIDATION_FAILED', 'SESSION_NOT_FOUND'],
  })
  deleteSession(@Caller() caller: Principal, @Body() { sessionId }: DeleteSessionDto): Promise<void> {
    return this.sessions.delete(caller, sessionId);
  }
}
