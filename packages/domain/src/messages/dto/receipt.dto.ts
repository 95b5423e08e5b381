import { UuidField, IntegerField, EnumField, ReferenceField, StringField } from '../../kernel/dto/fields.js';
import type { PrincipalKey } from '../../kernel/contracts/principal.js';
import { RECEIPT_STATUS } from '../contracts/payloads.js';
import type { ReceiptPayload, ReceiptStatus } from '../contracts/payloads.js';

/** AckMessage to the sender of chat messages, for `messageId` and all earlier messages of that sender. */
export class ReceiptDto implements ReceiptPayload {
  @ReferenceField()
  conversationId: string;

  @UuidField()
  messageId: string;

  @IntegerField({ min: 1 })
  conversationSeq: number;

  @EnumField(RECEIPT_STATUS)
  status: ReceiptStatus;

  @StringField({ example: 'watch:7312904418220331' })
  by: PrincipalKey;
}
