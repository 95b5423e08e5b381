import { Injectable, Logger } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import { UPLOAD_STATE } from '@family-watch/domain/family-cloud/contracts/upload';
import { familyPrincipals } from '@family-watch/domain/families/contracts/membership';
import type { EventHandler } from '@family-watch/event-bus/event-handler';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { McdiskEventConsumer } from '../../infrastructure/mcdisk.event-consumer.js';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk.unit-of-work.js';
import { UploadTerminationService } from '../uploads/upload-termination.service.js';
import { DISSOLVED_CLOUD_RETENTION_MS, CLEANUP_KIND } from './cleanup-task.js';
import { CleanupTaskRepository } from './cleanup-task.repository.js';

type FamilyChanged = 'userctx.family.changed';

/** Who left sends nothing any more; a family that dissolves loses its cloud in the end, unless it comes back. */
@Injectable()
export class ScheduleFamilyCleanupHandler implements EventHandler<DomainEvents, FamilyChanged>, OnModuleInit {
  readonly name = 'mcdisk.endings.family';
  readonly event = 'userctx.family.changed';
  private readonly logger = new Logger(ScheduleFamilyCleanupHandler.name);

  constructor(
    private readonly consumer: McdiskEventConsumer,
    private readonly endings: CleanupTaskRepository,
    private readonly uploads: UploadTerminationService,
    private readonly unitOfWork: McdiskUnitOfWork,
  ) {}

  onModuleInit(): void {
    this.consumer.register(this);
  }

  async handle({ payload, time }: EventOf<DomainEvents, FamilyChanged>): Promise<void> {
    const { familyId, version, dissolved } = payload;
    const known = await this.endings.findFamily(familyId);
    // An old snapshot that comes late says nothing of who belongs to the family now.
    if (known && known.version > version) return;
    const ending = { kind: CLEANUP_KIND.FAMILY, subject: familyId, cloudId: familyId };
    await (dissolved
      ? this.endings.insertIfAbsent(ending, time + DISSOLVED_CLOUD_RETENTION_MS)
      : this.endings.remove(ending));
    const strangers = await this.endings.findUploadsOfOthers(familyId, familyPrincipals(payload));
    const ended = await this.uploads.terminate(strangers, UPLOAD_STATE.ABORTED);
    this.unitOfWork.afterCommit(() => {
      // What cannot be cleared up now is the janitor's.
      this.uploads
        .cleanUp(ended)
        .catch((error: unknown) =>
          this.logger.warn({ msg: 'Cleanup of aborted uploads failed', familyId, err: error }),
        );
    });
  }
}
