type Method = (...args: never[]) => Promise<unknown>;

/** Makes the process die before or after a method of one of its parts. */
export function crashAround<Part extends object>(part: Part, name: keyof Part, when: 'before' | 'after'): void {
  const original = (part[name] as Method).bind(part);
  const replaced = async (...args: never[]): Promise<unknown> => {
    if (when === 'before') return crash();
    await original(...args);
    return crash();
  };
  Object.assign(part, { [name]: replaced });
}

/** As a power cut: nothing is tidied up, and nobody is answered. */
export function crash(): Promise<never> {
  process.kill(process.pid, 'SIGKILL');
  return new Promise(() => undefined);
}
