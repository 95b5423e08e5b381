import type { PrincipalKey } from '../../kernel/contracts/principal.js';
import { outboundRuleOf, type MessageKind } from '../../messages/contracts/message-kinds.js';

/** All remote commands. By design, no command opens a microphone or a camera. */
export const REMOTE_COMMAND = { SHUTDOWN: 'SHUTDOWN', REBOOT: 'REBOOT', FIND: 'FIND' } as const;
export type RemoteCommand = (typeof REMOTE_COMMAND)[keyof typeof REMOTE_COMMAND];

interface CommandEventPayload {
  familyId: string;
  cid: string;
  did: number;
  commandId: string;
  command: RemoteCommand;
}

/**
 * Events `userctx.*` have the key `familyId`; events `gateway.*` have the key `watch:<did>`. `time`: Unix milliseconds.
 */
export interface RemoteControlEvents {
  /** A member issued a command. The gateway sends the command's message to the watch. */
  'userctx.remote-command.queued': CommandEventPayload & { by: PrincipalKey; time: number };
  /** A member cancelled a command that the watch has not started. The gateway withdraws the undelivered message. */
  'userctx.remote-command.cancelled': CommandEventPayload & { by: PrincipalKey; time: number };
  /** The message of the command is stored in the watch's mailbox. */
  'gateway.remote-command.sent': { did: number; commandId: string; time: number };
}

/**
 * States of a remote command. SENT: the command's message is in the watch's mailbox and is delivered as soon as the
 * watch is connected. ACKED: the watch has started the command. DONE, REJECTED, EXPIRED and CANCELLED are final.
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

/** Returns the maximum time between issuing a command and starting it on the watch, in milliseconds. */
export function commandTtlMs(command: RemoteCommand): number {
  const { ttl } = outboundRuleOf(COMMAND_KIND[command]);
  if (ttl === null) throw new Error(`${command} would never expire`);
  return ttl;
}
