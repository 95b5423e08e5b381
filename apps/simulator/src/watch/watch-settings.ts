import { responseData } from '@family-watch/client/rest/response-data';
import type { Schema } from '@family-watch/client/rest/schemas';
import { SETTINGS_NOTICE } from '@family-watch/domain/watch-settings/contracts/settings-notices';
import { SETTINGS_RESOURCE } from '@family-watch/domain/watch-settings/contracts/watch-settings.events';
import type { SettingsResource } from '@family-watch/domain/watch-settings/contracts/watch-settings.events';
import { retryUntilAvailable } from '../retry.js';
import type { WatchConnection } from './watch-link.js';

/** Alarm clocks that fit into this watch; the service allows more than some watches can keep. */
export const ALARM_MEMORY = 10;

/** What the parents have set: pulled after each notice, applied, and answered with the version it has now. */
export class WatchSettings {
  private applied: Partial<Schema<'WatchSettingsDto'>> = {};

  constructor(private readonly link: WatchConnection) {
    for (const resource of Object.values(SETTINGS_RESOURCE))
      link.gateway.onMessage(SETTINGS_NOTICE[resource], ({ id }) => this.follow(resource, id));
  }

  /** As they were pulled last; absent before the first notice of a resource, which leaves the watch with its defaults. */
  get current(): Readonly<Partial<Schema<'WatchSettingsDto'>>> {
    return this.applied;
  }

  private async follow(resource: SettingsResource, messageId: string): Promise<void> {
    const params = { query: { resources: resource } };
    const pulled = await retryUntilAvailable(() =>
      responseData(this.link.api.GET('/apis/v2/userctx/watch/settings/get', { params })),
    );
    const version = pulled[resource]?.version;
    if (version === undefined) return;
    const reason = whyNot(pulled);
    if (reason === undefined) this.applied = { ...this.applied, ...pulled };
    this.link.log(`${reason === undefined ? 'applies' : 'cannot apply'} version ${version} of ${resource}`);
    const answer = reason === undefined ? { status: 'APPLIED' as const } : { status: 'REJECTED' as const, reason };
    await this.link.send('AckMessage', { messageId, version, ...answer });
  }
}

function whyNot({ ALARM_CLOCK: alarms }: Partial<Schema<'WatchSettingsDto'>>): string | undefined {
  return alarms && alarms.items.length > ALARM_MEMORY ? 'MEMORY_FULL' : undefined;
}
