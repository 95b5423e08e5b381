import { DeviceId, OneOf, Reference, Text } from '../../kernel/dto/fields.js';
import type { PrincipalKey } from '../../kernel/contracts/principal.js';
import { BIND_STATE } from '../contracts/payloads.js';
import type { BindState, DeviceBindStateChangePayload } from '../contracts/payloads.js';

/** DeviceBindStateChangeNoticeMessage. */
export class DeviceBindStateChangeDto implements DeviceBindStateChangePayload {
  @DeviceId()
  did: number;

  @Reference({ description: 'The child whose watch it has become or was' })
  cid: string;

  @OneOf(BIND_STATE)
  state: BindState;

  @Text({ example: 'user:6f1c2f0e-51c5-4a59-9d3e-1d5f7a3f6f0b', description: 'Who did it' })
  by: PrincipalKey;
}
