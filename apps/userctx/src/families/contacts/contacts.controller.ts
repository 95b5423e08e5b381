import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import {
  ContactDto,
  ContactListDto,
  ContactListQueryDto,
  ContactReferenceDto,
  CreateContactDto,
  UpdateContactDto,
} from '@family-watch/domain/families/dto/contact.dto';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { Caller } from '@family-watch/platform/http/caller.decorator';
import { Idempotent } from '@family-watch/platform/http/idempotency/idempotent.decorator';
import { Operation } from '@family-watch/platform/http/operation.decorator';
import { ContactsService } from './contacts.service.js';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';

@ApiTags('Contacts')
@Controller('apis/v2/userctx/user/device/contacts')
export class ContactsController {
  constructor(private readonly contacts: ContactsService) {}

  @Get('list')
  @Operation({
    id: 'listContacts',
    access: ['user', 'watch'],
    summary: 'List the contacts of a watch',
    description: 'In the order in which an SOS notifies them.',
    response: ContactListDto,
    errors: ['WATCH_NOT_FOUND', 'PERMISSION_MISSING'],
  })
  list(@Caller() caller: Principal, @Query() query: ContactListQueryDto): Promise<ContactListDto> {
    return this.contacts.list(caller, query.deviceId);
  }

  @Post('create')
  @Idempotent(UserctxUnitOfWork)
  @Operation({
    id: 'createContact',
    access: ['user'],
    summary: 'Add a phone number to the contacts',
    description: 'The contact has no account. People with an account become contacts as members of the family.',
    response: ContactDto,
    errors: ['WATCH_NOT_FOUND', 'PERMISSION_MISSING', 'ROLE_CHANGE_FORBIDDEN', 'LIMIT_REACHED'],
  })
  create(@Caller() caller: Principal, @Body() body: CreateContactDto): Promise<ContactDto> {
    return this.contacts.create(caller, body);
  }

  @Post('update')
  @Operation({
    id: 'updateContact',
    access: ['user'],
    summary: 'Update a contact (specification 4.3)',
    description:
      'Only the sent fields change. The role of a member is the role in the family; only the owner assigns roles.',
    response: ContactDto,
    errors: ['WATCH_NOT_FOUND', 'CONTACT_NOT_FOUND', 'PERMISSION_MISSING', 'ROLE_CHANGE_FORBIDDEN'],
  })
  update(@Caller() caller: Principal, @Body() body: UpdateContactDto): Promise<ContactDto> {
    return this.contacts.update(caller, body);
  }

  @Post('delete')
  @Operation({
    id: 'deleteContact',
    access: ['user'],
    summary: 'Delete a contact without an account',
    description: 'Members remain contacts as long as they are members (ROLE_CHANGE_FORBIDDEN).',
    errors: ['WATCH_NOT_FOUND', 'CONTACT_NOT_FOUND', 'PERMISSION_MISSING', 'ROLE_CHANGE_FORBIDDEN'],
  })
  delete(@Caller() caller: Principal, @Body() body: ContactReferenceDto): Promise<void> {
    return this.contacts.delete(caller, body);
  }
}
