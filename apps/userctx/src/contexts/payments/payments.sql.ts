/**
 * Raw SQL: claims rows with SKIP LOCKED in a subquery, so that replicas claim different orders. The number of attempts
 * identifies the claim.
 */
export const CLAIM_DUE_ORDERS = `
  update userctx.payment_order as claimed set due_at = $2, attempts = claimed.attempts + 1
   from (
     select order_id from userctx.payment_order where due_at <= $1 order by due_at limit $3 for update skip locked
   ) as due
   where claimed.order_id = due.order_id
   returning claimed.order_id as "orderId"`;

/** Raw SQL: ON CONFLICT DO UPDATE with an expression of the existing row. */
export const NEXT_ENTITLEMENT_VERSION = `
  insert into userctx.entitlement_version as existing (family_id, version, next_change_at) values ($1, 1, $2)
  on conflict (family_id) do update set version = existing.version + 1, next_change_at = excluded.next_change_at
  returning version`;
