import { Injectable } from '@nestjs/common';
import { ChildRepository } from './child.repository.js';

/** Answers other contexts' questions about children; whether the caller may know is asked of `FamilyAccessService` first. */
@Injectable()
export class ChildDirectoryService {
  constructor(private readonly children: ChildRepository) {}

  /** IANA name of the child's time zone, `null` when the family has no such child. */
  async findTimeZone(familyId: string, cid: string): Promise<string | null> {
    const child = await this.children.find(familyId, cid);
    return child?.timeZone ?? null;
  }
}
