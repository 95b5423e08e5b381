import { GatewayClient, type Schema } from '@family-watch/client';
import type { Service, Watch } from './accounts.js';

export type Place = { latitude: string; longitude: string };

/** A connected watch that does what parents ask: it applies settings, rings, and says where it is. */
export class AnsweringWatch {
  readonly gateway: GatewayClient;
  /** Whether the watch has been told to ring and has not stopped. */
  isRinging = false;
  private command: string | undefined;

  constructor(
    { url }: Service,
    private readonly watch: Watch,
    public place: Place,
  ) {
    this.gateway = new GatewayClient({ url, tokens: watch.tokens });
    this.gateway.onMessage('AskLocationPointNoticeMessage', () => this.report());
    this.gateway.onMessage('DeviceSettingsChangeNoticeMessage', ({ id }) => this.applySettings(id));
    this.gateway.onMessage('RemoteControlFindNoticeMessage', async ({ id, payload: { commandId } }) => {
      await this.gateway.send('AckMessage', { messageId: id, status: 'APPLIED' });
      [this.isRinging, this.command] = [true, commandId];
    });
  }

  get did(): number {
    return this.watch.did;
  }

  async connect(): Promise<this> {
    this.gateway.start();
    await this.gateway.whenConnected();
    return this;
  }

  async report(place = this.place): Promise<void> {
    this.place = place;
    await this.reportPoints([{ ...place, positionTime: Date.now(), radius: 10, pointType: 1 }]);
  }

  async reportPoints(points: readonly (Place & { positionTime: number; radius: number; pointType: number })[]) {
    await this.watch.client.watch.reportLocation({ points: [...points] as Schema<'LocationPointDto'>[] });
  }

  async stopRinging(): Promise<void> {
    if (this.command !== undefined)
      await this.watch.client.watch.reportCommandResult({ commandId: this.command, ok: true });
    this.isRinging = false;
  }

  private async applySettings(messageId: string): Promise<void> {
    const { DEVICE } = await this.watch.client.watch.pullSettings({ resources: 'DEVICE' });
    if (DEVICE) await this.gateway.send('AckMessage', { messageId, version: DEVICE.version, status: 'APPLIED' });
  }
}
