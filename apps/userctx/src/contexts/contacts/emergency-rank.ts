import { MAX_SOS_ORDER } from '@family-watch/domain/contacts/contracts/contact';
import type { ContactEntity } from '@family-watch/domain/contacts/entities/contact.entity';

/** Where a contact stands in the order in which an SOS asks for help; no two of a child's stand in one place. */
export type RankedContact = Pick<ContactEntity, 'refId' | 'sosOrder'>;

/** New contacts come last. */
export function lastRank(contacts: readonly RankedContact[]): number {
  return Math.min(Math.max(0, ...contacts.map(({ sosOrder }) => sosOrder)) + 1, MAX_SOS_ORDER);
}

/**
 * Who has to move so that nobody stands at `rank`: whoever does moves back by one, and so do those directly behind,
 * up to the first free rank. The others keep their ranks, and nobody overtakes anybody. Only where no rank is free
 * behind, those directly ahead move forward instead, and `rank` comes behind them.
 *
 * @param others the child's contacts but the one that is to stand there, each at a rank of its own
 * @returns those that move, with their new ranks
 */
export function shiftRanks(others: readonly RankedContact[], rank: number): RankedContact[] {
  const moved = inTheWay(others, rank, 1);
  const fits = moved.every(({ sosOrder }) => sosOrder <= MAX_SOS_ORDER);
  return fits ? moved : inTheWay(others, rank, -1);
}

function inTheWay(others: readonly RankedContact[], rank: number, step: 1 | -1): RankedContact[] {
  const standing = new Map(others.map((other) => [other.sosOrder, other]));
  const moved: RankedContact[] = [];
  for (let at = rank, next = standing.get(at); next; at += step, next = standing.get(at)) {
    moved.push({ refId: next.refId, sosOrder: at + step });
  }
  return moved;
}
