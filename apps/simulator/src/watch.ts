import { ApiError } from '@family-watch/client/api-error';
import { createRestClient } from '@family-watch/client/rest/rest-client';
import type { RestClient } from '@family-watch/client/rest/rest-client';
import { dataOf } from '@family-watch/client/rest/result';
import { GatewayClient } from '@family-watch/client/socket/gateway-client';
import { enrolWatch, watchTokens } from '@family-watch/client/watch/watch-identity';
import { WatchKey } from '@family-watch/client/watch/watch-key';
import type { Location } from '@family-watch/domain/locations/contracts/location';
import type { ContactsChangePayload } from '@family-watch/domain/messages/contracts/payloads';
import { AppliedSettings } from './applied-settings.js';
import { randomImei } from './imei.js';
import type { Narrator } from './narrator.js';
import { eventually, patiently, within } from './patience.js';
import type { Walker } from './walk.js';

/** A simulated watch with a key, a token and a socket of its own. */
export class Watch implements Walker {
  readonly contactChanges: ContactsChangePayload[] = [];
  readonly refused: { point: Location; reason: string | null }[] = [];
  acknowledged = 0;
  private bound = false;
  private reconnections = 0;

  private constructor(
    readonly did: number,
    private readonly api: RestClient,
    private readonly gateway: GatewayClient,
    private readonly narrator: Narrator,
  ) {
    gateway.onMessage('DeviceBindStateChangeNoticeMessage', ({ payload }) => {
      this.bound = payload.state === 'BOUND';
      narrator.say('watch', `hears that it is ${payload.state}`);
    });
    gateway.onMessage('ContactsChangeNoticeMessage', ({ payload }) => {
      this.contactChanges.push(payload);
      narrator.say('watch', `hears that contact list ${payload.version} has a contact ${payload.change}`);
    });
    gateway.on('lost', (reason) => {
      this.reconnections += 1;
      narrator.say('watch', `lost its connection (${reason}) and will come back`);
    });
  }

  /** Makes a key, becomes known by it and connects. */
  static async switchOn(url: string, narrator: Narrator): Promise<Watch> {
    const key = await WatchKey.generate();
    const anonymous = createRestClient({ url });
    const claims = { imei: randomImei(), model: 'Simulated watch', firmwareVersion: '1.0.0' };
    const did = await patiently(() => enrolWatch(anonymous, key, claims));
    narrator.say('watch', `enrolled as ${did}`);
    const tokens = watchTokens(anonymous, key, did);
    const heartbeat = () => ({ battery: 83, charging: false, worn: true, signal: 3, signalMax: 4 });
    const gateway = new GatewayClient({ url, tokens, heartbeat });
    const api = createRestClient({ url, tokens });
    const watch = new Watch(did, api, gateway, narrator);
    new AppliedSettings(api, gateway, narrator);
    gateway.start();
    await within('the gateway', gateway.ready());
    narrator.say('watch', 'connected');
    return watch;
  }

  get timesReconnected(): number {
    return this.reconnections;
  }

  /** The code on its display. */
  async showCode(): Promise<{ bindCode: string; confirmCode: string }> {
    const code = await patiently(() => dataOf(this.api.POST('/apis/v2/userctx/watch/bind-code/create')));
    this.narrator.say('watch', `shows a QR code and the digits ${code.confirmCode}`);
    return code;
  }

  async untilBound(): Promise<void> {
    await eventually('the watch to hear that it is bound', () => this.bound || undefined);
  }

  /** Resolves when the service has said of every point that it is on disk, or why it will not be kept. */
  async report(points: Location[]): Promise<void> {
    const { points: answers } = await patiently(async () => {
      await within('the gateway to come back', this.gateway.ready());
      return this.gateway.send('LocationPointChangeMessage', { points });
    });
    for (const { index, accepted, reason } of answers) {
      const point = points[index];
      if (accepted) this.acknowledged += 1;
      else if (point) this.refused.push({ point, reason });
    }
    if (answers.length !== points.length) {
      throw new ApiError({ status: 200, code: 0, reason: 'UNKNOWN', message: 'Some points were not answered' });
    }
  }

  switchOff(): void {
    this.gateway.stop();
  }
}
