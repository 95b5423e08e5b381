import {
  createClient,
  createRestClient,
  enrolWatch,
  GatewayClient,
  responseData,
  WatchKey,
  watchTokenSource,
  type Schema,
} from '@family-watch/client';
import { isImei } from '@family-watch/domain/watches/contracts/watch';
import { IncomingMessages } from '../incoming-messages.js';
import type { Narrator } from '../narrator.js';
import { pollUntil, retryUntilAvailable, withTimeout } from '../retry.js';
import { LocationReporter } from './location-reporter.js';
import { WatchPower, RemoteCommands } from './remote-commands.js';
import { WatchConnection } from './watch-connection.js';
import { WatchSettings } from './watch-settings.js';
import { WatchTelephone } from './watch-telephone.js';
import { WatchVitals } from './watch-vitals.js';

/** Start of an IMEI of test equipment (3GPP TS 23.003, 6.2.1); no sold device has such an IMEI. */
const TEST_IMEI_PREFIX = '00101234';

/** Returns a random, well-formed IMEI of test equipment. */
export function randomImei(): string {
  const serial = String(Math.floor(Math.random() * 1_000_000)).padStart(6, '0');
  const imei = Array.from({ length: 10 }, (_, check) => `${TEST_IMEI_PREFIX}${serial}${check}`).find(isImei);
  if (!imei) throw new Error('No check digit found');
  return imei;
}

/** A simulated watch that uses the API like a real watch, with its own key, token and socket. */
export class SimulatedWatch {
  readonly incoming: IncomingMessages;
  readonly settings: WatchSettings;
  readonly locationReporter: LocationReporter;
  readonly telephone: WatchTelephone;
  private reconnections = 0;

  private constructor(
    readonly connection: WatchConnection,
    readonly vitals: WatchVitals,
  ) {
    const { gateway } = connection;
    this.incoming = new IncomingMessages(gateway);
    this.settings = new WatchSettings(connection);
    this.locationReporter = new LocationReporter(connection, vitals);
    this.telephone = new WatchTelephone(connection, this.settings);
    new RemoteCommands(connection, new WatchPower(connection));
    gateway.on('disconnected', (reason) => {
      this.reconnections += 1;
      connection.log(`lost the connection (${reason}) and reconnects`);
    });
  }

  /** Creates a watch: generates its key, enrols it and connects it to the gateway. */
  static async switchOn(url: string, narrator: Narrator, name?: string): Promise<SimulatedWatch> {
    const key = await WatchKey.generate();
    const anonymous = createClient({ url });
    const claims = { imei: randomImei(), model: 'Simulated watch', firmwareVersion: '1.0.0' };
    const did = await retryUntilAvailable(() => enrolWatch(anonymous, key, claims));
    const tokens = watchTokenSource(anonymous, key, did);
    const vitals = new WatchVitals();
    const gateway = new GatewayClient({ url, tokens, heartbeat: () => vitals.heartbeat() });
    const connection = new WatchConnection(did, createRestClient({ url, tokens }), gateway, narrator, name);
    const watch = new SimulatedWatch(connection, vitals);
    gateway.start();
    await withTimeout('the gateway', gateway.whenConnected());
    connection.log(`enrolled as ${did} and connected`);
    return watch;
  }

  get did(): number {
    return this.connection.did;
  }

  get reconnectionCount(): number {
    return this.reconnections;
  }

  /** Creates the bind code that the watch displays. */
  async createBindCode(): Promise<{ bindCode: string; confirmCode: string }> {
    const code = await retryUntilAvailable(() =>
      responseData(this.connection.api.POST('/apis/v2/userctx/watch/bind-code/create')),
    );
    this.connection.log(`shows a QR code and the digits ${code.confirmCode}`);
    return code;
  }

  async waitUntilBound(): Promise<void> {
    const notices = () => this.incoming.ofKind('DeviceBindStateChangeNoticeMessage');
    const isBound = () => notices().at(-1)?.message.payload.state === 'BOUND' || undefined;
    await pollUntil('the notice of the binding', isBound);
    this.connection.log('is bound');
  }

  /** Sends a heartbeat immediately, in addition to the periodic heartbeats. */
  async sendHeartbeat(): Promise<void> {
    await this.connection.send('HeartbeatMessage', this.vitals.heartbeat());
  }

  /** Raises an SOS with the last location, as if the child pressed the button. */
  async raiseSos(): Promise<Schema<'RaisedSosDto'>> {
    const body = { time: Date.now(), location: this.locationReporter.lastPoint() };
    return retryUntilAvailable(() =>
      responseData(this.connection.api.POST('/apis/v2/userctx/watch/sos/raise', { body })),
    );
  }

  log(what: string): void {
    this.connection.log(what);
  }

  switchOff(): void {
    this.connection.gateway.stop();
  }
}
