import { Injectable } from '@nestjs/common';
import { LessThan } from 'typeorm';
import { DownloadLinkEntity } from '@family-watch/domain/family-cloud/entities/download-link.entity';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk.unit-of-work.js';

@Injectable()
export class DownloadLinkRepository {
  constructor(private readonly unitOfWork: McdiskUnitOfWork) {}

  async insert(link: DownloadLinkEntity): Promise<void> {
    await this.unitOfWork.manager.insert(DownloadLinkEntity, link);
  }

  findByTokenHash(tokenHash: Buffer): Promise<DownloadLinkEntity | null> {
    return this.unitOfWork.manager.findOneBy(DownloadLinkEntity, { tokenHash });
  }

  /** Forgets links of all clouds that ended before `before`. */
  async deleteExpired(before: number): Promise<void> {
    await this.unitOfWork.manager.delete(DownloadLinkEntity, { expiresAt: LessThan(before) });
  }
}
