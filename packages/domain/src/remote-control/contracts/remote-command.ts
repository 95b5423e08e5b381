import type { PrincipalKey } from '../../kernel/contracts/principal.js';
import { outboundRuleOf } from '../../messages/contracts/message-kinds.js';
import type { MessageKind } from '../../messages/contracts/message-kinds.js';

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

/** The key of events `userctx.*` is `familyId`, and that of events `gateway.*` is `watch:<did>`. */
export interface RemoteControlEvents {
  /** `time`: Unix milliseconds. */
  'userctx.remote-command.queued': CommandEventPayload & { by: PrincipalKey; time: number };
  /** The undelivered message of the command must be withdrawn. */
  'userctx.remote-command.cancelled': CommandEventPayload & { by: PrincipalKey; time: number };
  /** The message of the command is stored in the watch's mailbox. */
  'gateway.remote-command.sent': { did: number; commandId: string; time: number };
}

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
