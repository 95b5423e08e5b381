import { Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { compare, valid } from 'semver';
import {
  APP_CHANNEL_PATTERN,
  MAX_VERSION_LENGTH,
  type MinimumAppVersion,
} from '@family-watch/domain/operators/contracts/app-release';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { entryLimit } from '../concurrency/entry-limit.js';
import { RefreshedValue } from '../concurrency/refreshed-value.js';

/** Milliseconds after which a changed minimum version applies in all processes, at most. */
const REFRESH_MS = 30_000;
const MAX_CACHED_HEADERS = 1_000;
const MAX_HEADER_LENGTH = 128;

interface Minimums {
  /** Minimum version by `<platform>/<channel>`. */
  versions: ReadonlyMap<string, string>;
  /** Whether the app of a header is supported. */
  decisions: LRUCache<string, boolean>;
}

/**
 * Rejects requests of apps that are older than the minimum version. An app that sends no or a malformed version is not
 * rejected, because the header only lets an app show that it must be updated; it is no protection.
 */
export class AppVersionGate {
  private readonly logger = new Logger(AppVersionGate.name);
  private readonly minimums: RefreshedValue<Minimums>;

  constructor(load: () => Promise<readonly MinimumAppVersion[]>) {
    this.minimums = new RefreshedValue(async () => {
      const found = await load().catch((err: unknown) => {
        this.logger.warn({ msg: 'Minimum versions of the app could not be read', err });
        throw err;
      });
      const versions = new Map(found.map(({ platform, channel, version }) => [`${platform}/${channel}`, version]));
      return { versions, decisions: new LRUCache(entryLimit(MAX_CACHED_HEADERS)) };
    }, REFRESH_MS);
  }

  /** Applies a change of the minimum versions in this process. */
  async reload(): Promise<void> {
    await this.minimums.reload();
  }

  /**
   * Accepts all apps while the minimum versions cannot be read.
   * @param header - see `APP_VERSION_HEADER`
   * @throws ServiceError APP_VERSION_UNSUPPORTED
   */
  async assertVersionSupported(header: string): Promise<void> {
    if (header.length > MAX_HEADER_LENGTH) return;
    const minimums = await this.minimums.get().catch(() => undefined);
    if (!minimums) return;
    let isSupported = minimums.decisions.get(header);
    if (isSupported === undefined) {
      isSupported = decide(header, minimums.versions);
      minimums.decisions.set(header, isSupported);
    }
    if (!isSupported) throw new ServiceError('APP_VERSION_UNSUPPORTED');
  }
}

function decide(header: string, minimums: ReadonlyMap<string, string>): boolean {
  const [platform = '', channel = '', version = '', ...rest] = header.split('/');
  const isWellFormed =
    rest.length === 0 && APP_CHANNEL_PATTERN.test(channel) && version.length <= MAX_VERSION_LENGTH && valid(version);
  const minimum = minimums.get(`${platform}/${channel}`);
  return !isWellFormed || minimum === undefined || compare(version, minimum) >= 0;
}
