import type { RemoteCommand } from '@family-watch/domain/remote-control/contracts/remote-command';

const TTL_MS: Record<RemoteCommand, number> = { SHUTDOWN: 600_000, REBOOT: 600_000, FIND: 120_000 };
const RESULT_TIMEOUT_MS = 600_000;

export type Outcome = 'ok' | 'COMMAND_STATE' | 'SOS_ACTIVE';

interface Command {
  commandId: string;
  command: RemoteCommand;
  /** Whether the watch has acknowledged that it executes the command. */
  isStarted: boolean;
  isSent: boolean;
  /** The final state, if any. */
  finalState: 'DONE' | 'REJECTED' | 'EXPIRED' | 'CANCELLED' | null;
  /** When the command expires unless its state changes before, in Unix milliseconds. */
  dueAt: number;
}

/** Model of the commands to one watch, independent of the state table. */
export class CommandsModel {
  now: number;
  /** All commands to the watch, oldest first. */
  readonly commands: Command[] = [];
  /** Id of the child's unresolved SOS. */
  sosId: string | null = null;
  /** Ids of the SOS calls whose event is not delivered yet. */
  undeliveredSosIds: string[] = [];

  constructor(now: number) {
    this.now = now;
  }

  /** Returns the stored state. Expired commands become EXPIRED when the expiry job runs or a command is issued. */
  stateOf({ finalState, isStarted, isSent }: Command): string {
    return finalState ?? (isStarted ? 'ACKED' : isSent ? 'SENT' : 'QUEUED');
  }

  /** @returns the pending command that is reused, undefined if a new command is expected, or the rejection reason */
  issue(command: RemoteCommand): Command | 'SOS_ACTIVE' | undefined {
    if (this.sosId !== null && command !== 'FIND') return 'SOS_ACTIVE';
    this.expire();
    return this.commands.find(
      (existing) => existing.command === command && existing.finalState === null && !existing.isStarted,
    );
  }

  add(commandId: string, command: RemoteCommand): void {
    this.commands.push({
      commandId,
      command,
      isStarted: false,
      isSent: false,
      finalState: null,
      dueAt: this.now + TTL_MS[command],
    });
  }

  expire(): void {
    for (const command of this.commands)
      if (command.finalState === null && command.dueAt <= this.now) command.finalState = 'EXPIRED';
  }

  markSent(command: Command): void {
    if (command.finalState === null && !command.isStarted) command.isSent = true;
  }

  acknowledge(command: Command, applied: boolean): void {
    if (!this.isOpen(command)) return;
    if (!applied) command.finalState = 'REJECTED';
    else if (!command.isStarted) Object.assign(command, { isStarted: true, dueAt: this.now + RESULT_TIMEOUT_MS });
  }

  reportResult(command: Command, ok: boolean): Outcome {
    const expectedEnd = ok ? 'DONE' : 'REJECTED';
    if (this.isOpen(command)) command.finalState = expectedEnd;
    return command.finalState === expectedEnd ? 'ok' : 'COMMAND_STATE';
  }

  cancel(command: Command): Outcome {
    if (this.isOpen(command) && !command.isStarted) command.finalState = 'CANCELLED';
    return command.finalState === 'CANCELLED' ? 'ok' : 'COMMAND_STATE';
  }

  raiseSos(sosId: string): void {
    if (this.sosId === null) this.undeliveredSosIds.push(sosId);
    this.sosId = sosId;
  }

  /** Delivers the event of an SOS: cancels shutdown and reboot commands, unless the SOS is resolved. */
  deliverSos(): void {
    this.undeliveredSosIds.shift();
    if (this.sosId === null) return;
    for (const command of this.commands) if (command.command !== 'FIND') this.cancel(command);
  }

  private isOpen({ finalState, dueAt }: Command): boolean {
    return finalState === null && dueAt > this.now;
  }
}
