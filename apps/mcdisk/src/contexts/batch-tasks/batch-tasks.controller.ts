import { Body, Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import {
  BatchOprTaskDetailDto,
  BatchOprTaskIdDto,
  CreateBatchOprTaskDto,
  QueryBatchOprTaskDetailDto,
} from '@family-watch/domain/family-cloud/dto/batch-opr-task.dto';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { Caller } from '@family-watch/platform/http/caller.decorator';
import { Operation } from '@family-watch/platform/http/operation.decorator';
import { IdempotentInCloud } from '../clouds/idempotent-in-cloud.decorator.js';
import { BatchTaskService } from './batch-task.service.js';

const ERRORS = ['CLOUD_TYPE_UNSUPPORTED', 'CLOUD_NOT_FOUND', 'CLOUD_NOT_READY'] as const;

@ApiTags('Family cloud')
@Controller('app-api/mcdisk/wristwatch/familyCloud')
export class BatchTasksController {
  constructor(private readonly tasks: BatchTaskService) {}

  @Post('createBatchOprTask')
  @IdempotentInCloud()
  @Operation({
    id: 'createBatchOprTask',
    access: ['user', 'watch'],
    summary: 'Copy, delete or move many contents and whole folders in the background',
    description:
      'Goes on by itself, also after a restart, with the rights that the caller has at each moment. A member is told ' +
      'of its progress by MessageCenterChangeNotice.',
    response: BatchOprTaskIdDto,
    errors: [...ERRORS, 'CATALOG_NOT_FOUND', 'PERMISSION_MISSING', 'LIMIT_REACHED'],
  })
  createBatchOprTask(@Caller() caller: Principal, @Body() body: CreateBatchOprTaskDto): Promise<BatchOprTaskIdDto> {
    return this.tasks.create(caller, body);
  }

  @Post('queryBatchOprTaskDetail')
  @Operation({
    id: 'queryBatchOprTaskDetail',
    access: ['user', 'watch'],
    summary: 'How far a batch task of the caller has come; kept for a week after its end',
    response: BatchOprTaskDetailDto,
    errors: [...ERRORS, 'TASK_NOT_FOUND'],
  })
  queryBatchOprTaskDetail(
    @Caller() caller: Principal,
    @Body() body: QueryBatchOprTaskDetailDto,
  ): Promise<BatchOprTaskDetailDto> {
    return this.tasks.detail(caller, body);
  }
}
