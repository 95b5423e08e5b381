import { Injectable, Logger } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import { CLEANUP_KIND } from '@family-watch/domain/family-cloud/contracts/cleanup-task';
import type { DomainEvents } from '@family-watch/domain/events';
import { UPLOAD_STATE } from '@family-watch/domain/family-cloud/contracts/upload';
import { familyPrincipals } from '@family-watch/domain/families/contracts/membership';
import type { EventHandler } from '@family-watch/event-bus/event-handler';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { McdiskEventConsumer } from '../../infrastructure/mcdisk.event-consumer.js';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk.unit-of-work.js';
import { UploadTerminationService } from '../uploads/upload-termination.service.js';
import { DISSOLVED_CLOUD_RETENTION_MS } from './cleanup-task.js';
import { CleanupTaskRepository } from './cleanup-task.repository.js';

type FamilyChangedEvent = 'userctx.family.changed';

/**
 * Aborts the uploads of principals who left the family. Schedules the deletion of a dissolved family's cloud, and
 * cancels this deletion when the family is no longer dissolved.
 */
@Injectable()
export class ScheduleFamilyCleanupHandler implements EventHandler<DomainEvents, FamilyChangedEvent>, OnModuleInit {
  readonly name = 'mcdisk.endings.family';
  readonly event = 'userctx.family.changed';
  private readonly logger = new Logger(ScheduleFamilyCleanupHandler.name);

  constructor(
    private readonly consumer: McdiskEventConsumer,
    private readonly tasks: CleanupTaskRepository,
    private readonly uploads: UploadTerminationService,
    private readonly unitOfWork: McdiskUnitOfWork,
  ) {}

  onModuleInit(): void {
    this.consumer.register(this);
  }

  async handle({ payload, time }: EventOf<DomainEvents, FamilyChangedEvent>): Promise<void> {
    const { familyId, version, dissolved } = payload;
    const projected = await this.tasks.findFamily(familyId);
    // An event that arrives after a newer one is ignored, because its snapshot does not contain the current members.
    if (projected && projected.version > version) return;
    const task = { kind: CLEANUP_KIND.FAMILY, subject: familyId, cloudId: familyId };
    await (dissolved ? this.tasks.insertIfAbsent(task, time + DISSOLVED_CLOUD_RETENTION_MS) : this.tasks.remove(task));
    const uploadIds = await this.tasks.findUploadsOfOthers(familyId, familyPrincipals(payload));
    const aborted = await this.uploads.terminate(uploadIds, UPLOAD_STATE.ABORTED);
    this.unitOfWork.afterCommit(() => {
      // If the deletion of bytes fails, UploadExpiryJob deletes them later.
      this.uploads
        .cleanUp(aborted)
        .catch((error: unknown) =>
          this.logger.warn({ msg: 'Cleanup of aborted uploads failed', familyId, err: error }),
        );
    });
  }
}
