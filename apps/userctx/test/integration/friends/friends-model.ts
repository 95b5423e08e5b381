export type FriendAction = 'confirm' | 'reject' | 'delete' | 'block' | 'unblock';

/** A friendship as the friend list of one child shows it. `pair`: name of the pair. `other`: the other child. */
interface ListedFriend {
  pair: string;
  other: number;
  state: string;
  applied: boolean;
  keptOut: boolean;
}

/**
 * Model of one pair of children: which families have agreed since the last friendship ended, and which families block
 * the other child. The states of the service follow from these facts.
 */
class Pair {
  wasRequested = false;
  isOpen = false;
  /** Children whose families have agreed. */
  agreed = new Set<number>();
  applicant = 0;
  wasRejected = false;
  readonly blockedBy = new Set<number>();
  /** Expected values of `active` in the published events. */
  readonly activeStates: boolean[] = [];

  get state(): string {
    if (this.isOpen) return ['APPLIED', 'CONFIRMED', 'ACCEPTED'][this.agreed.size] ?? '';
    return this.wasRejected ? 'REJECTED' : 'ENDED';
  }

  agree(child: number): void {
    this.agreed.add(child);
    if (this.agreed.size === 2 && this.activeStates.at(-1) !== true) this.activeStates.push(true);
  }

  close(wasRejected: boolean): void {
    if (!this.isOpen) return;
    if (this.agreed.size === 2) this.activeStates.push(false);
    [this.isOpen, this.wasRejected, this.agreed] = [false, wasRejected, new Set()];
  }
}

/** Model of the friendships between children. Actions return `ok` or the reason of a rejection. */
export class FriendsModel {
  readonly existingChildren: Set<number>;
  private readonly pairs = new Map<string, Pair>();

  constructor(childCount: number) {
    this.existingChildren = new Set(Array.from({ length: childCount }, (_, child) => child));
  }

  /** Returns the name of a pair of children, which does not depend on their order. */
  nameOf(first: number, other: number): string {
    return [first, other].toSorted((a, b) => a - b).join('-');
  }

  apply(from: number, to: number, isByGuardian: boolean): string {
    if (!this.existingChildren.has(to)) return 'WATCH_UNBOUND';
    if (!this.existingChildren.has(from)) return 'WATCH_NOT_FOUND';
    if (from === to) return 'CODE_INVALID';
    const pair = this.pairOf(from, to);
    if (pair.blockedBy.has(to) || (pair.blockedBy.has(from) && !isByGuardian)) return 'CODE_INVALID';
    if (!pair.isOpen) {
      [pair.wasRequested, pair.isOpen, pair.applicant] = [true, true, from];
      pair.blockedBy.delete(from);
    }
    if (!isByGuardian) return 'ok';
    // No family has agreed yet, because watches sent all requests. The first family that agrees is the applicant.
    if (pair.agreed.size === 0) pair.applicant = from;
    pair.agree(from);
    return 'ok';
  }

  perform(action: FriendAction, actor: number, other: number): string {
    if (!this.existingChildren.has(actor)) return 'WATCH_NOT_FOUND';
    const pair = this.pairOf(actor, other);
    if (!pair.wasRequested)
      return action === 'confirm' || action === 'reject' ? 'APPLICATION_NOT_FOUND' : 'FRIEND_NOT_FOUND';
    return this[action](pair, actor);
  }

  /** Deletes the child: its open friendships end, and blocks remain. */
  remove(child: number): void {
    this.existingChildren.delete(child);
    for (const [name, pair] of this.pairs) if (childrenOf(name).includes(child)) pair.close(false);
  }

  restore(child: number): void {
    this.existingChildren.add(child);
  }

  listFriends(child: number): ListedFriend[] {
    return [...this.pairs].flatMap(([name, pair]) => {
      const [first, other] = childrenOf(name);
      if (child !== first && child !== other) return [];
      const keptOut = pair.blockedBy.has(child);
      if (!pair.isOpen && !keptOut) return [];
      const otherChild = child === first ? other : first;
      return [{ pair: name, other: otherChild, state: pair.state, applied: pair.applicant === child, keptOut }];
    });
  }

  activeStatesOf(name: string): readonly boolean[] {
    return this.pairs.get(name)?.activeStates ?? [];
  }

  private confirm(pair: Pair, actor: number): string {
    if (!pair.isOpen || (pair.agreed.size === 0 && actor !== pair.applicant)) return 'CONFLICT';
    pair.agree(actor);
    return 'ok';
  }

  private reject(pair: Pair, actor: number): string {
    if (!pair.isOpen) return pair.wasRejected && pair.blockedBy.has(actor) ? 'ok' : 'CONFLICT';
    if (pair.agreed.size === 2) return 'CONFLICT';
    pair.close(true);
    pair.blockedBy.add(actor);
    return 'ok';
  }

  private delete(pair: Pair): string {
    if (pair.agreed.size < 2) return 'FRIEND_NOT_FOUND';
    pair.close(false);
    return 'ok';
  }

  private block(pair: Pair, actor: number): string {
    pair.close(pair.agreed.size < 2);
    pair.blockedBy.add(actor);
    return 'ok';
  }

  private unblock(pair: Pair, actor: number): string {
    pair.blockedBy.delete(actor);
    return 'ok';
  }

  private pairOf(first: number, other: number): Pair {
    const name = this.nameOf(first, other);
    const pair = this.pairs.get(name) ?? new Pair();
    this.pairs.set(name, pair);
    return pair;
  }
}

function childrenOf(pairName: string): [number, number] {
  const [first = 0, other = 0] = pairName.split('-').map(Number);
  return [first, other];
}
