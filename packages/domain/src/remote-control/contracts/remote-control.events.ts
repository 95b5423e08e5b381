import type { PrincipalKey } from '../../kernel/contracts/principal.js';

/** All there is: no command opens a microphone or a camera. */
export const REMOTE_COMMAND = { SHUTDOWN: 'SHUTDOWN', REBOOT: 'REBOOT', FIND: 'FIND' } as const;
export type RemoteCommand = (typeof REMOTE_COMMAND)[keyof typeof REMOTE_COMMAND];

interface CommandFact {
  familyId: string;
  cid: string;
  did: number;
  commandId: string;
  command: RemoteCommand;
}

/** Key of `userctx.*`: `familyId`; of `gateway.*`: `watch:<did>`. */
export interface RemoteControlEvents {
  /** `time`: Unix milliseconds. */
  'userctx.remote-command.queued': CommandFact & { by: PrincipalKey; time: number };
  /** The watch must not see it any more, if it has not yet. */
  'userctx.remote-command.cancelled': CommandFact & { by: PrincipalKey; time: number };
  /** It lies in the watch's mailbox. */
  'gateway.remote-command.sent': { did: number; commandId: string; time: number };
}
