import { Injectable } from '@nestjs/common';
import { compare } from 'semver';
import { MAX_APP_RELEASES, type MinimumAppVersion } from '@family-watch/domain/operators/contracts/app-release';
import type {
  AppReleaseDto,
  AppReleaseListDto,
  AppReleaseListQueryDto,
  AppReleaseReferenceDto,
  AppUpgradeDto,
  CheckAppUpgradeDto,
  SetAppReleaseDto,
} from '@family-watch/domain/operators/dto/app-release.dto';
import type { AppReleaseEntity } from '@family-watch/domain/operators/entities/app-release.entity';
import { ServiceError, validationError } from '@family-watch/domain/kernel/contracts/service-error';
import { RefreshedValue } from '@family-watch/platform/concurrency/refreshed-value';
import { AppReleaseRepository } from './app-release.repository.js';
import { chooseNotes, chooseRelease, findMinimumVersions } from './release-choice.js';

/** Milliseconds after which a change of the releases applies in all processes, at most. */
const REFRESH_MS = 30_000;

/** Tells apps which release they should upgrade to, and changes releases for operators. */
@Injectable()
export class AppReleasesService {
  /** The releases that are not withdrawn. A check needs no query, because apps check without a token. */
  private readonly offered: RefreshedValue<readonly AppReleaseEntity[]>;

  constructor(private readonly releases: AppReleaseRepository) {
    this.offered = new RefreshedValue(() => this.releases.findOffered(), REFRESH_MS);
  }

  async check(request: CheckAppUpgradeDto): Promise<AppUpgradeDto> {
    const offered = await this.offered.get();
    const minimum = findMinimumVersions(offered).find(
      ({ platform, channel }) => platform === request.platform && channel === request.channel,
    )?.version;
    const release = chooseRelease(offered, request, minimum);
    return {
      supported: minimum === undefined || compare(request.version, minimum) >= 0,
      minimumVersion: minimum ?? null,
      release: release
        ? {
            version: release.version,
            notes: chooseNotes(release.notes, request.language),
            url: release.url,
            package: packageOf(release),
          }
        : null,
    };
  }

  async findMinimumVersions(): Promise<MinimumAppVersion[]> {
    return findMinimumVersions(await this.releases.findOffered());
  }

  /** Lists the releases of a channel, also withdrawn ones, the newest version first. */
  async list({ platform, channel }: AppReleaseListQueryDto): Promise<AppReleaseListDto> {
    const found = await this.releases.findByChannel(platform, channel);
    return { items: found.sort((one, other) => compare(other.version, one.version)).map(toDto) };
  }

  /**
   * Creates a release or replaces it, which also ends its withdrawal.
   * @throws ServiceError VALIDATION_FAILED if the minimum version is higher than the version; LIMIT_REACHED
   */
  async set(request: SetAppReleaseDto): Promise<void> {
    const { platform, channel, version, minimumVersion = null, percentage, notes, url } = request;
    if (minimumVersion !== null && compare(minimumVersion, version) > 0)
      throw validationError('minimumVersion', 'isAtMostVersion', 'minimumVersion must be at most version');
    const isNew = (await this.releases.find(request)) === null;
    if (isNew && (await this.releases.count()) >= MAX_APP_RELEASES) throw new ServiceError('LIMIT_REACHED');
    const now = Date.now();
    await this.releases.set({
      platform,
      channel,
      version,
      minimumVersion,
      percentage,
      notes: { ...notes },
      url,
      packageSha256: request.package?.sha256 ?? null,
      packageBytes: request.package?.bytes ?? null,
      createdAt: now,
      changedAt: now,
    });
    await this.offered.reload();
  }

  /**
   * Ends the offer of a release. Its minimum version no longer applies.
   * @throws ServiceError RELEASE_NOT_FOUND if no release of this version is offered
   */
  async withdraw(reference: AppReleaseReferenceDto): Promise<void> {
    if (!(await this.releases.withdraw(reference, Date.now()))) throw new ServiceError('RELEASE_NOT_FOUND');
    await this.offered.reload();
  }
}

function packageOf({ packageSha256, packageBytes }: AppReleaseEntity): AppReleaseDto['package'] {
  return packageSha256 === null || packageBytes === null ? null : { sha256: packageSha256, bytes: packageBytes };
}

function toDto(release: AppReleaseEntity): AppReleaseDto {
  const { packageSha256: _sha256, packageBytes: _bytes, ...fields } = release;
  return { ...fields, package: packageOf(release) };
}
