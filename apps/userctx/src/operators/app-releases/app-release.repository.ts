import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { MAX_APP_RELEASES, type AppPlatform } from '@family-watch/domain/operators/contracts/app-release';
import { AppReleaseEntity } from '@family-watch/domain/operators/entities/app-release.entity';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';

/** The columns that an existing release gets: all but its key and `created_at`. */
const CHANGED_COLUMNS = [
  'minimum_version',
  'percentage',
  'notes',
  'url',
  'package_sha256',
  'package_bytes',
  'changed_at',
  'withdrawn_at',
];

/** Identifies a release. */
export type AppReleaseKey = Pick<AppReleaseEntity, 'platform' | 'channel' | 'version'>;

/** Stores the releases of the app for parents. */
@Injectable()
export class AppReleaseRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  /** Returns the releases that are not withdrawn, in no order. */
  findOffered(): Promise<AppReleaseEntity[]> {
    return this.releases.find({ where: { withdrawnAt: IsNull() }, take: MAX_APP_RELEASES });
  }

  /** Returns the releases of a channel, also withdrawn ones, in no order. */
  findByChannel(platform: AppPlatform, channel: string): Promise<AppReleaseEntity[]> {
    return this.releases.find({ where: { platform, channel }, take: MAX_APP_RELEASES });
  }

  find({ platform, channel, version }: AppReleaseKey): Promise<AppReleaseEntity | null> {
    return this.releases.findOneBy({ platform, channel, version });
  }

  count(): Promise<number> {
    return this.releases.count();
  }

  /** Creates the release or replaces it, which also ends its withdrawal. Keeps the time of its creation. */
  async set(release: Omit<AppReleaseEntity, 'withdrawnAt'>): Promise<void> {
    await this.releases
      .createQueryBuilder()
      .insert()
      .values({ ...release, withdrawnAt: null })
      .orUpdate(CHANGED_COLUMNS, ['platform', 'channel', 'version'])
      .updateEntity(false)
      .execute();
  }

  /** Ends the offer of a release. Returns false if no release of this version is offered. */
  async withdraw({ platform, channel, version }: AppReleaseKey, now: number): Promise<boolean> {
    const { affected } = await this.releases.update(
      { platform, channel, version, withdrawnAt: IsNull() },
      { withdrawnAt: now, changedAt: now },
    );
    return affected === 1;
  }

  private get releases() {
    return this.unitOfWork.manager.getRepository(AppReleaseEntity);
  }
}
