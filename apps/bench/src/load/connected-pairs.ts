import type { DeliveryGuarantees } from '../checker/history.js';
import type { ChatPair } from './chat-pair.js';
import type { Recorder } from './recorder.js';

/** Connected clients of one run. */
export interface ConnectedPairs {
  pairs: readonly ChatPair[];
  /** What they saw; absent where the checker has nothing to ask. */
  recorder?: Recorder;
  guarantees?: DeliveryGuarantees;
  close(): void;
}
