import { CLOUD_RIGHT, CLOUD_ROLE } from '@family-watch/domain/family-cloud/contracts/cloud-role';
import type { CloudMemberDto } from '@family-watch/domain/family-cloud/dto/cloud-info.dto';
import type { FamilySnapshot } from '@family-watch/domain/families/contracts/membership';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { resolveActor, hasRight } from './cloud-actor.js';
import type { CloudActor } from './cloud-actor.js';

const RANK = Object.values(CLOUD_ROLE);

/**
 * Those who belong to a family's cloud, as far as the asking one may know: whoever may not read knows of the owner,
 * who could change that, and of themselves. By role, and by id within one, so that pages stand.
 */
export function visibleMembers(asking: CloudActor, family: FamilySnapshot): CloudMemberDto[] {
  const knowsAll = hasRight(asking, CLOUD_RIGHT.READ);
  return everybodyIn(family)
    .filter(
      ({ member: { role }, principal }) => knowsAll || role === CLOUD_ROLE.OWNER || principal === asking.principal,
    )
    .sort((a, b) => RANK.indexOf(a.member.role) - RANK.indexOf(b.member.role) || (a.principal < b.principal ? -1 : 1))
    .map(({ member }) => member);
}

function everybodyIn(family: FamilySnapshot): { principal: PrincipalKey; member: CloudMemberDto }[] {
  const persons = family.members.map(({ userId }) => ({ type: 'user' as const, id: userId, userId, did: null }));
  const watches = family.children.flatMap(({ did }) =>
    did === null ? [] : [{ type: 'watch' as const, id: String(did), userId: null, did }],
  );
  return [...persons, ...watches].flatMap(({ type, id, userId, did }) => {
    const actor = resolveActor(family, { type, id });
    return actor ? [{ principal: actor.principal, member: { userId, did, role: actor.role } }] : [];
  });
}
