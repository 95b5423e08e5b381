import { MAX_SOS_ORDER } from '@family-watch/domain/contacts/contracts/contact';
import type { ContactEntity } from '@family-watch/domain/contacts/entities/contact.entities';

/** Rank of a contact in the order in which an SOS notifies contacts. Ranks are unique per child. */
export type RankedContact = Pick<ContactEntity, 'refId' | 'sosOrder'>;

/** Returns the rank of a new contact: after all others. */
export function lastRank(contacts: readonly RankedContact[]): number {
  return Math.min(Math.max(0, ...contacts.map(({ sosOrder }) => sosOrder)) + 1, MAX_SOS_ORDER);
}

/**
 * Computes the moves that free `rank`. The contact at `rank` and those directly after it move back by one, up to the
 * first free rank. Other contacts keep their ranks, and the order is preserved. Only if no later rank is free, the
 * contact at `rank` and those directly before it move forward by one instead.
 *
 * @param others the child's contacts except the one that gets `rank`, each with a unique rank
 * @returns the contacts that move, with their new ranks
 */
export function shiftRanks(others: readonly RankedContact[], rank: number): RankedContact[] {
  const moved = findMoves(others, rank, 1);
  const fits = moved.every(({ sosOrder }) => sosOrder <= MAX_SOS_ORDER);
  return fits ? moved : findMoves(others, rank, -1);
}

function findMoves(others: readonly RankedContact[], rank: number, step: 1 | -1): RankedContact[] {
  const byRank = new Map(others.map((other) => [other.sosOrder, other]));
  const moved: RankedContact[] = [];
  for (
    let currentRank = rank, next = byRank.get(currentRank);
    next;
    currentRank += step, next = byRank.get(currentRank)
  ) {
    moved.push({ refId: next.refId, sosOrder: currentRank + step });
  }
  return moved;
}
