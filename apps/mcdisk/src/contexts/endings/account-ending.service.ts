import { Injectable } from '@nestjs/common';
import { UPLOAD_STATE } from '@family-watch/domain/family-cloud/contracts/upload';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { UploadEnding } from '../uploads/upload-ending.service.js';
import { EndedContentRepository } from './ended-content.repository.js';
import { ENDING_STATE } from './ending.js';
import type { Ending, NextStep } from './ending.js';
import { EndingRepository } from './ending.repository.js';
import { PersonColumnsRepository } from './person-columns.repository.js';

const { WAITING, FORGETTING } = ENDING_STATE;

/** What somebody added stays the family's; that it was they who added it is forgotten. */
@Injectable()
export class AccountEnding {
  constructor(
    private readonly endings: EndingRepository,
    private readonly contents: EndedContentRepository,
    private readonly columns: PersonColumnsRepository,
    private readonly uploads: UploadEnding,
  ) {}

  async step(ending: Ending, now: number): Promise<NextStep | undefined> {
    if (ending.state === WAITING) {
      const principal: PrincipalKey = `user:${ending.subject}`;
      await this.columns.forget(principal);
      const open = await this.endings.findUploadsOf(principal);
      await this.columns.forgetInUploads(principal);
      await this.uploads.endIn(open, UPLOAD_STATE.ABORTED);
      return { state: FORGETTING, cursor: null, dueAt: now };
    }
    const cursor = await this.contents.forgetPage(ending);
    return cursor === undefined ? undefined : { state: FORGETTING, cursor, dueAt: now };
  }
}
