import { Injectable } from '@nestjs/common';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { ChildrenService } from '../children/children.service.js';
import type { ChildLink } from '../families/child-watch-links.service.js';

/**
 * Finds the time zone of a child. All schedules use the child's time zone, regardless of the time zones of parents and
 * server.
 */
@Injectable()
export class ChildTimeZoneService {
  constructor(private readonly children: ChildrenService) {}

  /**
   * Returns the IANA name.
   * @throws ServiceError WATCH_NOT_FOUND if the child has been deleted.
   */
  async find({ familyId, cid }: ChildLink): Promise<string> {
    const timeZone = await this.children.findTimeZone(familyId, cid);
    if (timeZone === null) throw new ServiceError('WATCH_NOT_FOUND');
    return timeZone;
  }
}
