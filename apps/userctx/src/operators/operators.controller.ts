import { Body, Controller, Get, Header, Ip, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { EmptyDto } from '@family-watch/domain/kernel/dto/empty.dto';
import { PageQueryDto } from '@family-watch/domain/kernel/dto/page-query.dto';
import {
  AuditPageDto,
  AuditQueryDto,
  CreatedOperatorDto,
  CreateOperatorDto,
  OperatorPageDto,
  OperatorReferenceDto,
  OperatorSignInDto,
  OperatorTokenDto,
  ReplaceOperatorCredentialsDto,
  SecondFactorDto,
} from '@family-watch/domain/operators/dto/operator.dto';
import { Caller } from '@family-watch/platform/http/caller.decorator';
import { Operation } from '@family-watch/platform/http/operation.decorator';
import { OperatorAccountsService } from './operator-accounts.service.js';
import { OperatorSignInService } from './operator-sign-in.service.js';

/** Operators: sign-in, accounts and the audit list. */
@ApiTags('Operators')
@Controller('apis/v2/operator')
export class OperatorsController {
  constructor(
    private readonly signIns: OperatorSignInService,
    private readonly accounts: OperatorAccountsService,
  ) {}

  @Post('account/sign-in')
  @Header('cache-control', 'no-store')
  @Operation({
    id: 'signInOperator',
    access: 'public',
    summary: 'Sign in as an operator',
    description:
      'With login name, password, and a code of the authenticator app or a recovery code. Each code is valid once. ' +
      'The session ends after an hour.',
    response: OperatorTokenDto,
    errors: ['CREDENTIALS_INVALID', 'RATE_LIMITED', 'OVERLOADED'],
  })
  signIn(@Body() request: OperatorSignInDto, @Ip() ip: string): Promise<OperatorTokenDto> {
    return this.signIns.signIn(request, ip);
  }

  @Post('account/sign-out')
  @Operation({
    id: 'signOutOperator',
    access: { operatorRoles: ['SUPPORT', 'FLEET', 'BILLING', 'ADMIN'] },
    summary: "End the operator's session",
  })
  async signOut(@Caller() caller: Principal): Promise<EmptyDto> {
    await this.signIns.signOut(caller);
    return new EmptyDto();
  }

  @Post('account/credentials/replace')
  @Header('cache-control', 'no-store')
  @Operation({
    id: 'replaceOperatorCredentials',
    access: { operatorRoles: ['SUPPORT', 'FLEET', 'BILLING', 'ADMIN'] },
    summary: 'Replace the own password and second factor',
    description:
      'Returns a new secret for the authenticator app and new recovery codes, and ends all sessions of the operator.',
    response: SecondFactorDto,
    errors: ['CREDENTIALS_INVALID', 'PASSWORD_TOO_WEAK', 'CONFLICT', 'RATE_LIMITED', 'OVERLOADED'],
  })
  replaceCredentials(
    @Caller() caller: Principal,
    @Body() request: ReplaceOperatorCredentialsDto,
    @Ip() ip: string,
  ): Promise<SecondFactorDto> {
    return this.signIns.replaceCredentials(caller, request, ip);
  }

  @Get('account/list')
  @Operation({
    id: 'listOperators',
    access: { operatorRoles: ['ADMIN'] },
    summary: 'List operators',
    description: 'Newest first.',
    response: OperatorPageDto,
  })
  list(@Query() query: PageQueryDto): Promise<OperatorPageDto> {
    return this.accounts.list(query);
  }

  @Post('account/create')
  @Header('cache-control', 'no-store')
  @Operation({
    id: 'createOperator',
    access: { operatorRoles: ['ADMIN'], auditedFields: ['loginName', 'roles'] },
    summary: 'Create an operator',
    description:
      'Returns an initial password, the secret for the authenticator app and recovery codes, which the service shows ' +
      'only once. The new operator replaces them with `account/credentials/replace`.',
    response: CreatedOperatorDto,
    errors: ['LOGIN_NAME_TAKEN', 'OVERLOADED'],
  })
  create(@Caller() caller: Principal, @Body() request: CreateOperatorDto): Promise<CreatedOperatorDto> {
    return this.accounts.create(request, caller);
  }

  @Post('account/suspend')
  @Operation({
    id: 'suspendOperator',
    access: { operatorRoles: ['ADMIN'], auditedFields: ['operatorId'] },
    summary: 'Suspend an operator permanently',
    description: "Ends the operator's sessions at once. Administrators cannot suspend themselves.",
    errors: ['OPERATOR_NOT_FOUND'],
  })
  async suspend(@Caller() caller: Principal, @Body() { operatorId }: OperatorReferenceDto): Promise<EmptyDto> {
    await this.accounts.suspend(caller, operatorId);
    return new EmptyDto();
  }

  @Get('audit/list')
  @Operation({
    id: 'listAuditEntries',
    access: { operatorRoles: ['ADMIN'], auditedFields: ['actor'] },
    summary: 'List the requests of operators',
    description: 'Newest first.',
    response: AuditPageDto,
  })
  listAuditEntries(@Query() query: AuditQueryDto): Promise<AuditPageDto> {
    return this.accounts.listAuditEntries(query);
  }
}
