/** Raw: increments a version and returns it in one statement, which TypeORM does not support. */
export const INCREMENT_CONTACT_LIST_VERSION = `
  update userctx.contact_list set version = version + 1 where cid = $1 and family_id = $2 returning version`;

/** Raw: one statement changes the ranks of several contacts. Ranks are unique, so single updates could conflict. */
export const REORDER_CONTACTS = `
  update userctx.contact set sos_order = rank.sos_order
    from unnest($3::uuid[], $4::smallint[]) as rank (ref_id, sos_order)
   where contact.ref_id = rank.ref_id and contact.cid = $2 and contact.family_id = $1`;
