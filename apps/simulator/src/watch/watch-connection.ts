import type { ClientEvent, GatewayClient, RestClient, SentPayload, SuccessResponseTo } from '@family-watch/client';
import type { Narrator } from '../narrator.js';
import { retryUntilAvailable, withTimeout } from '../retry.js';

/** The connection of a watch to the service: its REST client, its socket client and the output for its log lines. */
export class WatchConnection {
  constructor(
    readonly did: number,
    readonly api: RestClient,
    readonly gateway: GatewayClient,
    private readonly narrator: Narrator,
    /** Name of the watch in the printed lines. */
    private readonly name = 'watch',
  ) {}

  /**
   * Sends an idempotent event, with retries until the service responds.
   *
   * @throws ApiError if the service returns an error
   */
  send<Event extends ClientEvent>(event: Event, payload: SentPayload<Event>): Promise<SuccessResponseTo<Event>> {
    return retryUntilAvailable(async () => {
      await withTimeout('the gateway to reconnect', this.gateway.whenConnected());
      return this.gateway.send(event, payload);
    });
  }

  log(what: string): void {
    this.narrator.narrate(this.name, what);
  }
}
