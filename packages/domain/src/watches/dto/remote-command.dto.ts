import { StepUpDto, StepUpField } from '../../accounts/dto/profile.dto.js';
import {
  DeviceIdField,
  BooleanField,
  NestedListField,
  EnumField,
  DeviceIdQueryField,
  ReferenceField,
  StringField,
  UnixMillisecondsField,
} from '../../kernel/dto/fields.js';
import { MAX_PAGE_LIMIT } from '../../kernel/contracts/pagination.js';
import type { PrincipalKey } from '../../kernel/contracts/principal.js';
import { PageQueryDto } from '../../kernel/dto/page-query.dto.js';
import { COMMAND_STATE, REMOTE_COMMAND, type CommandState, type RemoteCommand } from '../contracts/remote-command.js';

export class CommandRequestDto {
  @DeviceIdField()
  did: number;
}

export class ShutdownRequestDto extends CommandRequestDto {
  @StepUpField('If omitted, the request fails with STEP_UP_REQUIRED')
  stepUp?: StepUpDto;
}

export class CommandListQueryDto extends PageQueryDto {
  @DeviceIdQueryField()
  did: number;
}

export class CommandReferenceDto {
  @DeviceIdField()
  did: number;

  @ReferenceField({ example: 'f0a2c9a4-2b8e-4c0b-a5b1-0d2b8a2f7c55' })
  commandId: string;
}

/** The result of a command that the watch has started. */
export class CommandResultDto {
  @ReferenceField({ example: 'f0a2c9a4-2b8e-4c0b-a5b1-0d2b8a2f7c55' })
  commandId: string;

  @BooleanField({ description: 'True if the command was executed' })
  ok: boolean;

  @StringField({ optional: true, maxLength: 200, description: 'Why the command was not executed' })
  reason?: string;
}

/** A remote command. No command opens a microphone or a camera. */
export class CommandDto {
  @ReferenceField()
  commandId: string;

  @EnumField(REMOTE_COMMAND)
  command: RemoteCommand;

  @EnumField(COMMAND_STATE, {
    description:
      "SENT: in the watch's mailbox; ACKED: the watch has started the command; final: DONE, REJECTED, EXPIRED, CANCELLED",
  })
  state: CommandState;

  @StringField({
    example: 'user:6f1c2f0e-51c5-4a59-9d3e-1d5f7a3f6f0b',
    description: 'Principal that issued the command',
  })
  by: PrincipalKey;

  @UnixMillisecondsField()
  queuedAt: number;

  @UnixMillisecondsField({ description: 'The watch must not start the command after this time' })
  expiresAt: number;

  @UnixMillisecondsField({ description: 'Time of the last change of state' })
  changedAt: number;

  @StringField({ nullable: true, description: 'Why the watch rejected the command' })
  reason: string | null;
}

export class CommandListDto {
  @NestedListField(() => CommandDto, { maxItems: MAX_PAGE_LIMIT, description: 'Newest first' })
  items: CommandDto[];

  @StringField({ nullable: true, description: '`cursor` of the next page; null on the last page' })
  nextCursor: string | null;
}
