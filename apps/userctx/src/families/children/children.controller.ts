import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import {
  ChildReferenceDto,
  CreateChildDto,
  UpdateChildDto,
  UpdateStepGoalDto,
  ChildDetailDto,
  ChildListDto,
  CreatedChildDto,
  DeletedChildPageDto,
} from '@family-watch/domain/families/dto/child.dto';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { PageQueryDto } from '@family-watch/domain/kernel/dto/page-query.dto';
import { Caller } from '@family-watch/platform/http/caller.decorator';
import { Idempotent } from '@family-watch/platform/http/idempotency/idempotent.decorator';
import { Operation } from '@family-watch/platform/http/operation.decorator';
import { ChildDeletionService } from './child-deletion.service.js';
import { ChildrenService } from './children.service.js';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';

@ApiTags('Children')
@Controller('apis/v2/userctx/user/child')
export class ChildrenController {
  constructor(
    private readonly children: ChildrenService,
    private readonly deletion: ChildDeletionService,
  ) {}

  @Get('get')
  @Operation({
    id: 'getChild',
    access: ['user'],
    servesUnsupportedApps: true,
    summary: 'GetChild: list the caller’s children',
    description: 'The children whom the caller may see, in all families (specification 4.1).',
    response: ChildListDto,
  })
  async get(@Caller() caller: Principal): Promise<ChildListDto> {
    return { childList: await this.children.list(caller) };
  }

  @Post('create')
  @Idempotent(UserctxUnitOfWork)
  @Operation({
    id: 'createChild',
    access: ['user'],
    summary: 'CreateChild: create a child',
    description:
      'Specification 4.1. The child is added to the family that the caller owns; the first child creates that ' +
      'family.',
    response: CreatedChildDto,
    errors: ['LIMIT_REACHED'],
  })
  async create(@Caller() caller: Principal, @Body() body: CreateChildDto): Promise<CreatedChildDto> {
    return { cid: await this.children.create(caller, body) };
  }

  @Post('update')
  @Operation({
    id: 'updateChild',
    access: ['user'],
    summary: 'UpdateChild: update a child',
    description:
      'Specification 4.1. Omitted optional fields are unchanged. The watch and the members are notified of a new ' +
      'name, picture or time zone.',
    errors: ['CHILD_NOT_FOUND', 'PERMISSION_MISSING'],
  })
  update(@Caller() caller: Principal, @Body() body: UpdateChildDto): Promise<void> {
    return this.children.update(caller, body);
  }

  @Get('delete')
  @Operation({
    id: 'deleteChild',
    access: ['user'],
    summary: 'DeleteChild: delete a child',
    description:
      'A GET that changes state (specification 4.1, rule 3). For the owner. Unbinds the watch and notifies ' +
      'guardians and watch. The owner can restore the child for seven days.',
    errors: ['CHILD_NOT_FOUND', 'PERMISSION_MISSING'],
  })
  delete(@Caller() caller: Principal, @Query() query: ChildReferenceDto): Promise<void> {
    return this.deletion.delete(caller, query.cid);
  }

  /**
   * The specification (4.1, rule 4) does not define whether the cid is in the path or in the query, so both are
   * accepted.
   */
  @Get('delete/:cid')
  @Operation({
    id: 'deleteChildByPath',
    access: ['user'],
    summary: 'DeleteChild: delete a child by path',
    description: 'Same as DeleteChild, with the cid as last path segment.',
    errors: ['CHILD_NOT_FOUND', 'PERMISSION_MISSING'],
  })
  deleteByPath(@Caller() caller: Principal, @Param() path: ChildReferenceDto): Promise<void> {
    return this.deletion.delete(caller, path.cid);
  }

  @Get('detail')
  @Operation({
    id: 'getChildDetail',
    access: ['user'],
    summary: 'Get the details of a child',
    response: ChildDetailDto,
    errors: ['CHILD_NOT_FOUND', 'PERMISSION_MISSING'],
  })
  detail(@Caller() caller: Principal, @Query() query: ChildReferenceDto): Promise<ChildDetailDto> {
    return this.children.detail(caller, query.cid);
  }

  @Post('step-goal/update')
  @Operation({
    id: 'updateStepGoal',
    access: ['user'],
    summary: "Set the child's goal of steps per day",
    description: 'The watch is notified and fetches the goal with `userctx/watch/child/detail`.',
    errors: ['CHILD_NOT_FOUND', 'PERMISSION_MISSING'],
  })
  updateStepGoal(@Caller() caller: Principal, @Body() { cid, stepGoal }: UpdateStepGoalDto): Promise<void> {
    return this.children.setStepGoal(caller, cid, stepGoal);
  }

  @Get('deleted/list')
  @Operation({
    id: 'listDeletedChildren',
    access: ['user'],
    summary: 'List the deleted children that the caller can restore',
    description:
      'For the owner, also of a family that the owner has dissolved, unless the caller owns another family now. Newest ' +
      'first. A child is in the list for seven days.',
    response: DeletedChildPageDto,
  })
  listDeleted(@Caller() caller: Principal, @Query() query: PageQueryDto): Promise<DeletedChildPageDto> {
    return this.deletion.listDeleted(caller, query);
  }

  @Post('restore')
  @Operation({
    id: 'restoreChild',
    access: ['user'],
    summary: 'Restore a deleted child',
    description:
      'For the owner. Undoes DeleteChild within seven days. The watch is bound again right after the response, and ' +
      'members and watch are notified, unless watch or child has been bound since the deletion.',
    errors: ['CHILD_NOT_FOUND', 'PERMISSION_MISSING', 'LIMIT_REACHED'],
  })
  restore(@Caller() caller: Principal, @Body() body: ChildReferenceDto): Promise<void> {
    return this.deletion.restore(caller, body.cid);
  }
}
