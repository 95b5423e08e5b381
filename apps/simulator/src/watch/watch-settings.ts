import { responseData } from '@family-watch/client/rest/response-data';
import type { Schema } from '@family-watch/client/rest/schemas';
import { SETTINGS_NOTICE, SETTINGS_RESOURCE } from '@family-watch/domain/watch-settings/contracts/settings-state';
import type { SettingsResource } from '@family-watch/domain/watch-settings/contracts/settings-state';
import { retryUntilAvailable } from '../retry.js';
import type { WatchConnection } from './watch-link.js';

/** Maximum number of alarms in the memory of this watch; the service allows more. */
export const MAX_ALARMS = 10;

/** Settings of the watch: fetched after each notice, applied, and acknowledged with their version. */
export class WatchSettings {
  private applied: Partial<Schema<'WatchSettingsDto'>> = {};

  constructor(private readonly link: WatchConnection) {
    for (const resource of Object.values(SETTINGS_RESOURCE))
      link.gateway.onMessage(SETTINGS_NOTICE[resource], ({ id }) => this.update(resource, id));
  }

  /** The applied settings; settings of a kind of which the watch was never notified are absent and have defaults. */
  get current(): Readonly<Partial<Schema<'WatchSettingsDto'>>> {
    return this.applied;
  }

  private async update(resource: SettingsResource, messageId: string): Promise<void> {
    const params = { query: { resources: resource } };
    const fetched = await retryUntilAvailable(() =>
      responseData(this.link.api.GET('/apis/v2/userctx/watch/settings/get', { params })),
    );
    const version = fetched[resource]?.version;
    if (version === undefined) return;
    const reason = rejectionReason(fetched);
    if (reason === undefined) this.applied = { ...this.applied, ...fetched };
    this.link.log(`${reason === undefined ? 'applies' : 'cannot apply'} version ${version} of ${resource}`);
    const outcome = reason === undefined ? { status: 'APPLIED' as const } : { status: 'REJECTED' as const, reason };
    await this.link.send('AckMessage', { messageId, version, ...outcome });
  }
}

function rejectionReason({ ALARM_CLOCK: alarms }: Partial<Schema<'WatchSettingsDto'>>): string | undefined {
  return alarms && alarms.items.length > MAX_ALARMS ? 'MEMORY_FULL' : undefined;
}
