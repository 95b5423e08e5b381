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

/** Raw SQL: aggregates with conditions. */
export const COUNT_BY_WAVE = `
  select wave, count(*)::int as watches,
         count(*) filter (where state = 'SUCCESS')::int as succeeded,
         count(*) filter (where failures > 0)::int as failed,
         count(*) filter (where state in ('DOWNLOADING', 'DOWNLOADED', 'INSTALLING'))::int as "inProgress",
         count(*) filter (where state in ('SUCCESS', 'REJECTED') or failures >= $2)::int as ended
    from userctx.firmware_deployment where rollout_id = $1 group by wave order by wave`;

/** Raw SQL: inserts the rows of a query, which omits unknown watches and watches that are being deleted. */
export const ADD_GROUP_MEMBERS = `
  insert into userctx.firmware_group_member (group_id, did)
  select $1, did from userctx.watch where did = any ($2::bigint[]) and revoked_at is null
   order by did for key share
  on conflict do nothing returning did`;
