import { setTimeout as sleep } from 'node:timers/promises';
import { withTimeout, retryUntilAvailable } from '../retry.js';
import type { WatchConnection } from './watch-connection.js';

/** Milliseconds from the shutdown to the start of the gateway client in a restart. */
const BOOT_DURATION_MS = 500;

/** Shuts the watch down and restarts it, with the notices that a real watch sends. */
export class WatchPower {
  constructor(private readonly connection: WatchConnection) {}

  async shutDown(): Promise<void> {
    await this.connection.send('WristwatchShutdownNoticeMessage', { time: Date.now(), cause: 'REMOTE' });
    this.connection.gateway.stop();
    this.connection.log('shuts down');
  }

  async restart(): Promise<void> {
    await this.shutDown();
    await sleep(BOOT_DURATION_MS);
    this.connection.gateway.start();
    await withTimeout('the gateway', this.connection.gateway.whenConnected());
    await this.connection.send('WristwatchStartupNoticeMessage', { time: Date.now(), cause: 'REMOTE' });
    this.connection.log('has started');
  }
}

/** A received message with a remote command; its payload contains the command's id. */
interface CommandMessage {
  id: string;
  payload: { commandId: string };
}

/** Handles remote commands: acknowledges the message, executes the command and reports its result. */
export class RemoteCommands {
  constructor(
    private readonly connection: WatchConnection,
    private readonly power: WatchPower,
  ) {
    const { gateway } = connection;
    gateway.onMessage('RemoteControlFindNoticeMessage', (command) => this.ring(command));
    gateway.onMessage('RemoteControlRebootNoticeMessage', (command) => this.reboot(command));
    gateway.onMessage('RemoteControlShutdownNoticeMessage', (command) => this.shutDown(command));
  }

  private async ring(command: CommandMessage): Promise<void> {
    await this.acknowledge(command);
    this.connection.log('rings and flashes');
    await this.report(command);
  }

  private async reboot(command: CommandMessage): Promise<void> {
    await this.acknowledge(command);
    await this.power.restart();
    await this.report(command);
  }

  /** Reports the result before the shutdown, because the watch is offline afterwards. */
  private async shutDown(command: CommandMessage): Promise<void> {
    await this.acknowledge(command);
    await this.report(command);
    await this.power.shutDown();
  }

  private async acknowledge({ id: messageId }: CommandMessage): Promise<void> {
    await this.connection.send('AckMessage', { messageId, status: 'APPLIED' });
  }

  private async report({ payload: { commandId } }: CommandMessage): Promise<void> {
    const body = { commandId, ok: true };
    await retryUntilAvailable(() => this.connection.api.POST('/apis/v2/userctx/watch/command/result', { body }));
  }
}
