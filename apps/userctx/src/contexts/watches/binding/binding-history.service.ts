import { Injectable } from '@nestjs/common';
import { WatchBindingRepository } from './watch-binding.repository.js';
import type { EffectiveBinding, WatchMoment } from './watch-binding.repository.js';

export type { EffectiveBinding } from './watch-binding.repository.js';

/** Provides bindings to other contexts. */
@Injectable()
export class BindingHistoryService {
  constructor(private readonly bindings: WatchBindingRepository) {}

  /** Returns the binding that was effective at this time (Unix milliseconds), even if it has ended since. */
  findAt(did: number, time: number): Promise<EffectiveBinding | null> {
    return this.bindings.findAt(did, time);
  }

  /** Returns the effective binding for each watch and time, in the order of `moments`. */
  findAllAt(moments: readonly WatchMoment[]): Promise<(EffectiveBinding | null)[]> {
    return moments.length === 0 ? Promise.resolve([]) : this.bindings.findAllAt(moments);
  }
}
