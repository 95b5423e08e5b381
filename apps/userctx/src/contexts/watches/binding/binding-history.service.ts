import { Injectable } from '@nestjs/common';
import { WatchBindingRepository } from './watch-binding.repository.js';
import type { StandingBinding, WatchMoment } from './watch-binding.repository.js';

export type { StandingBinding } from './watch-binding.repository.js';

/** Who was bound when: what other contexts may know of bindings. */
@Injectable()
export class BindingHistory {
  constructor(private readonly bindings: WatchBindingRepository) {}

  /** The binding of the watch that stood at this moment (Unix milliseconds), also if it has ended since. */
  at(did: number, time: number): Promise<StandingBinding | null> {
    return this.bindings.findAt(did, time);
  }

  /** The same for many, in their order. */
  allAt(moments: readonly WatchMoment[]): Promise<(StandingBinding | null)[]> {
    return moments.length === 0 ? Promise.resolve([]) : this.bindings.findAllAt(moments);
  }
}
