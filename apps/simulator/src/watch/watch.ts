import { createRestClient } from '@family-watch/client/rest/rest-client';
import { responseData } from '@family-watch/client/rest/response-data';
import type { Schema } from '@family-watch/client/rest/schemas';
import { GatewayClient } from '@family-watch/client/socket/gateway-client';
import { enrolWatch, watchTokenSource } from '@family-watch/client/watch/watch-identity';
import { WatchKey } from '@family-watch/client/watch/watch-key';
import { Arrivals } from '../arrivals.js';
import type { Narrator } from '../narrator.js';
import { eventually, patiently, within } from '../patience.js';
import { randomImei } from './imei.js';
import { Positioning } from './positioning.js';
import { Power } from './power.js';
import { RemoteCommands } from './remote-commands.js';
import { Telephone } from './telephone.js';
import { Vitals } from './vitals.js';
import { WatchLink } from './watch-link.js';
import { WatchSettings } from './watch-settings.js';

/** A simulated watch with a key, a token and a socket of its own, which does what a real one does. */
export class Watch {
  readonly arrivals: Arrivals;
  readonly settings: WatchSettings;
  readonly positioning: Positioning;
  readonly telephone: Telephone;
  private reconnections = 0;

  private constructor(
    private readonly link: WatchLink,
    readonly vitals: Vitals,
  ) {
    const { gateway } = link;
    this.arrivals = new Arrivals(gateway);
    this.settings = new WatchSettings(link);
    this.positioning = new Positioning(link, vitals);
    this.telephone = new Telephone(link, this.settings);
    new RemoteCommands(link, new Power(link));
    gateway.on('disconnected', (reason) => {
      this.reconnections += 1;
      link.tell(`lost its connection (${reason}) and will come back`);
    });
  }

  /** Makes a key, becomes known by it and connects. */
  static async switchOn(url: string, narrator: Narrator): Promise<Watch> {
    const key = await WatchKey.generate();
    const anonymous = createRestClient({ url });
    const claims = { imei: randomImei(), model: 'Simulated watch', firmwareVersion: '1.0.0' };
    const did = await patiently(() => enrolWatch(anonymous, key, claims));
    const tokens = watchTokenSource(anonymous, key, did);
    const vitals = new Vitals();
    const gateway = new GatewayClient({ url, tokens, heartbeat: () => vitals.heartbeat() });
    const link = new WatchLink(did, createRestClient({ url, tokens }), gateway, narrator);
    const watch = new Watch(link, vitals);
    gateway.start();
    await within('the gateway', gateway.whenConnected());
    link.tell(`enrolled as ${did} and connected`);
    return watch;
  }

  get did(): number {
    return this.link.did;
  }

  get timesReconnected(): number {
    return this.reconnections;
  }

  /** The code on its display. */
  async showCode(): Promise<{ bindCode: string; confirmCode: string }> {
    const code = await patiently(() => responseData(this.link.api.POST('/apis/v2/userctx/watch/bind-code/create')));
    this.link.tell(`shows a QR code and the digits ${code.confirmCode}`);
    return code;
  }

  async untilBound(): Promise<void> {
    const notices = () => this.arrivals.of('DeviceBindStateChangeNoticeMessage');
    const isBound = () => notices().at(-1)?.message.payload.state === 'BOUND' || undefined;
    await eventually('the watch to hear that it is bound', isBound);
    this.link.tell('hears that it is bound');
    // Where the counting for this child starts.
    const body = { stepTotal: this.vitals.stepTotal };
    await patiently(() => this.link.api.POST('/apis/v2/userctx/watch/steps/report', { body }));
  }

  /** Says how it is; it does so by itself, too, every few seconds. */
  async beat(): Promise<void> {
    await this.link.send('HeartbeatMessage', this.vitals.heartbeat());
  }

  /** The child presses the button for help. */
  async callForHelp(): Promise<Schema<'RaisedSosDto'>> {
    const body = { time: Date.now(), location: this.positioning.here() };
    return patiently(() => responseData(this.link.api.POST('/apis/v2/userctx/watch/sos/raise', { body })));
  }

  tell(what: string): void {
    this.link.tell(what);
  }

  switchOff(): void {
    this.link.gateway.stop();
  }
}
