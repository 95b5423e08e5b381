import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { FOLDER_STATE } from '@family-watch/domain/family-cloud/contracts/folder';
import { MAX_FOLDER_DEPTH, MAX_FOLDERS_PER_CLOUD } from '@family-watch/domain/family-cloud/contracts/content';
import type { FolderEntity } from '@family-watch/domain/family-cloud/entities/folder.entity';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk.unit-of-work.js';
import type { ResolvedFolder } from './folder-lookup.service.js';
import { FolderRepository } from './folder.repository.js';

const { ACTIVE } = FOLDER_STATE;
const ROOT: ResolvedFolder = { folderId: null, pathIds: [] };

/** A folder that is to be made. */
export interface NewFolder {
  parentFolderId: string | null;
  name: string;
  createdBy: PrincipalKey;
}

/**
 * The tree of a cloud's folders. Each method joins the open unit of work or is one of its own, and takes the lock of
 * the tree first: a unit that changes contents too locks those before, and one that holds folders takes the tree
 * before it holds any. Who may change it is decided by whoever asks.
 */
@Injectable()
export class FolderTreeService {
  constructor(
    private readonly catalogs: FolderRepository,
    private readonly unitOfWork: McdiskUnitOfWork,
  ) {}

  /** @throws ServiceError CATALOG_NOT_FOUND for the parent, CATALOG_EXISTS, LIMIT_REACHED for depth and number */
  create(cloudId: string, { parentFolderId, name, createdBy }: NewFolder): Promise<FolderEntity> {
    return this.changing(cloudId, async () => {
      const parent = await this.placeOf(cloudId, parentFolderId);
      await this.assertFree(cloudId, parent, name);
      if (!(await this.takesOneMore(cloudId, parent))) throw new ServiceError('LIMIT_REACHED');
      const [folderId, now] = [randomUUID(), Date.now()];
      const catalog: FolderEntity = {
        folderId: folderId,
        cloudId,
        parentFolderId: parentFolderId,
        name,
        createdBy,
        state: ACTIVE,
        pathIds: [...parent.pathIds, folderId],
        createdAt: now,
        updatedAt: now,
      };
      await this.catalogs.insert(catalog);
      return catalog;
    });
  }

  /**
   * @param mayRename is asked about the folder as it stands; its refusal is thrown
   * @throws ServiceError CATALOG_NOT_FOUND, PERMISSION_MISSING, CATALOG_EXISTS
   */
  rename(
    cloudId: string,
    folderId: string,
    { name, mayRename }: { name: string; mayRename: (catalog: FolderEntity) => boolean },
  ): Promise<FolderEntity> {
    return this.changing(cloudId, async () => {
      const catalog = await this.require(cloudId, folderId);
      if (!mayRename(catalog)) throw new ServiceError('PERMISSION_MISSING');
      if (catalog.name === name) return catalog;
      await this.assertFree(cloudId, { folderId: catalog.parentFolderId }, name);
      const changes = { name, updatedAt: Date.now() };
      await this.catalogs.rename(cloudId, folderId, changes);
      return { ...catalog, ...changes };
    });
  }

  /**
   * Takes all along that is below. To where it is already: changes nothing.
   * @param targetId `null`: the root catalog
   * @throws ServiceError CATALOG_NOT_FOUND for either, CATALOG_CYCLE, CATALOG_EXISTS, LIMIT_REACHED for the depth
   */
  move(cloudId: string, folderId: string, targetId: string | null): Promise<FolderEntity> {
    return this.changing(cloudId, async () => {
      const catalog = await this.require(cloudId, folderId);
      const target = await this.placeOf(cloudId, targetId);
      if (target.pathIds.includes(folderId)) throw new ServiceError('CATALOG_CYCLE');
      if (catalog.parentFolderId === targetId) return catalog;
      await this.assertFree(cloudId, target, catalog.name);
      const deepest = (await this.catalogs.findTree(cloudId, folderId)).at(-1) ?? catalog;
      const depth = target.pathIds.length + 1 + deepest.pathIds.length - catalog.pathIds.length;
      if (depth > MAX_FOLDER_DEPTH) throw new ServiceError('LIMIT_REACHED');
      return this.replant(catalog, target);
    });
  }

  /**
   * Deletes a folder and those below it, as far as nothing active is in them; whoever puts something in meanwhile
   * comes before or not at all.
   * @returns ids of the deleted ones; without `folderId` when something is left in it
   */
  deleteEmpty(cloudId: string, folderId: string): Promise<string[]> {
    return this.changing(cloudId, async () => {
      if (!isUuid(folderId)) return [];
      await this.catalogs.lockSubtree(cloudId, folderId);
      return this.catalogs.deleteEmpty(cloudId, folderId, Date.now());
    });
  }

  /**
   * Makes sure that contents which are restored have a place: folders that were deleted come back, with those above
   * them. Where another folder has their name now, that one takes their place; where there is no room for one, the
   * folder above it does.
   * @param folderIds where the contents lay; `null`: the root catalog
   * @returns where they go, by where they lay; nobody deletes those folders before the unit of work ends
   */
  restoreAncestors(
    cloudId: string,
    folderIds: readonly (string | null)[],
  ): Promise<Map<string | null, ResolvedFolder>> {
    return this.changing(cloudId, async () => {
      const known = await this.withAllAbove(
        cloudId,
        folderIds.flatMap((id) => id ?? []),
      );
      const places = new Map<string | null, ResolvedFolder>([[null, ROOT]]);
      for (const folderId of folderIds) await this.placeAgain(known, places, folderId);
      return places;
    });
  }

  private changing<Result>(cloudId: string, work: () => Promise<Result>): Promise<Result> {
    return this.unitOfWork.run(async () => {
      await this.catalogs.lockTree(cloudId);
      return work();
    });
  }

  private async require(cloudId: string, folderId: string): Promise<FolderEntity> {
    const catalog = isUuid(folderId) ? await this.catalogs.findActive(cloudId, folderId) : null;
    if (!catalog) throw new ServiceError('CATALOG_NOT_FOUND');
    return catalog;
  }

  private placeOf(cloudId: string, folderId: string | null): Promise<ResolvedFolder> {
    return folderId === null ? Promise.resolve(ROOT) : this.require(cloudId, folderId);
  }

  private async assertFree(cloudId: string, parent: Pick<ResolvedFolder, 'folderId'>, name: string): Promise<void> {
    if (await this.catalogs.findNamed(cloudId, parent.folderId, name)) throw new ServiceError('CATALOG_EXISTS');
  }

  private async takesOneMore(cloudId: string, parent: ResolvedFolder): Promise<boolean> {
    return (
      parent.pathIds.length < MAX_FOLDER_DEPTH && (await this.catalogs.countActive(cloudId)) < MAX_FOLDERS_PER_CLOUD
    );
  }

  private async replant(catalog: FolderEntity, target: ResolvedFolder): Promise<FolderEntity> {
    const { cloudId, folderId } = catalog;
    const now = Date.now();
    await this.catalogs.lockSubtree(cloudId, folderId);
    await this.catalogs.moveSubtree(cloudId, folderId, target, now);
    const pathIds = [...target.pathIds, folderId];
    return { ...catalog, parentFolderId: target.folderId, pathIds, state: ACTIVE, updatedAt: now };
  }

  private async withAllAbove(cloudId: string, folderIds: readonly string[]): Promise<Map<string, FolderEntity>> {
    const named = await this.catalogs.findMany(cloudId, [...new Set(folderIds)]);
    const all = await this.catalogs.findMany(cloudId, [...new Set(named.flatMap(({ pathIds }) => pathIds))]);
    return new Map(all.map((catalog) => [catalog.folderId, catalog]));
  }

  private async placeAgain(
    known: ReadonlyMap<string, FolderEntity>,
    places: Map<string | null, ResolvedFolder>,
    folderId: string | null,
  ): Promise<ResolvedFolder> {
    const before = places.get(folderId);
    if (before) return before;
    const catalog = folderId === null ? undefined : known.get(folderId);
    const place = catalog
      ? await this.placeFor(catalog, await this.placeAgain(known, places, catalog.parentFolderId))
      : ROOT;
    places.set(folderId, place);
    return place;
  }

  /** A folder or what takes its place, in where its parent is now. */
  private async placeFor(catalog: FolderEntity, parent: ResolvedFolder): Promise<ResolvedFolder> {
    if (catalog.state === ACTIVE) return catalog;
    const namesake = await this.catalogs.findNamed(catalog.cloudId, parent.folderId, catalog.name);
    if (namesake) return namesake;
    return (await this.takesOneMore(catalog.cloudId, parent)) ? this.replant(catalog, parent) : parent;
  }
}
