/**
 * Raw SQL: inserts the rows of a query that joins five tables. The statement adds missing deployments of the rollouts $1,
 * one for each watch of the image's model and the rollout's group. The wave of a watch depends only on its did, so the
 * same watches are always the first ones. Watches that are being deleted are left out.
 * @param condition condition on the watch `w`; may refer to $3
 */
function addDeployments(condition: string): string {
  return `
  insert into userctx.firmware_deployment (deployment_id, rollout_id, did, wave, state, changed_at)
  select gen_random_uuid(), r.rollout_id, w.did,
         width_bucket((('x' || left(md5(w.did::text), 7))::bit(28)::integer % 100), r.waves) + 1, 'SCHEDULED', $2
    from userctx.firmware_rollout r
    join userctx.firmware_image i on i.image_id = r.image_id
    join userctx.watch w on w.model = i.model and w.revoked_at is null
   where r.rollout_id = any ($1::uuid[]) and ${condition}
     and (r.group_id is null or exists (
       select from userctx.firmware_group_member m where m.group_id = r.group_id and m.did = w.did))
     and not exists (
       select from userctx.firmware_deployment d where d.rollout_id = r.rollout_id and d.did = w.did)
   order by w.did limit $4 for key share of w
  on conflict (rollout_id, did) do nothing
  returning did`;
}

/** Raw SQL: see {@link addDeployments}. Adds the deployments of the watch $3. */
export const ADD_DEPLOYMENTS_OF_WATCH = addDeployments('w.did = $3::bigint');

/** Raw SQL: see {@link addDeployments}. Adds deployments of watches after $3 in the order of their did. */
export const ADD_DEPLOYMENTS_AFTER = addDeployments('w.did > $3::bigint');

/** Raw SQL: aggregates with conditions. Counts the waves of the rollout $1 up to $3. */
export const COUNT_BY_WAVE = `
  select wave, count(*)::int as watches,
         count(*) filter (where state = 'SUCCESS')::int as succeeded,
         count(*) filter (where failures > 0)::int as failed,
         count(*) filter (where state in ('DOWNLOADING', 'DOWNLOADED', 'INSTALLING'))::int as "inProgress",
         count(*) filter (where state in ('SUCCESS', 'REJECTED') or failures >= $2)::int as ended
    from userctx.firmware_deployment where rollout_id = $1 and wave <= $3 group by wave order by wave`;

/**
 * Raw SQL: an UPDATE with a limit, which skips rows that another replica changes. Counts attempts of the rollout $1 as
 * failed that have made no progress since $2, unless the rollout has been paused since.
 */
export const FAIL_STALLED = `
  update userctx.firmware_deployment
     set state = 'FAILED', failures = failures + 1, changed_at = $3, error = 'no report in time'
   where deployment_id in (
     select d.deployment_id from userctx.firmware_deployment d
       join userctx.firmware_rollout r on r.rollout_id = d.rollout_id
      where d.rollout_id = $1 and d.state in ('DOWNLOADING', 'INSTALLING') and d.changed_at < $2
        and r.state = 'RUNNING' and (r.resumed_at is null or r.resumed_at < $2)
      limit $4 for update of d skip locked)
  returning did`;

/** Raw SQL: a DELETE with a limit. Deletes deployments of the rollout $1. */
export const DELETE_DEPLOYMENTS = `
  delete from userctx.firmware_deployment
   where deployment_id in (select deployment_id from userctx.firmware_deployment where rollout_id = $1 limit $2)
  returning did`;

/** Raw SQL: inserts the rows of a query, which omits unknown watches and watches that are being deleted. */
export const ADD_GROUP_MEMBERS = `
  insert into userctx.firmware_group_member (group_id, did)
  select $1, did from userctx.watch where did = any ($2::bigint[]) and revoked_at is null
   order by did for key share
  on conflict do nothing returning did`;
