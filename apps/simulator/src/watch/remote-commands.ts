import { retryUntilAvailable } from '../retry.js';
import type { WatchPower } from './watch-power.js';
import type { WatchConnection } from './watch-link.js';

/** A command as it arrives: the message is the command's, by its id. */
interface Command {
  id: string;
  payload: { commandId: string };
}

/** Does what guardians tell it to: says that it begins, does it, and says what came of it. */
export class RemoteCommands {
  constructor(
    private readonly link: WatchConnection,
    private readonly power: WatchPower,
  ) {
    const { gateway } = link;
    gateway.onMessage('RemoteControlFindNoticeMessage', (command) => this.find(command));
    gateway.onMessage('RemoteControlRebootNoticeMessage', (command) => this.reboot(command));
    gateway.onMessage('RemoteControlShutdownNoticeMessage', (command) => this.shutDown(command));
  }

  private async find(command: Command): Promise<void> {
    await this.begin(command);
    this.link.log('rings and flashes, so that it is found');
    await this.report(command);
  }

  private async reboot(command: Command): Promise<void> {
    await this.begin(command);
    await this.power.restart();
    await this.report(command);
  }

  /** What is off reports nothing: the result comes first. */
  private async shutDown(command: Command): Promise<void> {
    await this.begin(command);
    await this.report(command);
    await this.power.shutDown();
  }

  private async begin({ id: messageId }: Command): Promise<void> {
    await this.link.send('AckMessage', { messageId, status: 'APPLIED' });
  }

  private async report({ payload: { commandId } }: Command): Promise<void> {
    const body = { commandId, ok: true };
    await retryUntilAvailable(() => this.link.api.POST('/apis/v2/userctx/watch/command/result', { body }));
  }
}
