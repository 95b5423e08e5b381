import {
  LessThanOrEqual,
  type FindOptionsOrder,
  type FindOptionsWhere,
  type ObjectLiteral,
  type QueryDeepPartialEntity,
  type Repository,
} from 'typeorm';
import type { Page } from '@family-watch/domain/kernel/contracts/pagination';
import { toPage, type TimePageRequest } from './page-cursor.js';

/**
 * Inserts the entity unless it violates a unique constraint. Of several concurrent inserts of one key, exactly one
 * succeeds.
 * @returns whether the entity was inserted
 */
export async function insertIfAbsent<Entity extends ObjectLiteral>(
  repository: Repository<Entity>,
  values: QueryDeepPartialEntity<Entity>,
): Promise<boolean> {
  const insertion = repository.createQueryBuilder().insert().values(values).updateEntity(false);
  const result = await insertion.orIgnore().returning('1').execute();
  return (result.raw as unknown[]).length === 1;
}

/**
 * Returns at most `limit` rows that are due, the earliest first, and locks them until the current transaction ends. Skips
 * rows that another transaction has locked.
 * @param dueAt - the column that says when a row is due, Unix milliseconds or null
 */
export function lockDue<Entity extends ObjectLiteral>(
  repository: Repository<Entity>,
  dueAt: keyof Entity & string,
  now: number,
  limit: number,
): Promise<Entity[]> {
  return repository.find({
    where: { [dueAt]: LessThanOrEqual(now) } as FindOptionsWhere<Entity>,
    order: { [dueAt]: 'ASC' } as FindOptionsOrder<Entity>,
    take: limit,
    lock: { mode: 'pessimistic_write', onLocked: 'skip_locked' },
  });
}

/** Which rows a statement changes, and at most how many. */
export interface RowBatch<Entity> {
  where: FindOptionsWhere<Entity> | FindOptionsWhere<Entity>[];
  limit: number;
}

/** Deletes at most `limit` of the rows. Returns their number. */
export async function deleteBatch<Entity extends ObjectLiteral>(
  repository: Repository<Entity>,
  batch: RowBatch<Entity>,
): Promise<number> {
  const { condition, parameters } = rowsOf(repository, batch);
  const { affected } = await repository.createQueryBuilder().delete().where(condition, parameters).execute();
  return affected ?? 0;
}

/** Changes at most `limit` of the rows. Returns their number. */
export async function updateBatch<Entity extends ObjectLiteral>(
  repository: Repository<Entity>,
  batch: RowBatch<Entity>,
  change: QueryDeepPartialEntity<Entity>,
): Promise<number> {
  const { condition, parameters } = rowsOf(repository, batch);
  const { affected } = await repository
    .createQueryBuilder()
    .update()
    .set(change)
    .where(condition, parameters)
    .execute();
  return affected ?? 0;
}

/**
 * Neither DELETE nor UPDATE has a limit, so a subquery selects the rows. They are locked and found by their primary key:
 * with `ctid`, the statement would skip rows that a concurrent transaction has changed.
 */
function rowsOf<Entity extends ObjectLiteral>(repository: Repository<Entity>, { where, limit }: RowBatch<Entity>) {
  const keys = repository.metadata.primaryColumns;
  const rows = repository
    .createQueryBuilder('batch')
    .select(keys.map(({ propertyPath }) => `batch.${propertyPath}`))
    .where(where)
    .limit(limit)
    .setLock('pessimistic_write');
  const names = keys.map(({ databaseName }) => databaseName).join(', ');
  const condition = `(${names}) IN (WITH batch AS MATERIALIZED (${rows.getQuery()}) SELECT * FROM batch)`;
  return { condition, parameters: rows.getParameters() };
}

/**
 * Returns a page of entities, newest first: ordered by their time (Unix milliseconds) and, of equal times, by their id.
 */
export async function findTimePage<Entity extends ObjectLiteral>(
  repository: Repository<Entity>,
  where: FindOptionsWhere<Entity>,
  { time, id, select }: TimePageColumns<Entity>,
  { after, limit }: TimePageRequest,
): Promise<Page<Entity>> {
  const query = repository
    .createQueryBuilder('entity')
    .where(where)
    .orderBy({ [`entity.${time}`]: 'DESC', [`entity.${id}`]: 'DESC' })
    .limit(limit + 1);
  if (select) query.select(select.map((column) => `entity.${column}`));
  if (after) query.andWhere(`(entity.${time}, entity.${id}) < (:time, :id)`, { ...after });
  return toPage(await query.getMany(), limit, (entity) => [entity[time] as number, entity[id] as string]);
}

/** The columns by which a page is ordered, and the columns that it contains. */
interface TimePageColumns<Entity> {
  time: keyof Entity & string;
  id: keyof Entity & string;
  /** The columns that the page contains; all by default. */
  select?: readonly (keyof Entity & string)[];
}
