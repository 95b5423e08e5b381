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
   returning message.state, message.area_code as "areaCode", message.alert`;
