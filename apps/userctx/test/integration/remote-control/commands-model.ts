import type { RemoteCommand } from '@family-watch/domain/remote-control/contracts/remote-control.events';

const LIFETIME: Record<RemoteCommand, number> = { SHUTDOWN: 600_000, REBOOT: 600_000, FIND: 120_000 };
const RESULT_TIME = 600_000;

export type Outcome = 'ok' | 'COMMAND_STATE' | 'SOS_ACTIVE';

interface Command {
  commandId: string;
  command: RemoteCommand;
  begun: boolean;
  sent: boolean;
  /** How it ended. */
  end: 'DONE' | 'REJECTED' | 'EXPIRED' | 'CANCELLED' | null;
  /** When its time is over. */
  due: number;
}

/** What commands to one watch are said to be, kept apart from the table of states. */
export class CommandsModel {
  now: number;
  /** Oldest first. */
  readonly commands: Command[] = [];
  /** The call for help that nobody has resolved. */
  sosId: string | null = null;
  /** Calls that the bus has still to bring. */
  onTheBus: string[] = [];

  constructor(now: number) {
    this.now = now;
  }

  /** What the table holds: a sweep may not have come by. */
  stateOf({ end, begun, sent }: Command): string {
    return end ?? (begun ? 'ACKED' : sent ? 'SENT' : 'QUEUED');
  }

  /** @returns the command that is the answer, undefined for a new one, or why it is refused */
  give(command: RemoteCommand): Command | 'SOS_ACTIVE' | undefined {
    if (this.sosId !== null && command !== 'FIND') return 'SOS_ACTIVE';
    this.sweep();
    return this.commands.find((given) => given.command === command && given.end === null && !given.begun);
  }

  add(commandId: string, command: RemoteCommand): void {
    this.commands.push({ commandId, command, begun: false, sent: false, end: null, due: this.now + LIFETIME[command] });
  }

  sweep(): void {
    for (const command of this.commands) if (command.end === null && command.due <= this.now) command.end = 'EXPIRED';
  }

  sent(command: Command): void {
    if (command.end === null && !command.begun) command.sent = true;
  }

  answer(command: Command, applied: boolean): void {
    if (!this.isOpen(command)) return;
    if (!applied) command.end = 'REJECTED';
    else if (!command.begun) Object.assign(command, { begun: true, due: this.now + RESULT_TIME });
  }

  result(command: Command, ok: boolean): Outcome {
    const wanted = ok ? 'DONE' : 'REJECTED';
    if (this.isOpen(command)) command.end = wanted;
    return command.end === wanted ? 'ok' : 'COMMAND_STATE';
  }

  cancel(command: Command): Outcome {
    if (this.isOpen(command) && !command.begun) command.end = 'CANCELLED';
    return command.end === 'CANCELLED' ? 'ok' : 'COMMAND_STATE';
  }

  raised(sosId: string): void {
    if (this.sosId === null) this.onTheBus.push(sosId);
    this.sosId = sosId;
  }

  /** The bus brings a call: what would silence the watch is taken back, unless the call is over. */
  brought(): void {
    this.onTheBus.shift();
    if (this.sosId === null) return;
    for (const command of this.commands) if (command.command !== 'FIND') this.cancel(command);
  }

  private isOpen({ end, due }: Command): boolean {
    return end === null && due > this.now;
  }
}
