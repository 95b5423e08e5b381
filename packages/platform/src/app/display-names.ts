import { Logger } from '@nestjs/common';
import {
  MAX_NAMES_PER_CALL,
  type DisplayName,
  type NameKey,
  type NameSource,
} from '@family-watch/domain/kernel/contracts/display-names';

/** Finds the names of accounts, children and families for the responses of an app that does not store them. */
export class DisplayNames {
  private readonly logger = new Logger(DisplayNames.name);

  /** @param source absent if the app is not configured to call userctx; no name is found then */
  constructor(private readonly source: NameSource | undefined) {}

  /**
   * Returns the current names. A key is omitted if it does not exist, and while userctx does not respond: a response
   * without names is better than none.
   */
  async find(keys: Iterable<NameKey>): Promise<ReadonlyMap<NameKey, DisplayName>> {
    const wanted = [...new Set(keys)];
    const names = new Map<NameKey, DisplayName>();
    try {
      for (let start = 0; start < wanted.length; start += MAX_NAMES_PER_CALL) {
        const found = await this.source?.findNames(wanted.slice(start, start + MAX_NAMES_PER_CALL));
        for (const [key, name] of Object.entries(found ?? {})) if (name) names.set(key as NameKey, name);
      }
    } catch (err) {
      this.logger.warn({ msg: 'Names are unavailable', err });
    }
    return names;
  }
}
