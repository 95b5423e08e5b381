/** Raw SQL: increments the version of a contact list and returns the version in one statement. */
export const INCREMENT_CONTACT_LIST_VERSION = `
  update userctx.contact_list set version = version + 1 where cid = $1 and family_id = $2 returning version`;

/** Raw SQL: one statement assigns different ranks to several contacts, which TypeORM does not support. */
export const REORDER_CONTACTS = `
  update userctx.contact set sos_order = rank.sos_order
    from unnest($3::uuid[], $4::smallint[]) as rank (ref_id, sos_order)
   where contact.ref_id = rank.ref_id and contact.cid = $2 and contact.family_id = $1`;
