import { FAMILY_ROLE } from '@family-watch/domain/families/contracts/family-role';

/** Raw SQL: increments the version of a family and returns the family in one statement. */
export const INCREMENT_FAMILY_VERSION = `
  update userctx.family set version = version + 1 where family_id = $1
  returning version, owner_user_id as "ownerUserId", dissolved_at is not null as dissolved`;

/**
 * Raw SQL: joins tables without relations in the entities. A suspended person cannot act, and a person whose own deletion
 * is due ($2, Unix milliseconds) is about to be erased. Who has requested the deletion may still cancel it.
 */
export const FIND_ACTIVE_GUARDIANS = `
  select member.user_id as "userId"
    from userctx.family_member member
    join userctx.account account on account.user_id = member.user_id and account.suspended_at is null
    left join userctx.account_deletion deletion on deletion.user_id = member.user_id
   where member.family_id = $1 and member.role = ${FAMILY_ROLE.GUARDIAN}
     and (deletion.erase_at is null or deletion.erase_at > $2)
   order by deletion.erase_at is not null, member.joined_at, member.user_id`;
