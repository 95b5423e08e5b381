/** Maximum depth of the objects and lists whose members are read; a location within a request has the depth two. */
const MAX_DEPTH = 4;
/** Maximum number of values that are read; the rest of the text is ignored. */
const MAX_VALUES = 1_000;

const STRING = /"[^"\\]*(?:\\.[^"\\]*)*"/sy;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
/** A number or a word, which ends with the next character of JSON's syntax. */
const WORD = /[^\s,:[\]{}"]+/y;
const SPACE = /\s*/y;
const WORDS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['true', true],
  ['false', false],
  ['null', null],
]);

/** Ends the reading: the text is cut off, is no JSON or has too many values. The members that were read count. */
class EndOfReadableText extends Error {}

type Members = Record<string, unknown>;

/**
 * Returns the members of a JSON object that can be read, for a request that has to act whatever its body. A member whose
 * value is no JSON (`nan`) is omitted. Reading ends where the text is cut off or is no JSON object any more. A number at
 * which the text ends is omitted, because digits may be missing.
 */
export function readMembers(text: string): Members {
  const members = createMembers();
  try {
    new MemberReader(text).readObject(members);
  } catch (error) {
    if (!(error instanceof EndOfReadableText)) throw error;
  }
  return members;
}

/** Without a prototype, so that a member `__proto__` is a member like any other. */
function createMembers(): Members {
  return Object.create(null) as Members;
}

class MemberReader {
  private position: number;
  private values = 0;

  constructor(private readonly text: string) {
    // Skips a byte order mark, and whatever else precedes the object.
    this.position = Math.max(0, text.indexOf('{'));
  }

  /** Adds the members to `members` one by one, so that those before the end of the readable text remain. */
  readObject(members: Members, depth = 1): void {
    this.expect('{');
    if (this.next('}')) return;
    do {
      const name = this.readString();
      this.expect(':');
      this.readValue((value) => (members[name] = value), depth);
    } while (this.next(','));
    this.expect('}');
  }

  private readList(items: unknown[], depth: number): void {
    this.expect('[');
    if (this.next(']')) return;
    do this.readValue((value) => items.push(value), depth);
    while (this.next(','));
    this.expect(']');
  }

  private readValue(add: (value: unknown) => void, depth: number): void {
    this.values += 1;
    this.skipSpace();
    const first = this.text[this.position];
    const isContainer = first === '{' || first === '[';
    if (this.values > MAX_VALUES || (isContainer && depth === MAX_DEPTH)) throw new EndOfReadableText();
    if (first === '"') add(this.readString());
    else if (first === '{') this.readObject(added(add, createMembers()), depth + 1);
    else if (first === '[') this.readList(added(add, []), depth + 1);
    else this.readWord(add);
  }

  private readWord(add: (value: unknown) => void): void {
    const word = this.match(WORD);
    if (this.position === this.text.length) throw new EndOfReadableText();
    if (WORDS.has(word)) add(WORDS.get(word));
    else if (NUMBER.test(word)) add(Number(word));
  }

  private readString(): string {
    this.skipSpace();
    const literal = this.match(STRING);
    try {
      return JSON.parse(literal) as string;
    } catch {
      throw new EndOfReadableText();
    }
  }

  private expect(character: string): void {
    if (!this.next(character)) throw new EndOfReadableText();
  }

  /** Moves behind the character if it is the next one after white space. */
  private next(character: string): boolean {
    this.skipSpace();
    if (this.text[this.position] !== character) return false;
    this.position += 1;
    return true;
  }

  private skipSpace(): void {
    this.match(SPACE);
  }

  private match(pattern: RegExp): string {
    pattern.lastIndex = this.position;
    const [found] = pattern.exec(this.text) ?? [];
    if (found === undefined) throw new EndOfReadableText();
    this.position += found.length;
    return found;
  }
}

function added<Container>(add: (value: unknown) => void, container: Container): Container {
  add(container);
  return container;
}
