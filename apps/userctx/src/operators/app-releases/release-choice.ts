import { createHash } from 'node:crypto';
import { compare } from 'semver';
import type { MinimumAppVersion } from '@family-watch/domain/operators/contracts/app-release';
import type { AppReleaseEntity } from '@family-watch/domain/operators/entities/app-release.entity';

/** An installation of the app that asks for an upgrade. */
export interface Installation {
  platform: AppReleaseEntity['platform'];
  channel: string;
  version: string;
  installationId: string;
}

type Release = Pick<AppReleaseEntity, 'platform' | 'channel' | 'version' | 'minimumVersion' | 'percentage'>;

/** Returns the highest minimum version of each platform and channel. */
export function findMinimumVersions(offered: readonly Release[]): MinimumAppVersion[] {
  const minimums = new Map<string, MinimumAppVersion>();
  for (const { platform, channel, minimumVersion } of offered) {
    const key = `${platform}/${channel}`;
    const current = minimums.get(key)?.version;
    if (minimumVersion !== null && (current === undefined || compare(minimumVersion, current) > 0))
      minimums.set(key, { platform, channel, version: minimumVersion });
  }
  return [...minimums.values()];
}

/**
 * Returns the newest release that is offered to the installation; undefined if there is none. An installation below the
 * minimum version gets a release that is at least the minimum, if necessary one that is not yet offered to it.
 *
 * @param offered - the releases that are not withdrawn
 * @param minimum - the minimum version of the installation's platform and channel
 */
export function chooseRelease<Offered extends Release>(
  offered: readonly Offered[],
  installation: Installation,
  minimum: string | undefined,
): Offered | undefined {
  const newer = offered
    .filter(({ platform, channel }) => platform === installation.platform && channel === installation.channel)
    .filter(({ version }) => compare(version, installation.version) > 0)
    .sort((one, other) => compare(other.version, one.version));
  const staged = newer.filter((release) => isOfferedTo(release, installation.installationId));
  if (minimum === undefined || compare(installation.version, minimum) >= 0) return staged[0];
  const isSupported = ({ version }: Offered) => compare(version, minimum) >= 0;
  return staged.find(isSupported) ?? newer.find(isSupported);
}

/**
 * Returns whether a staged release is offered to an installation. The decision depends on the release and the
 * installation only, so that a higher percentage includes all installations of a lower one. Each release begins with
 * other installations.
 */
function isOfferedTo({ platform, channel, version, percentage }: Release, installationId: string): boolean {
  const digest = createHash('sha256').update(`${platform}/${channel}/${version}/${installationId}`).digest();
  return digest.readUInt32BE(0) % 100 < percentage;
}

/** Returns the notes in the language, in its primary language, in English, or in the first language. */
export function chooseNotes(notes: Readonly<Record<string, string>>, language: string | undefined): string {
  const [primary = ''] = language?.split('-', 1) ?? [];
  const languages = Object.keys(notes);
  const found = [
    languages.find((each) => each.toLowerCase() === language?.toLowerCase()),
    languages.find((each) => each === primary),
    languages.find((each) => each.split('-', 1)[0] === primary),
    languages.find((each) => each.split('-', 1)[0] === 'en'),
    languages[0],
  ].find((each) => each !== undefined);
  return found === undefined ? '' : (notes[found] ?? '');
}
