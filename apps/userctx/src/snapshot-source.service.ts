import { Injectable } from '@nestjs/common';
import type { MinimumAppVersion } from '@family-watch/domain/operators/contracts/app-release';
import type { DisplayName, NameKey } from '@family-watch/domain/kernel/contracts/display-names';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import type { Revocation } from '@family-watch/domain/kernel/contracts/revocation';
import {
  SNAPSHOT_PAGE_SIZE,
  type Snapshot,
  type SnapshotVersion,
  type UnpublishedSnapshot,
} from '@family-watch/domain/kernel/contracts/snapshot-source';
import type { UserctxSource } from '@family-watch/platform/http/internal-operations';
import { AccountService } from './accounts/account.service.js';
import { AppReleasesService } from './operators/app-releases/app-releases.service.js';
import { RevocationRepository } from './accounts/sessions/revocation.repository.js';
import { ChildrenService } from './families/children/children.service.js';
import { FamilyRosterService } from './families/family-roster.service.js';
import { FamilySnapshotsService } from './families/family-snapshots.service.js';
import { FriendsService } from './families/friends/friends.service.js';
import { ChildRulesService } from './watches/child-rules/child-rules.service.js';
import { UserctxOutbox } from './infrastructure/userctx-infrastructure.js';

/** Reads the objects whose state one kind of event carries, such as the families of `userctx.family.changed`. */
interface SnapshotReader {
  listVersions(after: string | null, limit: number): Promise<SnapshotVersion[]>;
  find(ids: readonly string[]): Promise<Snapshot[]>;
}

/** Returns the current states of objects to the apps that store projections of them, and names to those that do not. */
@Injectable()
export class SnapshotSourceService implements UserctxSource {
  private readonly readersByEvent: ReadonlyMap<string, SnapshotReader>;

  constructor(
    families: FamilySnapshotsService,
    friends: FriendsService,
    childRules: ChildRulesService,
    private readonly revocations: RevocationRepository,
    private readonly appReleases: AppReleasesService,
    private readonly accounts: AccountService,
    private readonly children: ChildrenService,
    private readonly roster: FamilyRosterService,
    private readonly outbox: UserctxOutbox,
  ) {
    this.readersByEvent = new Map<string, SnapshotReader>([
      ['userctx.family.changed', families],
      ['userctx.friendship.changed', friends],
      ['userctx.child-rules.changed', childRules],
    ]);
  }

  async listVersions(event: string, after: string | null): Promise<SnapshotVersion[]> {
    return (await this.readersByEvent.get(event)?.listVersions(after, SNAPSHOT_PAGE_SIZE)) ?? [];
  }

  async find(event: string, ids: readonly string[]): Promise<Snapshot[]> {
    return (await this.readersByEvent.get(event)?.find(ids)) ?? [];
  }

  async findNames(keys: readonly NameKey[]): Promise<Partial<Record<NameKey, DisplayName>>> {
    const idsOf = (type: string) =>
      keys.flatMap((key) => (key.startsWith(`${type}:`) ? [key.slice(type.length + 1)] : [])).filter(isUuid);
    const [accounts, children, families] = await Promise.all([
      this.accounts.findNames(idsOf('user')),
      this.children.findNames(idsOf('child')),
      this.roster.findNames(idsOf('family')),
    ]);
    return Object.fromEntries([
      ...accounts.map(({ userId, nickname, avatar }) => [`user:${userId}`, { name: nickname, avatar }]),
      ...children.map(({ cid, name, avatar }) => [`child:${cid}`, { name, avatar }]),
      ...families.map(({ familyId, name }) => [`family:${familyId}`, { name, avatar: null }]),
    ]) as Partial<Record<NameKey, DisplayName>>;
  }

  listUnpublishedSnapshots(): Promise<UnpublishedSnapshot[]> {
    return this.outbox.listUnpublishedSnapshots();
  }

  listMinimumAppVersions(): Promise<MinimumAppVersion[]> {
    return this.appReleases.findMinimumVersions();
  }

  listRevocationsSince(time: number): Promise<Revocation[]> {
    return this.revocations.listSince(time);
  }
}
