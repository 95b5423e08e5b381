export type Answer = 'confirm' | 'reject' | 'delete' | 'block' | 'unblock';

/** What a child sees of another one; `pair` and `other` say of which. */
interface Seen {
  pair: string;
  other: number;
  state: string;
  applied: boolean;
  keptOut: boolean;
}

/** Two children: who agreed since it last ended, and who keeps whom out. Told without the states of the service. */
class Pair {
  met = false;
  open = false;
  agreed = new Set<number>();
  applicant = 0;
  rejected = false;
  readonly out = new Set<number>();
  readonly activity: boolean[] = [];

  get state(): string {
    if (this.open) return ['APPLIED', 'CONFIRMED', 'ACCEPTED'][this.agreed.size] ?? '';
    return this.rejected ? 'REJECTED' : 'ENDED';
  }

  agree(child: number): void {
    this.agreed.add(child);
    if (this.agreed.size === 2 && this.activity.at(-1) !== true) this.activity.push(true);
  }

  close(rejected: boolean): void {
    if (!this.open) return;
    if (this.agreed.size === 2) this.activity.push(false);
    [this.open, this.rejected, this.agreed] = [false, rejected, new Set()];
  }
}

/** Children of several families, as they are to each other. */
export class FriendsModel {
  readonly present: Set<number>;
  private readonly pairs = new Map<string, Pair>();

  constructor(children: number) {
    this.present = new Set(Array.from({ length: children }, (_, child) => child));
  }

  nameOf(one: number, other: number): string {
    return [one, other].toSorted((a, b) => a - b).join('-');
  }

  apply(from: number, to: number, guardian: boolean): string {
    if (!this.present.has(to)) return 'WATCH_UNBOUND';
    if (!this.present.has(from)) return 'WATCH_NOT_FOUND';
    if (from === to) return 'CODE_INVALID';
    const pair = this.pairOf(from, to);
    if (pair.out.has(to) || (pair.out.has(from) && !guardian)) return 'CODE_INVALID';
    if (!pair.open) {
      [pair.met, pair.open, pair.applicant] = [true, true, from];
      pair.out.delete(from);
    }
    if (!guardian) return 'ok';
    // The child that applied was alone with it: this family is the first that wants it.
    if (pair.agreed.size === 0) pair.applicant = from;
    pair.agree(from);
    return 'ok';
  }

  answer(what: Answer, by: number, of: number): string {
    if (!this.present.has(by)) return 'WATCH_NOT_FOUND';
    const pair = this.pairOf(by, of);
    if (!pair.met) return what === 'confirm' || what === 'reject' ? 'APPLICATION_NOT_FOUND' : 'FRIEND_NOT_FOUND';
    return this[what](pair, by);
  }

  /** The child is deleted: all that was open ends, and whoever is kept out stays out. */
  remove(child: number): void {
    this.present.delete(child);
    for (const [name, pair] of this.pairs) if (childrenOf(name).includes(child)) pair.close(false);
  }

  restore(child: number): void {
    this.present.add(child);
  }

  seenBy(child: number): Seen[] {
    return [...this.pairs].flatMap(([name, pair]) => {
      const [one, other] = childrenOf(name);
      if (child !== one && child !== other) return [];
      const keptOut = pair.out.has(child);
      if (!pair.open && !keptOut) return [];
      const others = child === one ? other : one;
      return [{ pair: name, other: others, state: pair.state, applied: pair.applicant === child, keptOut }];
    });
  }

  activityOf(name: string): readonly boolean[] {
    return this.pairs.get(name)?.activity ?? [];
  }

  private confirm(pair: Pair, by: number): string {
    if (!pair.open || (pair.agreed.size === 0 && by !== pair.applicant)) return 'CONFLICT';
    pair.agree(by);
    return 'ok';
  }

  private reject(pair: Pair, by: number): string {
    if (!pair.open) return pair.rejected && pair.out.has(by) ? 'ok' : 'CONFLICT';
    if (pair.agreed.size === 2) return 'CONFLICT';
    pair.close(true);
    pair.out.add(by);
    return 'ok';
  }

  private delete(pair: Pair): string {
    if (pair.agreed.size < 2) return 'FRIEND_NOT_FOUND';
    pair.close(false);
    return 'ok';
  }

  private block(pair: Pair, by: number): string {
    pair.close(pair.agreed.size < 2);
    pair.out.add(by);
    return 'ok';
  }

  private unblock(pair: Pair, by: number): string {
    pair.out.delete(by);
    return 'ok';
  }

  private pairOf(one: number, other: number): Pair {
    const name = this.nameOf(one, other);
    const pair = this.pairs.get(name) ?? new Pair();
    this.pairs.set(name, pair);
    return pair;
  }
}

function childrenOf(name: string): [number, number] {
  const [one = 0, other = 0] = name.split('-').map(Number);
  return [one, other];
}
