/** Raw: computed: an update through TypeORM cannot add to the stored version and return the sum. */
export const INCREMENT_VERSION = `
  update userctx.contact_list set version = version + 1 where cid = $1 and family_id = $2 returning version`;

/** Raw: set-based: the ranks are unique, and moving contacts one by one would take one statement each. */
export const REORDER = `
  update userctx.contact set sos_order = rank.sos_order
    from unnest($3::uuid[], $4::smallint[]) as rank (ref_id, sos_order)
   where contact.ref_id = rank.ref_id and contact.cid = $2 and contact.family_id = $1`;
