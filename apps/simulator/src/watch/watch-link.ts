import type { RestClient } from '@family-watch/client/rest/rest-client';
import type { ClientEvent, SuccessResponseTo, SentPayload } from '@family-watch/client/socket/delivered-payloads';
import type { GatewayClient } from '@family-watch/client/socket/gateway-client';
import type { Narrator } from '../narrator.js';
import { retryUntilAvailable, withTimeout } from '../retry.js';

/** How a watch reaches the service, and as whom. */
export class WatchConnection {
  constructor(
    readonly did: number,
    readonly api: RestClient,
    readonly gateway: GatewayClient,
    private readonly narrator: Narrator,
  ) {}

  /** Sends it until it is answered. Only for what may be said twice. @throws ApiError for a refusal. */
  send<Event extends ClientEvent>(event: Event, payload: SentPayload<Event>): Promise<SuccessResponseTo<Event>> {
    return retryUntilAvailable(async () => {
      await withTimeout('the gateway to come back', this.gateway.whenConnected());
      return this.gateway.send(event, payload);
    });
  }

  log(what: string): void {
    this.narrator.say('watch', what);
  }
}
