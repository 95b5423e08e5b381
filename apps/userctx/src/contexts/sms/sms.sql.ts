/**
 * Raw SQL: one statement applies all receipts of a request and returns the changed rows. $1: provider, $2 to $5: arrays
 * of message ids, provider's ids, states and error codes, $6: the time. A final state is never changed.
 */
export const APPLY_RECEIPTS = `
  update userctx.sms_message as message
     set state = receipt.state, error_code = receipt.error_code, updated_at = $6
    from unnest($2::uuid[], $3::text[], $4::text[], $5::text[])
           as receipt (message_id, provider_message_id, state, error_code)
   where message.provider = $1 and message.state not in ('DELIVERED', 'UNDELIVERED')
     and (message.message_id = receipt.message_id or message.provider_message_id = receipt.provider_message_id)
   returning message.message_id as "messageId", message.state, message.area_code as "areaCode", message.alert`;

/**
 * Raw SQL: one statement decides whether an SMS is the newest one of its alert and its contact, and prevents that another
 * receipt has the same effect. $1: message id, $2: child, $3: subject, $4: contact.
 */
export const TAKE_ALERT = `
  with same as (
    select message_id, created_at from userctx.sms_message
     where cid = $2::uuid and alert ->> 'subjectId' = $3 and alert ->> 'refId' = $4
     order by message_id for update
  )
  update userctx.sms_message set alert = null
   where message_id in (select message_id from same)
     and $1::uuid = (select message_id from same order by created_at desc, message_id desc limit 1)
   returning message_id`;
