import { DeviceIdField, EnumField, ReferenceField, StringField } from '../../kernel/dto/fields.js';
import type { PrincipalKey } from '../../kernel/contracts/principal.js';
import { BIND_STATE } from '../contracts/payloads.js';
import type { BindState, DeviceBindStateChangePayload } from '../contracts/payloads.js';

/** DeviceBindStateChangeNoticeMessage. */
export class DeviceBindStateChangeDto implements DeviceBindStateChangePayload {
  @DeviceIdField()
  did: number;

  @ReferenceField({ description: 'The child that the watch was bound to or unbound from' })
  cid: string;

  @EnumField(BIND_STATE)
  state: BindState;

  @StringField({ example: 'user:6f1c2f0e-51c5-4a59-9d3e-1d5f7a3f6f0b', description: 'Principal that did it' })
  by: PrincipalKey;
}
