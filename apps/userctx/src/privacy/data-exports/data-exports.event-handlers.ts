import { Injectable } from '@nestjs/common';
import { OnEvent, type HandledEvent } from '@family-watch/platform/jobs/on-event.decorator';
import { DataExportsService } from './data-exports.service.js';

/** Records the progress of archives, and ends exports of members who lose rights. */
@Injectable()
export class DataExportsEventHandlers {
  constructor(private readonly exports: DataExportsService) {}

  @OnEvent('mcdisk.data-export.progressed', { handler: 'userctx.data-exports.record-progress' })
  async recordProgress({ payload }: HandledEvent<'mcdisk.data-export.progressed'>): Promise<void> {
    await this.exports.recordProgress(payload);
  }

  @OnEvent('userctx.family.changed', { handler: 'userctx.data-exports.end-unauthorized' })
  async endUnauthorized({ payload: { familyId } }: HandledEvent<'userctx.family.changed'>): Promise<void> {
    await this.exports.endUnauthorized(familyId);
  }
}
