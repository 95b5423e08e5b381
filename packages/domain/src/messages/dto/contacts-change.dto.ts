import { CONTACT_CHANGE } from '../../contacts/contracts/contact.events.js';
import type { ContactChange } from '../../contacts/contracts/contact.events.js';
import { DeviceIdField, IntegerField, EnumField, ReferenceField } from '../../kernel/dto/fields.js';
import type { ContactsChangePayload } from '../contracts/payloads.js';

/** ContactsChangeNoticeMessage. */
export class ContactsChangeDto implements ContactsChangePayload {
  @DeviceIdField()
  did: number;

  @IntegerField({ min: 0, description: 'Version of the contact list after the change' })
  version: number;

  @EnumField(CONTACT_CHANGE)
  change: ContactChange;

  @ReferenceField({ description: 'The changed contact' })
  refId: string;
}
