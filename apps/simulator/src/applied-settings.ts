import type { RestClient } from '@family-watch/client/rest/rest-client';
import { dataOf } from '@family-watch/client/rest/result';
import type { GatewayClient } from '@family-watch/client/socket/gateway-client';
import { SETTINGS_NOTICE } from '@family-watch/domain/watch-settings/contracts/settings-notices';
import { SETTINGS_RESOURCE } from '@family-watch/domain/watch-settings/contracts/watch-settings.events';
import type { SettingsResource } from '@family-watch/domain/watch-settings/contracts/watch-settings.events';
import type { Narrator } from './narrator.js';
import { patiently, within } from './patience.js';

/** What a simulated watch does about a notice that its settings changed: it pulls them, and says which version it has. */
export class AppliedSettings {
  constructor(
    private readonly api: RestClient,
    private readonly gateway: GatewayClient,
    private readonly narrator: Narrator,
  ) {
    for (const resource of Object.values(SETTINGS_RESOURCE))
      gateway.onMessage(SETTINGS_NOTICE[resource], ({ id }) => this.apply(resource, id));
  }

  private async apply(resource: SettingsResource, messageId: string): Promise<void> {
    const params = { query: { resources: resource } };
    const pulled = await patiently(() => dataOf(this.api.GET('/apis/v2/userctx/watch/settings/get', { params })));
    const version = pulled[resource]?.version;
    if (version === undefined) return;
    this.narrator.say('watch', `applies version ${version} of ${resource}`);
    await patiently(async () => {
      await within('the gateway to come back', this.gateway.ready());
      await this.gateway.send('AckMessage', { messageId, status: 'APPLIED', version });
    });
  }
}
