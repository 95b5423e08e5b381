/** Prepared: every report of networks reads the consent. */
export const FIND_GRANTED = 'select granted from userctx.consent where user_id = $1 and purpose = $2';

/** Prepared, like {@link FIND_GRANTED}; a withdrawal waits until the transaction ends. */
export const FIND_GRANTED_FOR_SHARE = `${FIND_GRANTED} for share`;

/** Prepared, like {@link FIND_GRANTED}; a join of three tables in one statement. */
export const FIND_GRANTED_BY_WATCH_OWNER = `select family.owner_user_id as "userId", coalesce(consent.granted, false) as granted
  from userctx.family_child link
  join userctx.family family on family.family_id = link.family_id
  left join userctx.consent consent on consent.user_id = family.owner_user_id and consent.purpose = $2
  where link.did = $1`;
