import { CONTACT_CHANGE } from '../../contacts/contracts/contact.events.js';
import type { ContactChange } from '../../contacts/contracts/contact.events.js';
import { DeviceId, Integer, OneOf, Reference } from '../../kernel/dto/fields.js';
import type { ContactsChangePayload } from '../contracts/payloads.js';

/** ContactsChangeNoticeMessage. */
export class ContactsChangeDto implements ContactsChangePayload {
  @DeviceId()
  did: number;

  @Integer({ min: 0, description: 'Version of the contact list after the change' })
  version: number;

  @OneOf(CONTACT_CHANGE)
  change: ContactChange;

  @Reference({ description: 'The contact that changed' })
  refId: string;
}
