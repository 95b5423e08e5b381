/** Raw SQL: claims rows with SKIP LOCKED in a subquery, so that replicas claim different SOS calls. */
export const CLAIM_DUE_SOS_CALLS = `
  update userctx.sos as call set next_step_at = $2
   from (
     select sos_id from userctx.sos where next_step_at <= $1 order by next_step_at limit $3 for update skip locked
   ) as due
   where call.sos_id = due.sos_id
   returning call.sos_id as "sosId", family_id as "familyId", cid`;

/** Raw SQL: aggregates the escalation steps of an SOS with filters. */
export const FIND_ESCALATION_PROGRESS = `
  select coalesce(max(step) + 1, 0) as "nextStep", coalesce(max(at), 0) as "lastStepAt",
         coalesce(array_agg(ref_id::text) filter (where channel = 'SMS' and ref_id is not null), '{}')
           as "notifiedRefIds",
         coalesce(max(at) filter (where channel = 'SMS'), 0) as "lastSmsAt",
         coalesce(bool_or(channel = 'SMS' and ref_id is null), false) as "isRepeating"
    from userctx.sos_step join userctx.sos using (sos_id) where sos_id = $1 and family_id = $2`;

/** Raw SQL: a lateral join, which finds the last escalation steps of each of several SOS calls. */
export const FIND_LAST_ESCALATION_STEPS = `
  select sos.sos_id as "sosId", last.step, last.channel, last.at, last.ref_id as "refId", last.user_id as "userId"
    from userctx.sos cross join lateral (
      select * from userctx.sos_step where sos_step.sos_id = sos.sos_id order by step desc, channel desc limit $3
    ) as last
   where sos.family_id = $1 and sos.sos_id = any($2::uuid[]) order by last.step, last.channel`;

/** Raw SQL: claims rows with SKIP LOCKED in a subquery, so that replicas claim different alerts. */
export const CLAIM_DUE_ALERTS = `
  update userctx.alert_sms as alert set due_at = $2, attempts = alert.attempts + 1
   from (
     select alert_id from userctx.alert_sms where due_at <= $1 order by due_at limit $3 for update skip locked
   ) as due
   where alert.alert_id = due.alert_id
   returning alert.alert_id as "alertId", family_id as "familyId", cid, ref_id as "refId", about as "subjectId",
     category, time, queued_at as "queuedAt", attempts, avoided_provider as "avoidedProvider"`;
