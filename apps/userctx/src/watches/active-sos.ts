import { Injectable } from '@nestjs/common';
import type { ChildLink } from '../families/family-roster.service.js';

type Child = Pick<ChildLink, 'familyId' | 'cid'>;
type ActiveSosLookup = (child: Child) => Promise<boolean>;

/** Tells whether a child has an unresolved SOS. The room `sos`, which stands above this room, connects its answer. */
@Injectable()
export class ActiveSos {
  private lookup: ActiveSosLookup | undefined;

  /** Must be called before the app accepts requests. */
  connect(lookup: ActiveSosLookup): void {
    this.lookup = lookup;
  }

  /** @throws Error if the room `sos` is not a part of the app */
  async isActive(child: Child): Promise<boolean> {
    if (!this.lookup) throw new Error('ActiveSos is not connected');
    return this.lookup(child);
  }
}
