import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import {
  AccountListQueryDto,
  AccountPageDto,
  AccountStateDto,
  FamilyStatePageDto,
  FamilyStatesQueryDto,
  FindAccountDto,
} from '@family-watch/domain/operators/dto/directory.dto';
import { Operation } from '@family-watch/platform/http/operation.decorator';
import { DirectoryService } from './directory.service.js';

/** Search of persons and families, for operators. */
@ApiTags('Operators: support')
@Controller('apis/v2/operator')
export class DirectoryController {
  constructor(private readonly directory: DirectoryService) {}

  // With POST, because URLs are stored in more places than bodies.
  @Post('user/find')
  @Operation({
    id: 'findAccountState',
    access: { operatorRoles: ['SUPPORT', 'ADMIN'], auditedFields: ['areaCode'] },
    summary: "Find a person's account by its phone number",
    description: 'By the whole number, which neither the response nor the audit list contains.',
    response: AccountStateDto,
    errors: ['ACCOUNT_NOT_FOUND'],
  })
  findAccount(@Body() request: FindAccountDto): Promise<AccountStateDto> {
    return this.directory.findAccount(request);
  }

  @Get('user/list')
  @Operation({
    id: 'listAccountStates',
    access: { operatorRoles: ['SUPPORT', 'ADMIN'], auditedFields: ['state', 'userId'] },
    summary: "List persons' accounts",
    description: 'Newest first: states and counts, without names and phone numbers.',
    response: AccountPageDto,
  })
  listAccounts(@Query() query: AccountListQueryDto): Promise<AccountPageDto> {
    return this.directory.listAccounts(query);
  }

  @Get('family/list')
  @Operation({
    id: 'listFamilyStates',
    access: { operatorRoles: ['SUPPORT', 'ADMIN'], auditedFields: ['familyId', 'state'] },
    summary: 'List families',
    description: 'Newest first: roles, watches and plans, without names. An empty list for an unknown `familyId`.',
    response: FamilyStatePageDto,
  })
  listFamilies(@Query() query: FamilyStatesQueryDto): Promise<FamilyStatePageDto> {
    return this.directory.listFamilies(query);
  }
}
