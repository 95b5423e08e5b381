import { IntegerField, EnumField, ReferenceField, StringField } from '../../kernel/dto/fields.js';
import { MESSAGE_STATUS } from '../contracts/payloads.js';
import type { AckPayload, MessageStatus } from '../contracts/payloads.js';

/** AckMessage from a client: either `seq`, or `messageId` with `status`. */
export class AckDto implements AckPayload {
  @IntegerField({
    optional: true,
    min: 0,
    example: 1_204,
    description: 'This session has received every durable message up to this sequence number',
  })
  seq?: number;

  @ReferenceField({ optional: true, description: 'The message that `status` refers to' })
  messageId?: string;

  @EnumField(MESSAGE_STATUS, { optional: true })
  status?: MessageStatus;

  @IntegerField({ optional: true, min: 0, description: 'Version of the applied settings' })
  version?: number;

  @StringField({ optional: true, minLength: 1, maxLength: 64, description: 'Reason for REJECTED' })
  reason?: string;
}
