import { outboundRuleOf } from '../../messages/contracts/message-kinds.js';
import type { MessageKind } from '../../messages/contracts/message-kinds.js';
import type { RemoteCommand } from './remote-control.events.js';

/**
 * States of a remote command. `SENT`: the command is stored in the watch's mailbox and delivered when the watch is
 * connected.
 */
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

/** The message kind in which each command is sent to the watch. */
export const COMMAND_KIND = {
  SHUTDOWN: 'RemoteControlShutdownNoticeMessage',
  REBOOT: 'RemoteControlRebootNoticeMessage',
  FIND: 'RemoteControlFindNoticeMessage',
} as const satisfies Record<RemoteCommand, MessageKind>;

/** Returns the milliseconds after which a command that the watch has not started must not be executed. */
export function commandTtlMs(command: RemoteCommand): number {
  const { ttl } = outboundRuleOf(COMMAND_KIND[command]);
  if (ttl === null) throw new Error(`${command} would never expire`);
  return ttl;
}
