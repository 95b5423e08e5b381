import { prepared } from '@family-watch/domain/kernel/contracts/transaction-scope';

/** The columns of a bound watch. {@link WATCH_JOINS} joins their tables. */
const WATCH_COLUMNS = `link.did, link.cid, link.family_id as "familyId", watch.model,
  coalesce(status.firmware_version, watch.firmware_version) as "firmwareVersion", binding.bound_at as "boundAt",
  status.online, status.last_seen as "lastSeen", status.battery, status.charging, status.worn, status.signal,
  status.signal_max as "signalMax", status.step_total as "stepTotal"`;

const WATCH_JOINS = `
  join userctx.watch watch on watch.did = link.did
  join userctx.watch_binding binding on binding.did = link.did and binding.unbound_at is null
  left join userctx.watch_status status on status.did = link.did`;

/** Raw SQL: joins tables without relations in the entities. */
export const FIND_WATCHES_BY_MEMBER = `
  select ${WATCH_COLUMNS}, member.role, member.permissions, member.child_permissions as "childPermissions"
    from userctx.family_member member
    join userctx.family_child link on link.family_id = member.family_id ${WATCH_JOINS}
   where member.user_id = $1 and link.did > $2
   order by link.did`;

/** Raw SQL: joins tables without relations in the entities. */
export const FIND_WATCH_IN_FAMILY = `
  select ${WATCH_COLUMNS} from userctx.family_child link ${WATCH_JOINS} where link.family_id = $1 and link.did = $2`;

/**
 * Raw SQL: a DELETE with a limit. The condition is repeated, because the watch may have been in contact after the
 * subquery was evaluated. The watch of a deleted child remains while the child can be restored.
 */
export const DELETE_UNBOUND_WATCHES = `
  delete from userctx.watch
   where did in (
     select did from userctx.watch w
      where last_contact_at < $1 and revoked_at is null
        and not exists (select from userctx.watch_binding b where b.did = w.did and b.unbound_at is null)
        and not exists (select from userctx.child c where c.did_at_deletion = w.did)
      order by did limit $2)
     and last_contact_at < $1
  returning did`;

/**
 * Raw SQL: a lateral join, which finds one binding for each watch and time. A prepared statement, because every batch
 * of location reports needs the bindings of its watches.
 */
export const FIND_EFFECTIVE_BINDINGS = prepared(`
  select effective.*, exists (
           select from userctx.watch_binding former
            where former.did = effective.did and former.cid <> effective.cid and former.bound_at < effective."boundAt"
         ) as "wasBoundToOtherChild"
    from unnest($1::bigint[], $2::bigint[]) with ordinality as input (did, time, ordinal)
    left join lateral (
      select did, cid, family_id as "familyId", bound_at as "boundAt" from userctx.watch_binding
       where did = input.did and bound_at <= input.time and (unbound_at is null or unbound_at > input.time)
       order by bound_at desc
       limit 1) effective on true
   order by input.ordinal`);

/** Raw SQL: one statement counts the try and returns the code. */
export const INCREMENT_BIND_CODE_TRIES = `
  update userctx.bind_code set tries = tries + 1
   where code_digest = $1 and expires_at > $2 and tries < $3
  returning did, confirm_digest as "confirmDigest"`;

/**
 * Raw SQL: ON CONFLICT DO UPDATE with a condition: only a newer report changes the row. Ignores deleted watches. A signal
 * level above the highest one of the watch is stored as the highest one.
 */
export const RECORD_STATUS = `
  insert into userctx.watch_status as stored
    (did, battery, charging, worn, signal, signal_max, firmware_version, reported_at, last_seen)
  select did, $2, $3, $4, case when $5::int > $6::int then $6::int else $5::int end, $6, $7, $8, $8
    from userctx.watch where did = $1
  on conflict (did) do update set
    battery = coalesce(excluded.battery, stored.battery),
    charging = coalesce(excluded.charging, stored.charging),
    worn = coalesce(excluded.worn, stored.worn),
    signal = case
      when coalesce(excluded.signal, stored.signal) > coalesce(excluded.signal_max, stored.signal_max)
      then coalesce(excluded.signal_max, stored.signal_max)
      else coalesce(excluded.signal, stored.signal)
    end,
    signal_max = coalesce(excluded.signal_max, stored.signal_max),
    firmware_version = coalesce(excluded.firmware_version, stored.firmware_version),
    reported_at = excluded.reported_at,
    last_seen = greatest(excluded.last_seen, stored.last_seen)
  where stored.reported_at is null or stored.reported_at < excluded.reported_at`;

/** Raw SQL: ON CONFLICT DO UPDATE with a condition, like {@link RECORD_STATUS}. */
export const RECORD_STEPS = `
  insert into userctx.watch_status as stored (did, step_total, steps_at, last_seen)
  select did, $2, $3, $3 from userctx.watch where did = $1
  on conflict (did) do update set
    step_total = excluded.step_total,
    steps_at = excluded.steps_at,
    last_seen = greatest(excluded.last_seen, stored.last_seen)
  where stored.steps_at is null or stored.steps_at < excluded.steps_at`;

/** Raw SQL: ON CONFLICT DO UPDATE with a condition, like {@link RECORD_STATUS}. */
export const RECORD_PRESENCE = `
  insert into userctx.watch_status as stored (did, online, presence_at, last_seen)
  select did, $2, $3, $4 from userctx.watch where did = $1
  on conflict (did) do update set
    online = excluded.online,
    presence_at = excluded.presence_at,
    last_seen = greatest(excluded.last_seen, stored.last_seen)
  where stored.presence_at is null or stored.presence_at <= excluded.presence_at`;

/** Raw SQL: the new value depends on the stored value: the latest contact is kept. Ignores deleted watches. */
export const RECORD_CONTACT = `
  insert into userctx.watch_status as stored (did, last_seen)
  select did, $2 from userctx.watch where did = $1
  on conflict (did) do update set last_seen = greatest(excluded.last_seen, stored.last_seen)`;

/** Raw SQL: the new value depends on the stored value: steps are added up to the maximum $4. */
export const ADD_STEPS = `
  insert into userctx.step_day as stored (cid, day, steps) values ($1, $2, least($3::bigint, $4))
  on conflict (cid, day) do update set steps = least(stored.steps::bigint + $3::bigint, $4)`;
