import { Injectable } from '@nestjs/common';
import { WatchBindingRepository } from './watch-binding.repository.js';
import type { EffectiveBinding, WatchMoment } from './watch-binding.repository.js';

export type { EffectiveBinding } from './watch-binding.repository.js';

/** Who was bound when: what other contexts may know of bindings. */
@Injectable()
export class BindingHistoryService {
  constructor(private readonly bindings: WatchBindingRepository) {}

  /** The binding of the watch that stood at this moment (Unix milliseconds), also if it has ended since. */
  findAt(did: number, time: number): Promise<EffectiveBinding | null> {
    return this.bindings.findAt(did, time);
  }

  /** The same for many, in their order. */
  findAllAt(moments: readonly WatchMoment[]): Promise<(EffectiveBinding | null)[]> {
    return moments.length === 0 ? Promise.resolve([]) : this.bindings.findAllAt(moments);
  }
}
