import type { PrincipalKey } from '../../kernel/contracts/principal.js';

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
