import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { CATALOG_STATE } from '@family-watch/domain/family-cloud/contracts/catalog';
import { MAX_CATALOG_DEPTH, MAX_CATALOGS } from '@family-watch/domain/family-cloud/contracts/content';
import type { CatalogEntity } from '@family-watch/domain/family-cloud/entities/catalog.entity';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk.unit-of-work.js';
import type { CatalogPlace } from './catalog-lookup.service.js';
import { CatalogRepository } from './catalog.repository.js';

const { ACTIVE } = CATALOG_STATE;
const ROOT: CatalogPlace = { catalogId: null, chain: [] };

/** A folder that is to be made. */
export interface NewCatalog {
  parentCatalogId: string | null;
  name: string;
  createdBy: PrincipalKey;
}

/**
 * The tree of a cloud's folders. Each method joins the open unit of work or is one of its own, and takes the lock of
 * the tree first: a unit that changes contents too locks those before, and one that holds folders takes the tree
 * before it holds any. Who may change it is decided by whoever asks.
 */
@Injectable()
export class CatalogTree {
  constructor(
    private readonly catalogs: CatalogRepository,
    private readonly unitOfWork: McdiskUnitOfWork,
  ) {}

  /** @throws ServiceError CATALOG_NOT_FOUND for the parent, CATALOG_EXISTS, LIMIT_REACHED for depth and number */
  create(cloudId: string, { parentCatalogId, name, createdBy }: NewCatalog): Promise<CatalogEntity> {
    return this.changing(cloudId, async () => {
      const parent = await this.placeOf(cloudId, parentCatalogId);
      await this.assertFree(cloudId, parent, name);
      if (!(await this.takesOneMore(cloudId, parent))) throw new ServiceError('LIMIT_REACHED');
      const [catalogId, now] = [randomUUID(), Date.now()];
      const catalog: CatalogEntity = {
        ...{ catalogId, cloudId, parentCatalogId, name, createdBy, state: ACTIVE },
        ...{ chain: [...parent.chain, catalogId], createdAt: now, updatedAt: now },
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
    catalogId: string,
    { name, mayRename }: { name: string; mayRename: (catalog: CatalogEntity) => boolean },
  ): Promise<CatalogEntity> {
    return this.changing(cloudId, async () => {
      const catalog = await this.require(cloudId, catalogId);
      if (!mayRename(catalog)) throw new ServiceError('PERMISSION_MISSING');
      if (catalog.name === name) return catalog;
      await this.assertFree(cloudId, { catalogId: catalog.parentCatalogId }, name);
      const changes = { name, updatedAt: Date.now() };
      await this.catalogs.rename(cloudId, catalogId, changes);
      return { ...catalog, ...changes };
    });
  }

  /**
   * Takes all along that is below. To where it is already: changes nothing.
   * @param targetId `null`: the root catalog
   * @throws ServiceError CATALOG_NOT_FOUND for either, CATALOG_CYCLE, CATALOG_EXISTS, LIMIT_REACHED for the depth
   */
  move(cloudId: string, catalogId: string, targetId: string | null): Promise<CatalogEntity> {
    return this.changing(cloudId, async () => {
      const catalog = await this.require(cloudId, catalogId);
      const target = await this.placeOf(cloudId, targetId);
      if (target.chain.includes(catalogId)) throw new ServiceError('CATALOG_CYCLE');
      if (catalog.parentCatalogId === targetId) return catalog;
      await this.assertFree(cloudId, target, catalog.name);
      const deepest = (await this.catalogs.findTree(cloudId, catalogId)).at(-1) ?? catalog;
      const depth = target.chain.length + 1 + deepest.chain.length - catalog.chain.length;
      if (depth > MAX_CATALOG_DEPTH) throw new ServiceError('LIMIT_REACHED');
      return this.replant(catalog, target);
    });
  }

  /**
   * Deletes a folder and those below it, as far as nothing active is in them; whoever puts something in meanwhile
   * comes before or not at all.
   * @returns ids of the deleted ones; without `catalogId` when something is left in it
   */
  deleteEmpty(cloudId: string, catalogId: string): Promise<string[]> {
    return this.changing(cloudId, async () => {
      if (!isUuid(catalogId)) return [];
      await this.catalogs.lockBelow(cloudId, catalogId);
      return this.catalogs.deleteEmpty(cloudId, catalogId, Date.now());
    });
  }

  /**
   * Makes sure that contents which are restored have a place: folders that were deleted come back, with those above
   * them. Where another folder has their name now, that one takes their place; where there is no room for one, the
   * folder above it does.
   * @param catalogIds where the contents lay; `null`: the root catalog
   * @returns where they go, by where they lay; nobody deletes those folders before the unit of work ends
   */
  bringBack(cloudId: string, catalogIds: readonly (string | null)[]): Promise<Map<string | null, CatalogPlace>> {
    return this.changing(cloudId, async () => {
      const known = await this.withAllAbove(
        cloudId,
        catalogIds.flatMap((id) => id ?? []),
      );
      const places = new Map<string | null, CatalogPlace>([[null, ROOT]]);
      for (const catalogId of catalogIds) await this.placeAgain(known, places, catalogId);
      return places;
    });
  }

  private changing<Result>(cloudId: string, work: () => Promise<Result>): Promise<Result> {
    return this.unitOfWork.run(async () => {
      await this.catalogs.lockTree(cloudId);
      return work();
    });
  }

  private async require(cloudId: string, catalogId: string): Promise<CatalogEntity> {
    const catalog = isUuid(catalogId) ? await this.catalogs.findActive(cloudId, catalogId) : null;
    if (!catalog) throw new ServiceError('CATALOG_NOT_FOUND');
    return catalog;
  }

  private placeOf(cloudId: string, catalogId: string | null): Promise<CatalogPlace> {
    return catalogId === null ? Promise.resolve(ROOT) : this.require(cloudId, catalogId);
  }

  private async assertFree(cloudId: string, parent: Pick<CatalogPlace, 'catalogId'>, name: string): Promise<void> {
    if (await this.catalogs.findNamed(cloudId, parent.catalogId, name)) throw new ServiceError('CATALOG_EXISTS');
  }

  private async takesOneMore(cloudId: string, parent: CatalogPlace): Promise<boolean> {
    return parent.chain.length < MAX_CATALOG_DEPTH && (await this.catalogs.countActive(cloudId)) < MAX_CATALOGS;
  }

  private async replant(catalog: CatalogEntity, target: CatalogPlace): Promise<CatalogEntity> {
    const { cloudId, catalogId } = catalog;
    const now = Date.now();
    await this.catalogs.lockBelow(cloudId, catalogId);
    await this.catalogs.replant(cloudId, catalogId, target, now);
    const chain = [...target.chain, catalogId];
    return { ...catalog, parentCatalogId: target.catalogId, chain, state: ACTIVE, updatedAt: now };
  }

  private async withAllAbove(cloudId: string, catalogIds: readonly string[]): Promise<Map<string, CatalogEntity>> {
    const named = await this.catalogs.findMany(cloudId, [...new Set(catalogIds)]);
    const all = await this.catalogs.findMany(cloudId, [...new Set(named.flatMap(({ chain }) => chain))]);
    return new Map(all.map((catalog) => [catalog.catalogId, catalog]));
  }

  private async placeAgain(
    known: ReadonlyMap<string, CatalogEntity>,
    places: Map<string | null, CatalogPlace>,
    catalogId: string | null,
  ): Promise<CatalogPlace> {
    const before = places.get(catalogId);
    if (before) return before;
    const catalog = catalogId === null ? undefined : known.get(catalogId);
    const place = catalog
      ? await this.placeFor(catalog, await this.placeAgain(known, places, catalog.parentCatalogId))
      : ROOT;
    places.set(catalogId, place);
    return place;
  }

  /** A folder or what takes its place, in where its parent is now. */
  private async placeFor(catalog: CatalogEntity, parent: CatalogPlace): Promise<CatalogPlace> {
    if (catalog.state === ACTIVE) return catalog;
    const namesake = await this.catalogs.findNamed(catalog.cloudId, parent.catalogId, catalog.name);
    if (namesake) return namesake;
    return (await this.takesOneMore(catalog.cloudId, parent)) ? this.replant(catalog, parent) : parent;
  }
}
