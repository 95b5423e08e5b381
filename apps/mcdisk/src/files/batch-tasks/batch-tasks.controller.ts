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
import { IdempotentInCloud } from '../../clouds/cloud-request.js';
import { BatchTaskService } from './batch-task.service.js';

const BATCH_TASK_ERRORS = ['CLOUD_TYPE_UNSUPPORTED', 'CLOUD_NOT_FOUND', 'CLOUD_NOT_READY'] as const;

@ApiTags('Family cloud')
@Controller('app-api/mcdisk/wristwatch/familyCloud')
export class BatchTasksController {
  constructor(private readonly tasks: BatchTaskService) {}

  @Post('createBatchOprTask')
  @IdempotentInCloud()
  @Operation({
    id: 'createBatchOprTask',
    access: ['user', 'watch'],
    summary: 'Copy, delete or move contents in the background',
    description:
      'Accepts contents and whole folders. The task continues after a restart. The current rights of the caller ' +
      'are checked at each step. A member who created the task receives its progress in the message centre (type ' +
      'CLOUD_TASK_CHANGED); a watch queries it.',
    response: BatchOprTaskIdDto,
    errors: [...BATCH_TASK_ERRORS, 'CATALOG_NOT_FOUND', 'PERMISSION_MISSING', 'LIMIT_REACHED'],
  })
  createBatchOprTask(@Caller() caller: Principal, @Body() body: CreateBatchOprTaskDto): Promise<BatchOprTaskIdDto> {
    return this.tasks.create(caller, body);
  }

  @Post('queryBatchOprTaskDetail')
  @Operation({
    id: 'queryBatchOprTaskDetail',
    access: ['user', 'watch'],
    summary: 'Get the progress of a batch task',
    description: 'Returns only tasks of the caller. A task is deleted a week after it finished.',
    response: BatchOprTaskDetailDto,
    errors: [...BATCH_TASK_ERRORS, 'TASK_NOT_FOUND'],
  })
  queryBatchOprTaskDetail(
    @Caller() caller: Principal,
    @Body() body: QueryBatchOprTaskDetailDto,
  ): Promise<BatchOprTaskDetailDto> {
    return this.tasks.findDetail(caller, body);
  }
}
