import { prepared } from '@family-watch/domain/kernel/contracts/transaction-scope';

/** Raw SQL: a prepared statement, because every scan report reads the salt of the day. */
export const FIND_DAILY_SALT = prepared('select salt from userctx.witness_salt where day = $1');

/**
 * Raw SQL: a prepared statement, because every positioning request reads which of the reported networks have a confirmed
 * position.
 */
export const FIND_CONFIRMED_NETWORKS =
  prepared(`select network_key as key, latitude, longitude, weight, scatter as "squaredDistanceSum"
  from userctx.radio_network where network_key = any($1::uuid[]) and learned`);

/**
 * Raw SQL: a prepared statement that inserts rows in key order, so that concurrent reports from the same street cannot
 * deadlock.
 */
export const INSERT_MISSING_NETWORKS = prepared(`insert into userctx.radio_network (network_key, kind, heard_on)
  select key, kind, $3 from unnest($1::uuid[], $2::text[]) as input (key, kind) order by key
  on conflict on constraint radio_network_pk do nothing`);

/**
 * Raw SQL: a prepared statement, because every scan report locks its networks, in key order to prevent deadlocks. The
 * expression for `support` corrects rows written by an earlier version of the app, which did not have the column.
 */
export const LOCK_NETWORKS =
  prepared(`select network_key as key, kind, latitude, longitude, weight, scatter as "squaredDistanceSum",
    learned as "isConfirmed",
    case when learned then greatest(support, 2) when latitude is null then 0 else 1 end as support,
    witnesses as "observerTags", witness_weights as "observerWeights", contradictions as "contradictionTags",
    contradicted_days as "contradictedDays", heard_on as "lastReportedOn", moves as "moveCount",
    blocked_until as "blockedUntil"
  from userctx.radio_network where network_key = any($1::uuid[]) order by network_key for update`);

/** Raw SQL: a prepared statement, because every scan report writes its networks. */
export const SAVE_NETWORKS = prepared(`update userctx.radio_network network
  set latitude = new.latitude, longitude = new.longitude, weight = new.weight, scatter = new.scatter,
      learned = new.learned, support = new.support, witnesses = new.witnesses::bigint[],
      witness_weights = new.witness_weights::float8[], contradictions = new.contradictions::bigint[],
      contradicted_days = new.contradicted_days, moves = new.moves, blocked_until = new.blocked_until,
      heard_on = new.heard_on
  from unnest($1::uuid[], $2::float8[], $3::float8[], $4::float8[], $5::float8[], $6::boolean[], $7::smallint[],
              $8::text[], $9::text[], $10::text[], $11::smallint[], $12::smallint[], $13::bigint[], $14::integer[])
    as new (key, latitude, longitude, weight, scatter, learned, support, witnesses, witness_weights, contradictions,
            contradicted_days, moves, blocked_until, heard_on)
  where network.network_key = new.key`);

/**
 * Raw SQL: a DELETE that locks its rows in key order, so that concurrent reports from the same street cannot deadlock.
 */
export const DELETE_NETWORKS = `
  delete from userctx.radio_network where network_key in (
    select network_key from userctx.radio_network where network_key = any($1::uuid[]) order by network_key for update)`;

/** Raw SQL: a DELETE with a limit. With SKIP LOCKED, the statement does not wait for reports of the same networks. */
export const DELETE_UNOBSERVED_NETWORKS = `
  delete from userctx.radio_network where network_key in (
    select network_key from userctx.radio_network
     where heard_on < $1 or (heard_on < $2 and not learned and moves = 0) limit $3 for update skip locked) returning 1`;
