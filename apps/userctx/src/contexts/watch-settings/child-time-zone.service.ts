import { Injectable } from '@nestjs/common';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { ChildDirectoryService } from '../children/child-directory.service.js';
import type { ChildLink } from '../families/child-link.js';

/** All schedules are in the time zone of the child, wherever parents and server are. */
@Injectable()
export class ChildTimeZoneService {
  constructor(private readonly children: ChildDirectoryService) {}

  /** IANA name. @throws ServiceError WATCH_NOT_FOUND when the child was deleted meanwhile. */
  async find({ familyId, cid }: ChildLink): Promise<string> {
    const timeZone = await this.children.findTimeZone(familyId, cid);
    if (timeZone === null) throw new ServiceError('WATCH_NOT_FOUND');
    return timeZone;
  }
}
