/** Prints the steps of the demo, one line each. */
export class Narrator {
  private readonly startedAt = Date.now();

  constructor(private readonly out: NodeJS.WritableStream) {}

  /** Prints a line. @param who - subject of the line: a person, the watch or the demo itself */
  narrate(who: string, what: string): void {
    const seconds = ((Date.now() - this.startedAt) / 1_000).toFixed(1).padStart(6);
    this.print(`${seconds} s  ${who.padEnd(6)}  ${what}`);
  }

  print(line: string): void {
    this.out.write(`${line}\n`);
  }
}
