import { outboundRuleOf } from '../../messages/contracts/message-kinds.js';
import type { MessageKind } from '../../messages/contracts/message-kinds.js';
import type { RemoteCommand } from './remote-control.events.js';

/** How far a command has come. `SENT`: in the watch's mailbox, from where it leaves as soon as the watch is connected. */
export const COMMAND_STATE = {
  QUEUED: 'QUEUED',
  SENT: 'SENT',
  ACKED: 'ACKED',
  DONE: 'DONE',
  REJECTED: 'REJECTED',
  EXPIRED: 'EXPIRED',
  CANCELLED: 'CANCELLED',
} as const;
export type CommandState = (typeof COMMAND_STATE)[keyof typeof COMMAND_STATE];

/** The message by which each command reaches the watch. */
export const COMMAND_KIND = {
  SHUTDOWN: 'RemoteControlShutdownNoticeMessage',
  REBOOT: 'RemoteControlRebootNoticeMessage',
  FIND: 'RemoteControlFindNoticeMessage',
} as const satisfies Record<RemoteCommand, MessageKind>;

/** Milliseconds after which a command that the watch has not begun must not be carried out any more. */
export function commandTtlMs(command: RemoteCommand): number {
  const { ttl } = outboundRuleOf(COMMAND_KIND[command]);
  if (ttl === null) throw new Error(`${command} would never expire`);
  return ttl;
}
