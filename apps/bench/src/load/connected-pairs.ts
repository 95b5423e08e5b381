import type { DeliveryGuarantees } from '../checker/history.js';
import type { ChatPair } from './chat-pair.js';
import type { Recorder } from './recorder.js';

/** Connected clients of one run. */
export interface ConnectedPairs {
  pairs: readonly ChatPair[];
  /** Recorder of sent and received messages; absent for servers that the checker does not verify. */
  recorder?: Recorder;
  guarantees?: DeliveryGuarantees;
  close(): void;
}
