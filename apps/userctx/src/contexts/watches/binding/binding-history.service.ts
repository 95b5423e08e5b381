import { Injectable } from '@nestjs/common';
import { WatchBindingRepository } from './watch-binding.repository.js';

/** As which child a watch acts, or acted. */
export interface StandingBinding {
  did: number;
  cid: string;
  familyId: string;
  /** Unix milliseconds. */
  boundAt: number;
  /** The watch was somebody else's before. */
  actedAsAnother: boolean;
}

/** Who was bound when: what other contexts may know of bindings. */
@Injectable()
export class BindingHistory {
  constructor(private readonly bindings: WatchBindingRepository) {}

  /** The binding of the watch that stood at this moment (Unix milliseconds), also if it has ended since. */
  async at(did: number, time: number): Promise<StandingBinding | null> {
    const binding = await this.bindings.findAt(did, time);
    if (!binding) return null;
    const { cid, familyId, boundAt } = binding;
    return { did, cid, familyId, boundAt, actedAsAnother: await this.bindings.actedAsAnother(did, cid, boundAt) };
  }
}
