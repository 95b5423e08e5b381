import { Injectable } from '@nestjs/common';
import { DATA_EXPORT_STATE } from '@family-watch/domain/privacy/contracts/data-export';
import { OnEvent, type HandledEvent } from '@family-watch/platform/jobs/on-event.decorator';
import { ExportArchivesService } from './export-archives.service.js';

/** Assembles the archives of requested exports, and deletes those of exports that ended. */
@Injectable()
export class DataExportsEventHandlers {
  constructor(private readonly archives: ExportArchivesService) {}

  @OnEvent('userctx.data-export.changed', { handler: 'mcdisk.data-exports.apply-change' })
  async applyChange({ payload }: HandledEvent<'userctx.data-export.changed'>): Promise<void> {
    const { exportId, userId, state } = payload;
    if (state === DATA_EXPORT_STATE.WAITING) await this.archives.request(exportId, userId);
    if (state === DATA_EXPORT_STATE.ENDED) await this.archives.delete({ exportId });
  }
}
