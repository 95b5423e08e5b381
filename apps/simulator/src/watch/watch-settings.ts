import { responseData, type Schema } from '@family-watch/client';
import {
  SETTINGS_NOTICE,
  SETTINGS_RESOURCE,
  type SettingsResource,
} from '@family-watch/domain/watches/contracts/settings-state';
import { retryUntilAvailable } from '../retry.js';
import type { WatchConnection } from './watch-connection.js';

/** Maximum number of alarms in the memory of this watch; the service allows more. */
export const MAX_ALARMS = 10;

/** The settings of the watch. After each notice, the watch fetches, applies and acknowledges the new version. */
export class WatchSettings {
  private applied: Partial<Schema<'WatchSettingsDto'>> = {};

  constructor(private readonly connection: WatchConnection) {
    for (const resource of Object.values(SETTINGS_RESOURCE))
      connection.gateway.onMessage(SETTINGS_NOTICE[resource], ({ id }) => this.update(resource, id));
  }

  /** The applied settings. Settings of which the watch was never notified are absent; their defaults apply. */
  get current(): Readonly<Partial<Schema<'WatchSettingsDto'>>> {
    return this.applied;
  }

  private async update(resource: SettingsResource, messageId: string): Promise<void> {
    const params = { query: { resources: resource } };
    const fetched = await retryUntilAvailable(() =>
      responseData(this.connection.api.GET('/apis/v2/userctx/watch/settings/get', { params })),
    );
    const version = fetched[resource]?.version;
    if (version === undefined) return;
    const reason = rejectionReason(fetched);
    if (reason === undefined) this.applied = { ...this.applied, ...fetched };
    this.connection.log(`${reason === undefined ? 'applies' : 'cannot apply'} version ${version} of ${resource}`);
    const outcome = reason === undefined ? { status: 'APPLIED' as const } : { status: 'REJECTED' as const, reason };
    await this.connection.send('AckMessage', { messageId, version, ...outcome });
  }
}

function rejectionReason({ ALARM_CLOCK: alarms }: Partial<Schema<'WatchSettingsDto'>>): string | undefined {
  return alarms && alarms.items.length > MAX_ALARMS ? 'MEMORY_FULL' : undefined;
}
