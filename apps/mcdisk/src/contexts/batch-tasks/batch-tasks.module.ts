import { Module } from '@nestjs/common';
import { CatalogsModule } from '../catalogs/catalogs.module.js';
import { CloudsModule } from '../clouds/clouds.module.js';
import { ContentsModule } from '../contents/contents.module.js';
import { BatchParts } from './batch-parts.service.js';
import { BatchPlanRepository } from './batch-plan.repository.js';
import { BatchPlanner } from './batch-planner.service.js';
import { BatchRunner } from './batch-runner.service.js';
import { BatchTaskRetentionJob } from './batch-task-retention.job.js';
import { BatchTaskJob } from './batch-task.job.js';
import { BatchTaskRepository } from './batch-task.repository.js';
import { BatchTaskService } from './batch-task.service.js';
import { BatchTasksController } from './batch-tasks.controller.js';
import { CopyWork } from './copy-work.service.js';
import { DeletionWork } from './deletion-work.service.js';
import { MoveWork } from './move-work.service.js';
import { PlacedContentRepository } from './placed-content.repository.js';

/** Copying, deleting and moving of many contents and whole folders of the families' clouds. */
@Module({
  imports: [CatalogsModule, CloudsModule, ContentsModule],
  controllers: [BatchTasksController],
  providers: [
    BatchTaskRepository,
    BatchPlanRepository,
    PlacedContentRepository,
    BatchPlanner,
    BatchParts,
    CopyWork,
    DeletionWork,
    MoveWork,
    BatchRunner,
    BatchTaskService,
    BatchTaskJob,
    BatchTaskRetentionJob,
  ],
})
export class BatchTasksModule {}
