/**
 * Raw SQL: a UNION of the pairs in which the child is side A or side B. Selects the friendships of the child $1 with
 * the name and watch of the other child.
 */
export const FIND_FRIENDSHIPS_OF_CHILD = `
  select pair.friendship_id as "friendshipId", pair.state, pair.applicant = pair.own as applied,
         pair.kept_out as "keptOut", child.name, link.did as "friendDid", pair.changed_at as "changedAt"
    from (select friendship_id, state, applicant, 'A' as own, kept_out_by_a as kept_out, cid_b as other, changed_at
            from userctx.friendship where cid_a = $1 and family_a = $2
          union all
          select friendship_id, state, applicant, 'B', kept_out_by_b, cid_a, changed_at
            from userctx.friendship where cid_b = $1 and family_b = $2) pair
    join userctx.child child on child.cid = pair.other
    left join userctx.family_child link on link.cid = pair.other
   where ($3::uuid is null or pair.friendship_id = $3)
     and (pair.state in ('APPLIED', 'CONFIRMED', 'ACCEPTED') or pair.kept_out)
   order by pair.changed_at desc, pair.friendship_id`;
