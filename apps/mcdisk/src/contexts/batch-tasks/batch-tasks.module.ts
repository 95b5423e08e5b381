import { Module } from '@nestjs/common';
import { CloudsModule } from '../clouds/clouds.module.js';
import { FilesModule } from '../files/files.module.js';
import { BatchPlannerService } from './batch-planner.service.js';
import { BatchTaskRepository } from './batch-task.repository.js';
import { BatchRunnerService } from './batch-runner.service.js';
import { BatchTaskService } from './batch-task.service.js';
import { BatchTasksController } from './batch-tasks.controller.js';
import { CopyOperationService } from './copy-operation.service.js';
import { DeleteOperationService } from './delete-operation.service.js';
import { MoveOperationService } from './move-operation.service.js';
import { BatchContentRepository } from './batch-content.repository.js';

/** Batch tasks: copy, delete and move contents and whole folders of a family cloud. */
@Module({
  imports: [CloudsModule, FilesModule],
  controllers: [BatchTasksController],
  providers: [
    BatchTaskRepository,
    BatchContentRepository,
    BatchPlannerService,
    CopyOperationService,
    DeleteOperationService,
    MoveOperationService,
    BatchRunnerService,
    BatchTaskService,
  ],
})
export class BatchTasksModule {}
