import { CLOUD_RIGHT, CLOUD_ROLE } from '@family-watch/domain/family-cloud/contracts/cloud-access';
import type { CloudMemberDto } from '@family-watch/domain/family-cloud/dto/family-cloud.dto';
import type { FamilySnapshot } from '@family-watch/domain/families/contracts/membership';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { resolveActor, hasRight } from './cloud-actor.js';
import type { CloudActor } from './cloud-actor.js';

const ROLE_RANK = Object.values(CLOUD_ROLE);

/**
 * Returns the members and watches of a family cloud that are visible to the actor. Without the right to read only the
 * owner and the actor are visible. The result is sorted by role, then by id, so that pages are stable.
 */
export function visibleMembers(actor: CloudActor, family: FamilySnapshot): CloudMemberDto[] {
  const seesAll = hasRight(actor, CLOUD_RIGHT.READ);
  return allMembers(family)
    .filter(({ member: { role }, principal }) => seesAll || role === CLOUD_ROLE.OWNER || principal === actor.principal)
    .sort(
      (a, b) =>
        ROLE_RANK.indexOf(a.member.role) - ROLE_RANK.indexOf(b.member.role) || (a.principal < b.principal ? -1 : 1),
    )
    .map(({ member }) => member);
}

function allMembers(family: FamilySnapshot): { principal: PrincipalKey; member: CloudMemberDto }[] {
  const persons = family.members.map(({ userId }) => ({ type: 'user' as const, id: userId, userId, did: null }));
  const watches = family.children.flatMap(({ did }) =>
    did === null ? [] : [{ type: 'watch' as const, id: String(did), userId: null, did }],
  );
  return [...persons, ...watches].flatMap(({ type, id, userId, did }) => {
    const actor = resolveActor(family, { type, id });
    return actor ? [{ principal: actor.principal, member: { userId, did, role: actor.role } }] : [];
  });
}
